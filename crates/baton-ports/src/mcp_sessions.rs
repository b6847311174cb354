//! Persistent sessions for MCP clients of the older protocol.

use crate::BoxFuture;
use baton_types::Json;

/// Stores the state needed to resume a session. Bounded: the oldest sessions are evicted first.
pub trait McpSessionStore: Send + Sync + 'static {
    /// The stored state of a session.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Json>, String>>;

    /// Stores the state of a session, replacing the previous one.
    fn save_session<'a>(&'a self, id: &'a str, session: Json) -> BoxFuture<'a, Result<(), String>>;

    /// Removes a session.
    fn remove_session<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), String>>;
}
