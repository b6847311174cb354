//! Sampling requests of tools, answered by other agents.

use crate::{
    OrchestrateError,
    admit::{HandoffDenial, not_allowed_message},
    inner::OrchestratorCore,
    message::message,
    peer_conversation::PeerConversation,
};
use baton_ports::{BoxFuture, SamplingRequest, SamplingResult, ToolHelper};
use baton_types::{AgentName, Part, Role, TaskId, TaskState, TraceContext};

/// Answers sampling only by calling agents: no model is available here.
pub(crate) struct AgentSamplingHelper<'a> {
    pub(crate) inner: &'a OrchestratorCore,
    pub(crate) conversation: &'a PeerConversation<'a>,
    /// The span of the call that is helped.
    pub(crate) trace: Option<TraceContext>,
    /// The agent's task that delegated the call.
    pub(crate) task: Option<&'a TaskId>,
}

impl ToolHelper for AgentSamplingHelper<'_> {
    fn sample(&self, ask: SamplingRequest) -> BoxFuture<'_, Result<SamplingResult, String>> {
        Box::pin(self.hand_over(ask))
    }

    fn depth(&self) -> u32 {
        self.conversation.depth + 1
    }

    fn remote_task(&self) -> Option<TaskId> {
        self.task.cloned()
    }
}

impl AgentSamplingHelper<'_> {
    /// The agent that a tool names, if the configuration or the observer allows it.
    async fn resolve_agent(&self, uri: &str) -> Result<AgentName, String> {
        match self.inner.check_handoff(self.conversation, uri) {
            Ok(()) => {}
            Err(HandoffDenial::Never(reason)) => return Err(reason),
            Err(HandoffDenial::NotAllowed { has_credential }) => {
                let called = self.conversation.called_agent();
                if !self.conversation.watch.may_hand_over(called, uri, has_credential).await {
                    return Err(not_allowed_message(uri));
                }
            }
        }
        self.inner.register(uri).map_err(|error| error.to_string())
    }

    async fn hand_over(&self, ask: SamplingRequest) -> Result<SamplingResult, String> {
        let uri = ask.agent_uri.as_deref().ok_or(
            "only agents can answer sampling here: name one in metadata.agent_uri, or use a model where the tool runs",
        )?;
        let max_depth = self.conversation.limits.depth;
        if ask.depth > max_depth {
            return Err(format!("the work was handed over {} times already; {max_depth} is the limit", ask.depth - 1));
        }
        let texts: Vec<&str> =
            ask.messages.iter().filter(|(role, _)| *role == Role::User).map(|(_, text)| text.as_str()).collect();
        let text = texts.join("\n");
        if text.trim().is_empty() {
            return Err("the handoff is empty: the request has no text".to_owned());
        }
        let name = self.resolve_agent(uri).await?;
        self.conversation.watch.on_handoff(self.conversation.called_agent(), uri);
        let next = self.conversation.next(&name, uri, ask.depth, self.trace);
        let message = message(vec![Part::text(text)]);
        let request = next.request(message, None, ask.context.clone());
        let failed = |error: OrchestrateError| format!("{uri} could not be called: {error}");
        let mut answer = Box::pin(self.inner.converse(&next, request)).await.map_err(failed)?;
        while answer.needs_input() {
            let Some(parts) = next.watch.answer_questions(next.called_agent(), &answer).await else {
                return Err(format!("{uri} needs input that is not available here: {}", answer.text));
            };
            answer = Box::pin(self.inner.resume(&next, answer, parts)).await.map_err(failed)?;
        }
        match answer.state {
            TaskState::Completed => Ok(SamplingResult {
                text: answer.text,
                model: format!("a2a-agent/{}", self.inner.title(&name)),
                task: answer.task,
                context: Some(answer.context).filter(|context| !context.is_empty()),
            }),
            state => {
                let reason = if answer.text.is_empty() { "it gave no reason" } else { &answer.text };
                Err(format!("{uri} did not complete the work, which is {} there: {reason}", state.as_str()))
            }
        }
    }
}
