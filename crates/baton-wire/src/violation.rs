//! What is wrong with a request, field by field.

use serde::{Deserialize, Serialize};

/// One field and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldViolation {
    /// The way to the field, such as `message.parts[0]`.
    pub field: String,
    /// What it should have been.
    pub description: String,
}

/// Collects violations; keeps the first few, because nobody reads more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations(Vec<FieldViolation>);

impl Violations {
    const KEPT: usize = 16;

    /// Notes one more.
    pub fn add(&mut self, field: impl Into<String>, description: impl Into<String>) {
        if self.0.len() < Self::KEPT {
            self.0.push(FieldViolation { field: field.into(), description: description.into() });
        }
    }

    /// `value`, if nothing was noted.
    pub fn none_or<T>(self, value: T) -> Result<T, Self> {
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
