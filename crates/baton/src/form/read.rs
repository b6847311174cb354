//! Parses typed text into values.

use super::fields::{FormChoice, FormField, FormFieldKind, InputForm};
use baton_types::Json;
use std::collections::BTreeMap;

impl FormField {
    /// The value of typed text, or a description of valid input.
    pub(crate) fn read(&self, text: &str) -> Result<Json, String> {
        self.kind.read(text)
    }
}

impl FormFieldKind {
    fn read(&self, text: &str) -> Result<Json, String> {
        match self {
            Self::Text { format, min, max } => {
                let length = text.chars().count() as u64;
                match (min, max) {
                    (Some(min), _) if length < *min => return Err(format!("at least {min} characters")),
                    (_, Some(max)) if length > *max => return Err(format!("at most {max} characters")),
                    _ => {}
                }
                match format.as_deref() {
                    Some(format) if !matches_format(format, text) => Err(format!("a valid {format}")),
                    _ => Ok(Json::string(text)),
                }
            }
            Self::Number { is_integer, min, max } => parse_number(text.trim(), *is_integer, *min, *max),
            Self::Boolean => match text.trim().to_lowercase().as_str() {
                "yes" | "y" | "true" | "1" => Ok(Json::from(serde_json::Value::Bool(true))),
                "no" | "n" | "false" | "0" => Ok(Json::from(serde_json::Value::Bool(false))),
                _ => Err("yes or no".to_owned()),
            },
            Self::Choice(choices) => parse_choice(choices, text.trim()),
            Self::List(item) => parse_list(item, text.trim()),
            Self::Object => {
                let object = Json::parse(text).ok().filter(Json::is_object);
                object.ok_or_else(|| "a JSON object".to_owned())
            }
            Self::Any => Ok(Json::parse(text).unwrap_or_else(|_| Json::string(text))),
        }
    }
}

/// Numbers keep all their digits.
fn parse_number(text: &str, is_integer: bool, min: Option<f64>, max: Option<f64>) -> Result<Json, String> {
    let expected = if is_integer { "a whole number" } else { "a number" };
    let value: f64 = text.parse().map_err(|_| expected.to_owned())?;
    let json = Json::parse(text).ok().filter(|_| value.is_finite()).ok_or_else(|| expected.to_owned())?;
    if is_integer && value.fract() != 0.0 {
        return Err(expected.to_owned());
    }
    match (min, max) {
        (Some(min), _) if value < min => Err(format!("at least {min}")),
        (_, Some(max)) if value > max => Err(format!("at most {max}")),
        _ => Ok(json),
    }
}

fn parse_choice(choices: &[FormChoice], text: &str) -> Result<Json, String> {
    let by_value = choices.iter().find(|choice| choice.value.to_plain_text() == text);
    let by_label = || choices.iter().find(|choice| choice.label.eq_ignore_ascii_case(text));
    let found = by_value.or_else(by_label).map(|choice| choice.value.clone());
    found.ok_or_else(|| {
        let labels: Vec<&str> = choices.iter().map(|choice| choice.label.as_str()).collect();
        format!("one of: {}", labels.join(", "))
    })
}

/// A JSON array, or comma-separated items.
fn parse_list(item: &FormFieldKind, text: &str) -> Result<Json, String> {
    if text.starts_with('[') {
        return Json::parse(text).map_err(|_| "a JSON array, or comma-separated values".to_owned());
    }
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let items: Vec<Json> = items.map(|text| item.read(text)).collect::<Result<_, _>>()?;
    Json::from_serializable(&items).map_err(|error| error.to_string())
}

/// Rough format checks; the tool does the exact validation.
fn matches_format(format: &str, text: &str) -> bool {
    let digits = |text: &str, counts: &[usize]| {
        let parts: Vec<&str> = text.split('-').collect();
        let right = |(part, count): (&&str, &usize)| part.len() == *count && part.bytes().all(|b| b.is_ascii_digit());
        parts.len() == counts.len() && parts.iter().zip(counts).all(right)
    };
    match format {
        "email" => text.split_once('@').is_some_and(|(local_part, host)| !local_part.is_empty() && host.contains('.')),
        "uri" | "url" => text.split_once(':').is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty()),
        "date" => digits(text, &[4, 2, 2]),
        "date-time" => text.split_once(['T', 't', ' ']).is_some_and(|(date, time)| {
            digits(date, &[4, 2, 2]) && time.len() >= 5 && time.as_bytes().get(2) == Some(&b':')
        }),
        _ => true,
    }
}

/// Form values that are already known.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormValues(BTreeMap<String, Json>);

/// Reason why a value does not fit a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormValueError(pub(crate) String);

impl InputForm {
    /// Parses values of the form `name=text`, over those of `object`.
    pub(crate) fn parse_values(
        &self,
        object: Option<&Json>,
        pairs: &[(String, String)],
    ) -> Result<FormValues, FormValueError> {
        let mut values: BTreeMap<String, Json> = match object {
            Some(object) => {
                object.read().map_err(|_| FormValueError("the arguments are not a JSON object".to_owned()))?
            }
            None => BTreeMap::new(),
        };
        for (name, text) in pairs {
            let value = match self.field(name) {
                Some(field) => {
                    field.read(text).map_err(|expected| FormValueError(format!("{name} must be {expected}")))?
                }
                None => FormFieldKind::Any.read(text).map_err(FormValueError)?,
            };
            values.insert(name.clone(), value);
        }
        let stranger = values.keys().find(|name| self.field(name).is_none());
        match stranger {
            Some(name) if !self.open => {
                let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
                let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                Err(FormValueError(format!("there is no argument '{name}'; available: {names}")))
            }
            _ => Ok(FormValues(values)),
        }
    }

