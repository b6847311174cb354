//! Error of a native function.

use std::fmt;

/// Failure of a tool, for the model that called it; `?` converts any error.
pub struct ToolError {
    text: String,
}

impl ToolError {
    /// The text should state the cause and the remedy.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The text for the model.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The error with its causes. `ToolError` is no `Error`, which makes this blanket conversion possible.
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
