//! The arguments of a call as text.

use baton_types::Json;
use std::collections::BTreeMap;

/// Arguments by name, in their original JSON text: numbers keep their digits.
pub(super) type HttpArguments = BTreeMap<String, Json>;

/// Invalid arguments; the message asks the model to call again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; call it again with that corrected")]
pub(super) struct HttpArgumentError(String);

impl HttpArgumentError {
    pub(super) fn missing(name: &str) -> Self {
        Self(format!("the argument '{name}' is missing"))
    }

    pub(super) fn empty(name: &str) -> Self {
        Self(format!("the argument '{name}' is empty, but it is part of the address"))
    }

    pub(super) fn dots(name: &str) -> Self {
        Self(format!("the argument '{name}' would make a path segment of dots"))
    }
}

/// Parses the arguments of a call.
pub(super) fn read(arguments: &Json) -> Result<HttpArguments, HttpArgumentError> {
    arguments.read().map_err(|_| HttpArgumentError("the arguments are not a JSON object".to_owned()))
}

/// Text of a scalar argument; `None` when missing or null.
pub(super) fn plain(arguments: &HttpArguments, name: &str) -> Result<Option<String>, HttpArgumentError> {
    match arguments.get(name) {
        None => Ok(None),
        Some(value) if value.as_str() == "null" => Ok(None),
        Some(value) if is_nested(value) => {
            Err(HttpArgumentError(format!("the argument '{name}' must be a text, a number, true or false")))
        }
        Some(value) => Ok(Some(value.to_plain_text())),
    }
}

/// The argument as values of one parameter: one per list item, or a single one.
pub(super) fn values(value: &Json) -> Vec<String> {
    if value.as_str() == "null" {
        return Vec::new();
    }
    match value.read::<Vec<Json>>() {
        Ok(items) => items.iter().map(Json::to_plain_text).collect(),
        Err(_) => vec![value.to_plain_text()],
    }
}

fn is_nested(value: &Json) -> bool {
    value.as_str().starts_with(['{', '['])
}
