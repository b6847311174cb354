//! MCP servers that callers supply with their requests.

use crate::BoxFuture;
use baton_types::{Principal, ToolSpec};
use std::{collections::BTreeMap, fmt};

/// An MCP server supplied by a caller.
#[derive(Clone, PartialEq, Eq)]
pub struct CallerServer {
    /// Label chosen by the caller.
    pub label: String,
    /// Address of the server.
    pub url: String,
    /// Sent with every request; all values are secrets.
    pub headers: BTreeMap<String, String>,
}

impl fmt::Debug for CallerServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.keys().map(String::as_str).collect();
        f.debug_struct("CallerServer").field("label", &self.label).field("headers", &headers).finish_non_exhaustive()
    }
}

/// Error of a server supplied by a caller; the text contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallerServerError {
    /// The server was not ready or did not list its tools.
    #[error("{0}")]
    Unreachable(String),
    /// Too many servers are in use at the same time.
    #[error("{0}")]
    TooMany(String),
}

/// Connects to servers supplied by callers.
pub trait CallerServerConnector: Send + Sync + 'static {
    /// The tools of a server, under names that models accept; every tool requires approval. The server stays connected
    /// for a while, for this caller only; its secrets are kept in memory only.
    fn connect_server<'a>(
        &'a self,
        principal: &'a Principal,
        server: CallerServer,
    ) -> BoxFuture<'a, Result<Vec<ToolSpec>, CallerServerError>>;
}
