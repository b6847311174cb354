//! Typed access to the members of a request, with validation errors.

use crate::OpenAiError;
use baton_types::Thousandths;
use serde_json::{Map, Value};

/// Members of a JSON object in a request; null counts as absent.
#[derive(Clone, Copy)]
pub(crate) struct RequestFields<'a> {
    members: &'a Map<String, Value>,
    /// Path of the object with a trailing dot; empty for the request itself.
    prefix: &'a str,
}

/// Parses the request body as an object.
pub(crate) fn parse_object(body: &[u8]) -> Result<Map<String, Value>, OpenAiError> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(unreadable("the body must be a JSON object")),
        Err(error) => Err(unreadable(&format!("the body is not JSON: {error}"))),
    }
}

fn unreadable(reason: &str) -> OpenAiError {
    OpenAiError {
        param: None,
        ..OpenAiError::invalid("invalid_json", "", format!("The request cannot be read: {reason}."))
    }
}

impl<'a> RequestFields<'a> {
    pub(crate) fn new(members: &'a Map<String, Value>, prefix: &'a str) -> Self {
        Self { members, prefix }
    }

    /// A member, if present.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    fn type_error(&self, name: &str, expected: &str) -> OpenAiError {
        let param = format!("{}{name}", self.prefix);
        OpenAiError::invalid("invalid_type", &param, format!("'{param}' must be {expected}."))
    }

    fn range_error(&self, name: &str, code: &str, expected: &str) -> OpenAiError {
        let param = format!("{}{name}", self.prefix);
        OpenAiError::invalid(code, &param, format!("'{param}' must be {expected}."))
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, OpenAiError> {
        let read = |value: &'a Value| value.as_str().ok_or_else(|| self.type_error(name, "a string"));
        self.get(name).map(read).transpose()
    }

    /// Text with at most this many characters.
    pub(crate) fn short_text(&self, name: &str, max: usize) -> Result<Option<String>, OpenAiError> {
        match self.text(name)? {
            Some(text) if text.chars().count() > max => {
                Err(self.range_error(name, "string_above_max_length", &format!("at most {max} characters long")))
            }
            text => Ok(text.map(str::to_owned)),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, OpenAiError> {
        let read = |value: &Value| value.as_bool().ok_or_else(|| self.type_error(name, "true or false"));
        self.get(name).map(read).transpose()
    }

    pub(crate) fn list(&self, name: &str) -> Result<&'a [Value], OpenAiError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(self.type_error(name, "a list")),
        }
    }

    pub(crate) fn object(&self, name: &str) -> Result<Option<&'a Map<String, Value>>, OpenAiError> {
        let read = |value: &'a Value| value.as_object().ok_or_else(|| self.type_error(name, "an object"));
        self.get(name).map(read).transpose()
    }

    /// An integer within these bounds.
    pub(crate) fn count(&self, name: &str, min: u32, max: u32) -> Result<Option<u32>, OpenAiError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_i64().ok_or_else(|| self.type_error(name, "a whole number"))?;
        match u32::try_from(number.max(-1)) {
            Ok(number) if (min..=max).contains(&number) => Ok(Some(number)),
            _ if number < i64::from(min) => {
                Err(self.range_error(name, "integer_below_min_value", &format!("{min} or more")))
            }
            _ => Err(self.range_error(name, "integer_above_max_value", &format!("{max} or less"))),
        }
    }

    /// A number within these bounds.
    pub(crate) fn number(&self, name: &str, min: f64, max: f64) -> Result<Option<f64>, OpenAiError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_f64().ok_or_else(|| self.type_error(name, "a number"))?;
        if number < min {
            return Err(self.range_error(name, "decimal_below_min_value", &format!("{min} or more")));
        }
        if number > max {
            return Err(self.range_error(name, "decimal_above_max_value", &format!("{max} or less")));
        }
        Ok(Some(number))
    }

    pub(crate) fn thousandths(&self, name: &str, max: f64) -> Result<Option<Thousandths>, OpenAiError> {
        Ok(self.number(name, 0.0, max)?.and_then(Thousandths::from_f64))
    }

    /// One of these values.
    pub(crate) fn one_of(&self, name: &str, allowed: &[&str]) -> Result<Option<&'a str>, OpenAiError> {
        match self.text(name)? {
            Some(value) if !allowed.contains(&value) => {
                Err(self.range_error(name, "invalid_value", &format!("one of: {}", allowed.join(", "))))
            }
            value => Ok(value),
        }
    }

    /// A list of strings.
    pub(crate) fn strings(&self, name: &str) -> Result<Vec<String>, OpenAiError> {
        let read = |value: &Value| value.as_str().map(str::to_owned);
        let texts: Option<Vec<String>> = self.list(name)?.iter().map(read).collect();
        texts.ok_or_else(|| self.type_error(name, "a list of strings"))
    }
}
