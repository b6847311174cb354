//! Secrets and references to them.

use baton_types::ErrorCode;
use std::{fmt, path::PathBuf, str::FromStr};

/// Maximum size of a secret file.
const MAX_SECRET_BYTES: u64 = 64 * 1024;

/// Reference to a secret: `env://NAME` or `file://PATH`. It is resolved on every use.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretRef(SecretLocation);

#[derive(Clone, PartialEq, Eq)]
enum SecretLocation {
    Variable(String),
    File(PathBuf),
}

/// A secret; `Debug` does not reveal it.
#[derive(Clone)]
pub struct Secret(String);

/// Reason why a secret is not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// Not a reference. The text may be the secret itself, so it is not repeated.
    #[error("write a reference to the secret (env://NAME or file://PATH), not the secret itself")]
    Form,
    /// The variable or file does not exist.
    #[error("the secret {0} does not exist")]
    Missing(String),
    /// The secret is empty.
    #[error("the secret {0} is empty")]
    Empty(String),
    /// The secret cannot be read.
    #[error("the secret {reference} cannot be read: {reason}")]
    Unreadable {
        /// The reference.
        reference: String,
        /// The cause.
        reason: String,
    },
}

impl SecretError {
    /// Stable error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Form => ErrorCode::CONFIG_INVALID,
            Self::Missing(_) | Self::Empty(_) | Self::Unreadable { .. } => ErrorCode::SECRET_MISSING,
        }
    }
}

impl SecretRef {
    /// The current secret, without surrounding white space.
    pub fn resolve(&self) -> Result<Secret, SecretError> {
        let reference = || self.to_string();
        let text = match &self.0 {
            SecretLocation::Variable(name) => match std::env::var(name) {
                Ok(text) => text,
                Err(std::env::VarError::NotPresent) => return Err(SecretError::Missing(reference())),
                Err(std::env::VarError::NotUnicode(_)) => {
                    return Err(SecretError::Unreadable {
                        reference: reference(),
                        reason: "it is not valid text".to_owned(),
                    });
                }
            },
            SecretLocation::File(path) => read(path).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => SecretError::Missing(reference()),
                _ => SecretError::Unreadable { reference: reference(), reason: error.to_string() },
            })?,
        };
        match text.trim() {
            "" => Err(SecretError::Empty(reference())),
            secret => Ok(Secret(secret.to_owned())),
        }
    }
}

fn read(path: &std::path::Path) -> std::io::Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    std::fs::File::open(path)?.take(MAX_SECRET_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

impl FromStr for SecretRef {
    type Err = SecretError;

    fn from_str(text: &str) -> Result<Self, SecretError> {
        let variable = |name: &str| {
            let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            (!name.is_empty() && plain).then(|| SecretLocation::Variable(name.to_owned()))
        };
        let location = match (text.strip_prefix("env://"), text.strip_prefix("file://")) {
            (Some(name), _) => variable(name),
            (None, Some(path)) if !path.is_empty() => Some(SecretLocation::File(path.into())),
            _ => None,
        };
        location.map(Self).ok_or(SecretError::Form)
    }
}

impl fmt::Display for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            SecretLocation::Variable(name) => write!(f, "env://{name}"),
            SecretLocation::File(path) => write!(f, "file://{}", path.display()),
        }
    }
}

impl fmt::Debug for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretRef({self})")
    }
}

impl Secret {
    /// Wraps a secret.
    pub fn new(secret: String) -> Self {
        Self(secret)
    }

    /// The secret, for use in a request.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}
