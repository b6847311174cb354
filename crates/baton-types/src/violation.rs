//! Validation errors of a request, by field.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One invalid field and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldViolation {
    /// Path of the field, such as `message.parts[0]`.
    pub field: String,
    /// The expected value.
    pub description: String,
}

/// Collects violations. Keeps the first 16 and drops the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations(Vec<FieldViolation>);

impl Violations {
    const MAX_VIOLATIONS: usize = 16;

    /// Adds a violation.
    pub fn add(&mut self, field: impl Into<String>, description: impl Into<String>) {
        if self.0.len() < Self::MAX_VIOLATIONS {
            self.0.push(FieldViolation { field: field.into(), description: description.into() });
        }
    }

    /// `value`, if there are no violations.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }

    /// The violations in the order they were found.
    pub fn into_vec(self) -> Vec<FieldViolation> {
        self.0
    }
}

impl From<FieldViolation> for Violations {
    fn from(violation: FieldViolation) -> Self {
        Self(vec![violation])
    }
}
