//! Saying something and waiting for what comes of it.

use crate::PeerClient;
use baton_ports::{PeerError, PeerOutcome, PeerRequest};
use baton_wire::a2a::v1::StreamResponse;

/// What came of some words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The peer's task; none when it answered without one.
    pub task: Option<String>,
    /// The conversation, as the peer calls it.
    pub context: String,
    /// How the task stands.
    pub outcome: PeerOutcome,
}

impl PeerClient {
    /// Says something and waits until the task ended or needs something; `told` hears everything on the way, once and
    /// in order. The message is said once, unless the peer promised to take it once.
    pub async fn settle(
        &self,
        ask: &PeerRequest,
        mut told: impl FnMut(&StreamResponse<'static>) + Send,
    ) -> Result<Settled, PeerError> {
        let mut follow = self.say(ask).await?;
        while let Some(item) = follow.next().await {
            told(&item?);
        }
        let seen = follow.seen();
        let lost = || PeerError::Lost("the agent stopped speaking before it was done".to_owned());
        let outcome = crate::follow::outcome(seen).ok_or_else(lost)?;
        let context = if seen.context().is_empty() { ask.context.as_str() } else { seen.context() };
        Ok(Settled { task: seen.task().map(str::to_owned), context: context.to_owned(), outcome })
    }
}
