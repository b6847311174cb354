//! Strict argument parsing: an unknown, missing or out-of-range argument is rejected by name.

use super::call::{CallRejection, InternalCall};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

/// A rule, a reference or a server by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NameArgument {
    pub(super) name: String,
}

/// No arguments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoArguments {}

impl InternalCall<'_> {
    /// The parsed arguments; the error names the invalid argument.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, CallRejection> {
        let value = Value::Object(self.arguments.clone());
        serde_path_to_error::deserialize(value).map_err(|error| {
            let path = error.path().to_string();
            let location = if path == "." { String::new() } else { format!("'{path}': ") };
            self.invalid_argument(&format!("{location}{}", error.inner()))
        })
    }

    /// An integer within bounds; models may write it as a float.
    pub(super) fn parse_integer(
        &self,
        name: &str,
        value: Option<f64>,
        min: u16,
        max: u16,
    ) -> Result<Option<u16>, CallRejection> {
        let Some(value) = value else { return Ok(None) };
        let fits = (f64::from(min)..=f64::from(max)).contains(&value) && value.fract() == 0.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was just checked to fit")]
        let number = fits.then_some(value as u16);
        let wrong =
            || self.invalid_argument(&format!("'{name}' must be a whole number from {min} to {max}, not {value}"));
        number.map(Some).ok_or_else(wrong)
    }

    /// Error for an invalid argument.
    pub(super) fn invalid_argument(&self, problem: &str) -> CallRejection {
        CallRejection::new(format!(
            "{} was not done: its arguments do not fit: {problem}; call it again with that corrected",
            self.tool
        ))
    }
}
