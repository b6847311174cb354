//! Conversation with one agent until it has answered or needs input.

use crate::{Answer, OrchestrateError, asking::Asking, calls::wanted, inner::Inner, words::message};
use baton_peers::Settled;
use baton_ports::{PeerOutcome, PeerRequest};
use baton_types::Part;
use std::time::Duration;

/// Timeout for cancelling the task of an abandoned agent.
const FAREWELL: Duration = Duration::from_secs(5);

impl Inner {
    /// Sends a message and runs tools until the task ends or needs input.
    pub(crate) async fn converse(&self, asking: &Asking<'_>, mut ask: PeerRequest) -> Result<Answer, OrchestrateError> {
        let rounds = asking.limits.rounds;
        for round in 0.. {
            let client = self.client(asking.name).await?;
            let settled = client.settle(&ask, |item| asking.watch.heard(asking.whose(), item)).await?;
            let calls = wanted(&settled);
            if calls.is_empty() {
                return Ok(Answer::of(asking.url, settled));
            }
            if round >= rounds {
                self.stop(asking, settled.task.as_deref()).await;
                return Err(OrchestrateError::Rounds { agent: asking.url.to_owned(), task: settled.task, rounds });
            }
            let pending = self.run(asking, &settled, calls).await?;
            let Some(results) = pending.results() else { return Ok(pending.asks(asking.url, settled)) };
            ask = asking.words(message(results), settled.task, Some(settled.context));
        }
        Err(OrchestrateError::Rounds { agent: asking.url.to_owned(), task: ask.task, rounds })
    }

    /// Sends an answer to the agent or to the tool that asked.
    pub(crate) async fn go_on(
        &self,
        asking: &Asking<'_>,
        asked: Answer,
        parts: Vec<Part>,
    ) -> Result<Answer, OrchestrateError> {
        let Some(pending) = asked.pending else {
            let words = asking.words(message(parts), asked.task, Some(asked.context));
            return self.converse(asking, words).await;
        };
        let settled = Settled {
            task: asked.task,
            context: asked.context,
            outcome: PeerOutcome { state: asked.state, message: asked.message, artifacts: asked.artifacts },
        };
        let pending = self.run_on(asking, &settled, pending, &parts).await?;
        let Some(results) = pending.results() else { return Ok(pending.asks(asking.url, settled)) };
        let words = asking.words(message(results), settled.task, Some(settled.context));
        self.converse(asking, words).await
    }

    /// Cancels the task of an abandoned agent, with a timeout.
    pub(crate) async fn stop(&self, asking: &Asking<'_>, task: Option<&str>) {
        let Some(task) = task else { return };
        let telling = async {
            if let Ok(client) = self.client(asking.name).await
                && let Err(error) = client.cancel(task).await
            {
                tracing::debug!(%error, agent = asking.url, "an agent that was given up does not know it");
            }
        };
        let _ = tokio::time::timeout(FAREWELL, telling).await;
    }
}
