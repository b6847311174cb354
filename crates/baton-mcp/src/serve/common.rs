//! What all endpoints of one Baton share.

use super::{Seal, Sessions};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// What all endpoints of one Baton share; cheap to clone.
#[derive(Clone)]
pub struct Common {
    /// Sessions of clients of the older protocols.
    pub sessions: Arc<Sessions>,
    /// Seals what clients carry between the rounds of one call.
    pub seal: Arc<Seal>,
    /// Bounds.
    pub limits: Limits,
    /// Ends every session and stream when cancelled.
    pub shutdown: CancellationToken,
}

/// Bounds of the MCP endpoints.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest request body in bytes.
    pub max_body: usize,
    /// Largest result of a tool in bytes; what is larger is refused with words that say so.
    pub max_result: usize,
    /// Entries on a page of a list.
    pub page: usize,
    /// Sessions in memory; the one that was idle for longest makes room.
    pub max_sessions: usize,
    /// Percent of the sessions that one holder may have.
    pub principal_share: u8,
    /// A session in which nothing happens for so long leaves memory; with a store it comes back when it is used.
    pub session_idle: Duration,
    /// How often a silent stream says that it is alive.
    pub keep_alive: Duration,
    /// How often the caller of a long call hears of it.
    pub heartbeat: Duration,
    /// How long lists wait for servers that are on their way.
    pub patience: Duration,
    /// How long the answer to a question may take.
    pub answer_within: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_body: 8 * 1024 * 1024,
            max_result: 16 * 1024 * 1024,
            page: 100,
            max_sessions: 1024,
            principal_share: 25,
            session_idle: Duration::from_secs(2 * 60 * 60),
            // Common HTTP clients give a silent stream up after five seconds.
            keep_alive: Duration::from_secs(4),
            heartbeat: Duration::from_secs(15),
            patience: Duration::from_secs(1),
            answer_within: Duration::from_secs(12 * 60 * 60),
        }
    }
}
