//! Tokens by which callers are known.

use crate::de;
use baton_types::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A token to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateToken {
    /// What people call it.
    #[serde(default)]
    pub name: String,
    /// Who shows it; its name when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The organisation whose data it reaches; `local` when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// What it allows; `call` when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// How long it works; 90 days when nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<u64>,
    /// Whether it works until it is taken back.
    #[serde(default)]
    pub never_expires: bool,
}

/// One token, without its secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenEntry {
    /// Names it in lists, logs and revocations.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The organisation whose data it reaches.
    pub tenant: String,
    /// Who shows it.
    pub subject: String,
    /// What it allows.
    pub scopes: Vec<String>,
    /// When it was made.
    #[serde(with = "de::rfc3339")]
    pub created_at: Option<Timestamp>,
    /// When it stops working; never, when not given.
    #[serde(with = "de::rfc3339")]
    pub expires_at: Option<Timestamp>,
    /// When it was taken back.
    #[serde(with = "de::rfc3339")]
    pub revoked_at: Option<Timestamp>,
}

/// A token that was just made; its secret is shown this once.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedToken {
    /// What the caller shows.
    pub token: String,
    /// What is kept of it.
    pub entry: TokenEntry,
}

impl fmt::Debug for CreatedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreatedToken").field("entry", &self.entry).finish_non_exhaustive()
    }
}

/// The tokens that were made, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenList {
    /// All of them.
    pub tokens: Vec<TokenEntry>,
}

/// What RFC 9728 says of a place that asks for tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedResource {
    /// The place.
    pub resource: String,
    /// What people call it.
    pub resource_name: String,
    /// Who makes tokens for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authorization_servers: Vec<String>,
    /// How tokens are shown.
    pub bearer_methods_supported: Vec<String>,
    /// What tokens can allow.
    pub scopes_supported: Vec<String>,
}
