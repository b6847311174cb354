//! State shared by all endpoints of one Baton.

use super::{McpSessionManager, StateSeal};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// State shared by all endpoints of one Baton; cheap to clone.
#[derive(Clone)]
pub struct EndpointContext {
    /// Sessions of clients of the older protocols.
    pub sessions: Arc<McpSessionManager>,
    /// Seals the state that clients carry between the rounds of one call.
    pub seal: Arc<StateSeal>,
    /// Limits of the endpoints.
    pub limits: McpLimits,
    /// Ends every session and stream when cancelled.
    pub shutdown: CancellationToken,
}

/// Limits of the MCP endpoints.
#[derive(Clone, Debug)]
pub struct McpLimits {
    /// Maximum size of a request body in bytes.
    pub max_body: usize,
    /// Maximum size of a tool result in bytes; a larger one is replaced by an error.
    pub max_result: usize,
    /// Entries per list page.
    pub page_size: usize,
    /// Maximum number of sessions in memory; the one idle for longest is evicted.
    pub max_sessions: usize,
    /// Percentage of the sessions that one holder may have.
    pub holder_share: u8,
    /// Idle time after which a session is evicted from memory; with a store, it is restored on its next use.
    pub session_idle: Duration,
    /// Interval of keep-alive comments on a silent stream.
    pub keep_alive: Duration,
    /// Interval of progress notifications for a long call.
    pub heartbeat: Duration,
    /// How long lists wait for servers that are starting.
    pub list_timeout: Duration,
    /// Timeout for the answer to a question.
    pub answer_timeout: Duration,
}

impl Default for McpLimits {
    fn default() -> Self {
        Self {
            max_body: 8 * 1024 * 1024,
            max_result: 16 * 1024 * 1024,
            page_size: 100,
            max_sessions: 1024,
            holder_share: 25,
            session_idle: Duration::from_secs(2 * 60 * 60),
            // Common HTTP clients close a silent stream after five seconds.
            keep_alive: Duration::from_secs(4),
            heartbeat: Duration::from_secs(15),
            list_timeout: Duration::from_secs(1),
            answer_timeout: Duration::from_secs(12 * 60 * 60),
        }
    }
}
