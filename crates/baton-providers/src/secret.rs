//! A value that is used and never shown.

use std::{fmt, sync::Arc};

/// A key, a token or a header value; `Debug` does not show the value.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Stores a value; surrounding whitespace from copying is removed.
    pub fn new(value: &str) -> Self {
        Self(Arc::from(value.trim()))
    }

    /// The value, for the request that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
