//! Content addresses.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::{fmt, sync::Arc};

/// SHA-256 digest as lower-case hex.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(Arc<str>);

impl Digest {
    /// Computes the digest of `bytes`.
    pub fn compute(bytes: &[u8]) -> Self {
        use fmt::Write as _;
        let mut hex = String::with_capacity(64);
        for byte in Sha256::digest(bytes) {
            let _ = write!(hex, "{byte:02x}");
        }
        Self(hex.into())
    }

    /// Wraps a digest that was read from storage.
    pub fn from_hex(hex: impl Into<Arc<str>>) -> Self {
        Self(hex.into())
    }

    /// Hex text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", &self.0[..12.min(self.0.len())])
    }
}
