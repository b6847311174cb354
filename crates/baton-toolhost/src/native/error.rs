//! Why a function could not do what it was asked.

use std::fmt;

/// What went wrong in a tool, for the model that called it; `?` makes one of every error.
pub struct ToolError {
    text: String,
}

impl ToolError {
    /// Says what went wrong and, best of all, what to do about it.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// What the model reads.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The error with its causes; not itself an error, so that every error becomes one.
impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let inner_text = inner.to_string();
            if !text.contains(&inner_text) {
                text.push_str(": ");
                text.push_str(&inner_text);
            }
            cause = inner.source();
        }
        Self { text }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolError").field(&self.text).finish()
    }
}
