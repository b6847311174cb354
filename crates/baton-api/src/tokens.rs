//! API tokens of callers.

use baton_types::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Request to create a token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateToken {
    /// Display name.
    #[serde(default)]
    pub name: String,
    /// Subject of the token; its name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Tenant that the token gives access to; `local` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Granted scopes; `call` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Lifetime; 90 days when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<u64>,
    /// Whether it is valid until revoked.
    #[serde(default)]
    pub never_expires: bool,
}

/// One token, without its secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenEntry {
    /// Id in lists, logs and revocations.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Tenant that the token gives access to.
    pub tenant: String,
    /// Subject of the token.
    pub subject: String,
    /// Granted scopes.
    pub scopes: Vec<String>,
    /// Time of creation.
    #[serde(with = "baton_types::rfc3339")]
    #[schemars(schema_with = "crate::schema::timestamp")]
    pub created_at: Option<Timestamp>,
    /// Expiration time; `null` if it never expires.
    #[serde(with = "baton_types::rfc3339")]
    #[schemars(schema_with = "crate::schema::timestamp_or_null")]
    pub expires_at: Option<Timestamp>,
    /// Time of revocation; `null` if it is not revoked.
    #[serde(with = "baton_types::rfc3339")]
    #[schemars(schema_with = "crate::schema::timestamp_or_null")]
    pub revoked_at: Option<Timestamp>,
}

/// A new token. Its secret is returned only here.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreatedToken {
    /// The bearer token.
    pub token: String,
    /// The stored entry.
    pub entry: TokenEntry,
}

impl fmt::Debug for CreatedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreatedToken").field("entry", &self.entry).finish_non_exhaustive()
    }
}

/// All tokens, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenList {
    /// The tokens.
    pub tokens: Vec<TokenEntry>,
}

/// Metadata of a protected resource (RFC 9728).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProtectedResource {
    /// Resource identifier.
    pub resource: String,
    /// Display name.
    pub resource_name: String,
    /// Issuers of tokens for the resource.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authorization_servers: Vec<String>,
    /// Supported methods of sending a bearer token.
    pub bearer_methods_supported: Vec<String>,
    /// Supported scopes.
    pub scopes_supported: Vec<String>,
}