    /// The required fields without a value or a default.
    pub(crate) fn missing(&self, values: &FormValues) -> Vec<&FormField> {
        let needed = self.fields.iter().filter(|field| field.required && field.default.is_none());
        needed.filter(|field| !values.has(&field.name)).collect()
    }
}

impl FormValues {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Sets a value.
    pub(crate) fn put(&mut self, name: &str, value: Json) {
        self.0.insert(name.to_owned(), value);
    }

    /// All values as one object, with defaults for required fields.
    pub(crate) fn object(self, form: &InputForm) -> Json {
        self.with_defaults(form.fields.iter().filter(|field| field.required))
    }

    /// All values as one object, with defaults for all fields, as forms of tools expect.
    pub(crate) fn object_with_defaults(self, form: &InputForm) -> Json {
        self.with_defaults(form.fields.iter())
    }

    fn with_defaults<'a>(mut self, fields: impl Iterator<Item = &'a FormField>) -> Json {
        for field in fields {
            if let Some(default) = &field.default
                && !self.0.contains_key(&field.name)
            {
                self.0.insert(field.name.clone(), default.clone());
            }
        }
        Json::from_serializable(&self.0).unwrap_or_else(|_| serde_json::json!({}).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(properties: &str, rest: &str) -> InputForm {
        InputForm::from_schema(
            &Json::parse(&format!(r#"{{"type":"object","properties":{{{properties}}}{rest}}}"#)).expect("JSON"),
        )
    }

    #[test]
    fn typed_text_is_converted_by_the_schema() {
        for (property, typed, expect) in [
            (r#"{"type":"string"}"#, "42", Ok(r#""42""#)),
            (r#"{"type":"string","minLength":3}"#, "ab", Err("at least 3 characters")),
            (r#"{"type":"string","format":"email"}"#, "me", Err("a valid email")),
            (r#"{"type":"string","format":"date"}"#, "2026-11-16", Ok(r#""2026-11-16""#)),
            (r#"{"type":"integer"}"#, "123456789012345678901", Ok("123456789012345678901")),
            (r#"{"type":"integer"}"#, "1.5", Err("a whole number")),
            (r#"{"type":"integer","minimum":1,"maximum":9}"#, "10", Err("at most 9")),
            (r#"{"type":"number"}"#, "1.50", Ok("1.50")),
            (r#"{"type":"number"}"#, "inf", Err("a number")),
            (r#"{"type":"boolean"}"#, "Yes", Ok("true")),
            (r#"{"type":"boolean"}"#, "maybe", Err("yes or no")),
            (r#"{"enum":["a","b"],"enumNames":["First","Second"]}"#, "second", Ok(r#""b""#)),
            (r#"{"oneOf":[{"const":"a","title":"First"}]}"#, "c", Err("one of: First")),
            (r#"{"type":"array","items":{"type":"integer"}}"#, "1, 2", Ok("[1,2]")),
            (r#"{"type":"array","items":{"enum":["a","b"]}}"#, "a,c", Err("one of: a, b")),
            (r#"{"type":["integer","null"]}"#, "7", Ok("7")),
            (r#"{"anyOf":[{"type":"null"},{"type":"integer"}]}"#, "7", Ok("7")),
            (r##"{"$ref":"#/$defs/size"}"##, "XL", Err("one of: S, M")),
            (r#"{"$ref":"https://example.com/schema"}"#, "[1]", Ok("[1]")),
            (r#"{"type":"object"}"#, "{\"a\": 1}", Ok(r#"{"a":1}"#)),
            (r#"{"type":"object"}"#, "a", Err("a JSON object")),
            (r#"{}"#, "free", Ok(r#""free""#)),
        ] {
            let form = form(&format!(r#""x":{property}"#), r#","$defs":{"size":{"enum":["S","M"]}}"#);
            let read = form.field("x").expect("a field").read(typed);
            let read = read.as_ref().map(Json::as_str).map_err(String::as_str);
            assert_eq!(read, expect, "{typed:?} for {property}");
        }
    }

    #[test]
    fn given_values_are_assigned_to_fields() {
        let form = form(
            r#""b":{"type":"integer"},"a":{"type":"string"},"c":{"type":"string","default":"x"}"#,
            r#","required":["a","b","c"]"#,
        );
        let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["b", "a", "c"], "the author's order");
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let given =
            form.parse_values(Some(&Json::parse(r#"{"b":1}"#).expect("JSON")), &[pair("b", "2")]).expect("fits");
        assert_eq!(form.missing(&given).iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["a"]);
        assert_eq!(given.object(&form).as_str(), r#"{"b":2,"c":"x"}"#);
        let wrong = form.parse_values(None, &[pair("d", "1")]).expect_err("no such field");
        assert_eq!(wrong.0, "there is no argument 'd'; available: b, a, c");
    }
}
