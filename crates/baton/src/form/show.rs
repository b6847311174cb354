//! Forms as text.

use super::fields::{FormField, FormFieldKind, InputForm};
use crate::screen::{columns, one_line};
use baton_types::Json;

/// Maximum characters shown of untrusted text.
const MAX_TEXT_CHARS: usize = 120;
/// Maximum choices shown.
const MAX_CHOICES: usize = 12;

impl InputForm {
    /// A line for each field.
    pub(crate) fn lines(&self) -> Vec<String> {
        let row = |field: &FormField| {
            let needed = match (&field.default, field.required) {
                (Some(default), _) => {
                    format!("default {}", one_line(&field.kind.format_value(default), MAX_TEXT_CHARS))
                }
                (None, true) => "required".to_owned(),
                (None, false) => "optional".to_owned(),
            };
            [
                one_line(&field.name, MAX_TEXT_CHARS),
                field.kind.describe(),
                needed,
                one_line(&field.about, MAX_TEXT_CHARS),
            ]
        };
        let rows: Vec<_> = self.fields.iter().map(row).collect();
        columns(&rows).into_iter().map(|line| format!("  {line}")).collect()
    }
}

impl FormField {
    /// The prompt of a field.
    pub(crate) fn prompt(&self) -> String {
        let about = match self.about.is_empty() {
            true => String::new(),
            false => format!(": {}", one_line(&self.about, MAX_TEXT_CHARS)),
        };
        let empty = match (&self.default, self.required) {
            (Some(default), _) => format!(" [{}]", one_line(&self.kind.format_value(default), MAX_TEXT_CHARS)),
            (None, true) => String::new(),
            (None, false) => ", empty to skip".to_owned(),
        };
        format!("{} ({}{empty}){about}", one_line(&self.name, MAX_TEXT_CHARS), self.kind.describe())
    }
}

impl FormFieldKind {
    /// A value as it would be typed.
    fn format_value(&self, value: &Json) -> String {
        match self {
            Self::Choice(choices) => choices
                .iter()
                .find(|choice| choice.value.to_value() == value.to_value())
                .map_or_else(|| value.to_plain_text(), |choice| choice.label.clone()),
            Self::List(item) => match value.read::<Vec<Json>>() {
                Ok(values) => values.iter().map(|value| item.format_value(value)).collect::<Vec<_>>().join(", "),
                Err(_) => value.to_plain_text(),
            },
            Self::Boolean => match value.to_value().as_bool() {
                Some(true) => "yes".to_owned(),
                Some(false) => "no".to_owned(),
                None => value.to_plain_text(),
            },
            _ => value.to_plain_text(),
        }
    }

    /// Short description of the type.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Text { format: Some(format), .. } => one_line(format, 20),
            Self::Text { format: None, .. } => "text".to_owned(),
            Self::Number { is_integer, min, max } => {
                let noun = if *is_integer { "whole number" } else { "number" };
                match (min, max) {
                    (Some(min), Some(max)) => format!("{noun} {min} to {max}"),
                    (Some(min), None) => format!("{noun} from {min}"),
                    (None, Some(max)) => format!("{noun} up to {max}"),
                    (None, None) => noun.to_owned(),
                }
            }
            Self::Boolean => "yes or no".to_owned(),
            Self::Choice(choices) => {
                let mut labels: Vec<String> =
                    choices.iter().take(MAX_CHOICES).map(|choice| one_line(&choice.label, 40)).collect();
                if choices.len() > MAX_CHOICES {
                    labels.push("…".to_owned());
                }
                labels.join(" | ")
            }
            Self::List(item) => format!("list of {}", item.describe()),
            Self::Object => "JSON object".to_owned(),
            Self::Any => "JSON or text".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_shown_as_they_are_typed() {
        let schema = r#"{"properties": {
            "day": {"oneOf": [{"const": 1, "title": "Monday"}, {"const": 2, "title": "Tuesday"}], "default": 2},
            "pet": {"enum": ["pet-1"], "enumNames": ["Cats"], "default": "pet-1"},
            "odd": {"enum": ["a"], "default": "b"},
            "fish": {"type": "array", "items": {"anyOf": [{"const": "f1", "title": "Tuna"}, {"const": "f2", "title": "Cod"}]},
                "default": ["f1", "f2"]},
            "loud": {"type": "boolean", "default": false},
            "count": {"type": "integer", "default": 12345678901234567890}
        }}"#;
        let form = InputForm::from_schema(&Json::parse(schema).unwrap());
        let shown: Vec<String> =
            form.fields.iter().filter_map(|field| Some(field.kind.format_value(field.default.as_ref()?))).collect();
        assert_eq!(shown, ["Tuesday", "Cats", "b", "Tuna, Cod", "no", "12345678901234567890"]);
    }
}
