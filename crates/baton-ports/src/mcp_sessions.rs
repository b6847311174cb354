//! Sessions of MCP clients of the older protocol, kept so that they outlive the process.

use crate::BoxFuture;
use baton_types::Json;

/// Keeps what is needed to go on with a session; bounded, the oldest go first.
pub trait McpSessions: Send + Sync + 'static {
    /// What was kept of a session.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Json>, String>>;

    /// Keeps a session, or replaces what was kept of it.
    fn keep<'a>(&'a self, id: &'a str, session: Json) -> BoxFuture<'a, Result<(), String>>;

    /// Forgets a session.
    fn forget<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), String>>;
}
