//! A value that is used and never shown.

use std::{fmt, sync::Arc};

/// A key, a token or the value of a header; neither `Debug` nor anything else of it shows what it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Keeps a value; white space around it is a slip of the one who pasted it.
    pub fn new(value: &str) -> Self {
        Self(Arc::from(value.trim()))
    }

    /// The value itself, for the request that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
