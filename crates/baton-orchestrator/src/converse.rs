//! Conversation with one agent until it has answered or needs input.

use crate::{
    AgentAnswer, OrchestrateError, calls::requested_calls, inner::OrchestratorCore, message::message,
    peer_conversation::PeerConversation,
};
use baton_peers::SettledTask;
use baton_ports::{PeerOutcome, PeerRequest};
use baton_types::Part;
use std::time::Duration;

/// Timeout for cancelling the task of an abandoned agent.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

impl OrchestratorCore {
    /// Sends a message and runs tools until the task ends or needs input.
    pub(crate) async fn converse(
        &self,
        asking: &PeerConversation<'_>,
        mut ask: PeerRequest,
    ) -> Result<AgentAnswer, OrchestrateError> {
        let rounds = asking.limits.rounds;
        for round in 0.. {
            let client = self.client(asking.name).await?;
            let settled = client.settle(&ask, |item| asking.watch.on_stream_item(asking.called_agent(), item)).await?;
            let calls = requested_calls(&settled);
            if calls.is_empty() {
                return Ok(AgentAnswer::from_settled(asking.url, settled));
            }
            if round >= rounds {
                self.cancel_task(asking, settled.task.as_deref()).await;
                return Err(OrchestrateError::Rounds { agent: asking.url.to_owned(), task: settled.task, rounds });
            }
            let pending = self.run(asking, &settled, calls).await?;
            let Some(results) = pending.results() else { return Ok(pending.into_answer(asking.url, settled)) };
            ask = asking.request(message(results), settled.task, Some(settled.context));
        }
        Err(OrchestrateError::Rounds { agent: asking.url.to_owned(), task: ask.task, rounds })
    }

    /// Sends an answer to the agent or to the tool that asked.
    pub(crate) async fn resume(
        &self,
        asking: &PeerConversation<'_>,
        answer: AgentAnswer,
        parts: Vec<Part>,
    ) -> Result<AgentAnswer, OrchestrateError> {
        let Some(pending) = answer.pending else {
            let request = asking.request(message(parts), answer.task, Some(answer.context));
            return self.converse(asking, request).await;
        };
        let settled = SettledTask {
            task: answer.task,
            context: answer.context,
            outcome: PeerOutcome { state: answer.state, message: answer.message, artifacts: answer.artifacts },
        };
        let pending = self.resume_calls(asking, &settled, pending, &parts).await?;
        let Some(results) = pending.results() else { return Ok(pending.into_answer(asking.url, settled)) };
        let request = asking.request(message(results), settled.task, Some(settled.context));
        self.converse(asking, request).await
    }

    /// Cancels the task of an abandoned agent, with a timeout.
    pub(crate) async fn cancel_task(&self, asking: &PeerConversation<'_>, task: Option<&str>) {
        let Some(task) = task else { return };
        let telling = async {
            if let Ok(client) = self.client(asking.name).await
                && let Err(error) = client.cancel(task).await
            {
                tracing::debug!(%error, agent = asking.url, "cannot cancel the task of an abandoned agent");
            }
        };
        let _ = tokio::time::timeout(CANCEL_TIMEOUT, telling).await;
    }
}
