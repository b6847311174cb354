//! Sends a message and waits for the outcome.

use crate::PeerClient;
use baton_ports::{PeerError, PeerOutcome, PeerRequest};
use baton_wire::a2a::v1::StreamResponse;

/// Outcome of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledTask {
    /// Task id at the peer; `None` if it answered without a task.
    pub task: Option<String>,
    /// Context id at the peer.
    pub context: String,
    /// Outcome of the task.
    pub outcome: PeerOutcome,
}

impl PeerClient {
    /// Sends a message and waits until the task ends or needs input; `told` receives every event once, in order. The
    /// message is sent once, unless the peer supports idempotency.
    pub async fn settle(
        &self,
        ask: &PeerRequest,
        mut observe: impl FnMut(&StreamResponse<'static>) + Send,
    ) -> Result<SettledTask, PeerError> {
        let mut follow = self.send(ask).await?;
        while let Some(item) = follow.next().await {
            observe(&item?);
        }
        let seen = follow.seen();
        let interrupted = || PeerError::Lost("the remote agent's stream ended before the task was done".to_owned());
        let outcome = crate::follow::outcome(seen).ok_or_else(interrupted)?;
        let context = if seen.context().is_empty() { ask.context.as_str() } else { seen.context() };
        Ok(SettledTask { task: seen.task().map(str::to_owned), context: context.to_owned(), outcome })
    }
}
