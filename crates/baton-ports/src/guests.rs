//! MCP servers that callers bring along for their own requests.

use crate::BoxFuture;
use baton_types::{Principal, ToolSpec};
use std::{collections::BTreeMap, fmt};

/// A server that a caller names.
#[derive(Clone, PartialEq, Eq)]
pub struct Guest {
    /// What the caller calls it.
    pub label: String,
    /// Where it is.
    pub url: String,
    /// Sent with every request; all of them are secrets.
    pub headers: BTreeMap<String, String>,
}

impl fmt::Debug for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.keys().map(String::as_str).collect();
        f.debug_struct("Guest").field("label", &self.label).field("headers", &headers).finish_non_exhaustive()
    }
}

/// Why a server of a caller's is not used; nothing that it says has a secret in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GuestError {
    /// It was not ready, or did not say what it can do.
    #[error("{0}")]
    Unreachable(String),
    /// Too many are used at the same time.
    #[error("{0}")]
    TooMany(String),
}

/// Connects to servers that callers bring.
pub trait Guests: Send + Sync + 'static {
    /// The tools of a server, under names that models can use and none of which may run without leave. The server stays
    /// connected for a while, for this caller alone; its secrets are kept in memory only.
    fn admit<'a>(&'a self, principal: &'a Principal, guest: Guest) -> BoxFuture<'a, Result<Vec<ToolSpec>, GuestError>>;
}
