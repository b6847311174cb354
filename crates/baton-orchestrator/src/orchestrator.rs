//! The orchestrator: calls agents and runs their tools.

use crate::{
    AgentAnswer, OrchestrateError, OrchestrationObserver, OrchestratorLimits, QuestionReply,
    answer::replies_part,
    inner::{OrchestratorCore, OrchestratorSettings},
    message::message,
    observer::SilentObserver,
    peer_conversation::PeerConversation,
};
use baton_peers::PeerConfig;
use baton_ports::PeerRegistryError;
use baton_telemetry::{
    OpenSpan, Tracer, current_span,
    names::{self, operation},
};
use baton_types::{AgentName, Message, Part, SpanKind, TraceContext};
use baton_wire::a2a::v1::Task;
use std::sync::{Arc, OnceLock};

/// Calls remote agents and runs the tools that they delegate to their callers, until there is an answer; cheap to
/// clone.
///
/// An agent is called in the binding and version of A2A that its card offers. Tools that it requests are called in its
/// Environment, over MCP. When such a tool hands work to another agent, that agent is called in the same way if it is
/// allowed: agents allowed explicitly, and without a credential those on the origin of the first agent.
#[derive(Clone, Default)]
pub struct Orchestrator {
    settings: OrchestratorSettings,
    limits: OrchestratorLimits,
    inner: Arc<OnceLock<Result<OrchestratorCore, OrchestrateError>>>,
}

impl Orchestrator {
    /// Default limits, no credentials, and no agents allowed except those on the origin of the called agent.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: OrchestratorLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sends this bearer token to the agent at an address and to its Environment: `env://NAME` or `file://PATH`, read
    /// when needed.
    pub fn bearer(self, url: &str, token: &str) -> Result<Self, OrchestrateError> {
        let secret = token.parse().map_err(|error: baton_peers::SecretError| PeerRegistryError {
            code: error.code(),
            detail: error.to_string(),
        })?;
        Ok(self.peer(PeerConfig { credential: baton_peers::Credential::Bearer(secret), ..PeerConfig::at(url) }))
    }

    /// Configures the agent at this address. Other agents can hand work to it only if it is also allowed.
    #[must_use]
    pub fn peer(mut self, config: PeerConfig) -> Self {
        self.settings.peers.push(config);
        self.reset()
    }

    /// Allows handoffs to the agent at this address, with its configured credential; an address without a path, such as
    /// `http://localhost:10000`, allows every agent there.
    #[must_use]
    pub fn allow(mut self, url: impl Into<String>) -> Self {
        self.settings.allowed.push(url.into());
        self.reset()
    }

    /// Allows handoffs between agents on this machine that need no credential.
    #[must_use]
    pub fn allow_neighbours(mut self) -> Self {
        self.settings.allow_local_agents = true;
        self.reset()
    }

    /// Records spans with this tracer.
    #[must_use]
    pub fn tracer(mut self, tracer: Tracer) -> Self {
        self.settings.tracer = tracer;
        self.reset()
    }

    /// Calls the agent at an address, and waits until it has answered or needs input.
    pub async fn ask(&self, url: &str, text: &str) -> Result<AgentAnswer, OrchestrateError> {
        self.send(url, message(vec![Part::text(text)]), &SilentObserver).await
    }

    /// Sends a message and reports events to `watch`; continues the task and conversation that the message names.
    pub async fn send(
        &self,
        url: &str,
        message: Message,
        watch: &dyn OrchestrationObserver,
    ) -> Result<AgentAnswer, OrchestrateError> {
        let inner = self.inner()?;
        let name = inner.register(url)?;
        let span = self.start_request_span(&name);
        let asking = self.conversation(&name, url, watch, span.context());
        let (task, context) = (message.task.as_ref().map(ToString::to_string), message.context.clone());
        let message = Message { task: None, context: None, ..message };
        let request = asking.request(message, task, context.map(|context| context.to_string()));
        end_span(span, self.with_deadline(url, inner.converse(&asking, request)).await)
    }

    /// Answers the questions and waits for the outcome.
    pub async fn reply(
        &self,
        answer: AgentAnswer,
        replies: impl IntoIterator<Item = QuestionReply>,
    ) -> Result<AgentAnswer, OrchestrateError> {
        self.resume(answer, vec![replies_part(replies.into_iter().collect())], &SilentObserver).await
    }

    /// Answers with text and waits for the outcome.
    pub async fn say(&self, answer: AgentAnswer, text: &str) -> Result<AgentAnswer, OrchestrateError> {
        self.resume(answer, vec![Part::text(text)], &SilentObserver).await
    }

    /// Answers with these parts and reports events to `watch`.
    pub async fn resume(
        &self,
        answer: AgentAnswer,
        parts: Vec<Part>,
        watch: &dyn OrchestrationObserver,
    ) -> Result<AgentAnswer, OrchestrateError> {
        let url = answer.agent.clone();
        let inner = self.inner()?;
        let name = inner.register(&url)?;
        let span = self.start_request_span(&name);
        let asking = self.conversation(&name, &url, watch, span.context());
        end_span(span, self.with_deadline(&url, inner.resume(&asking, answer, parts)).await)
    }

    /// The current state of a task at the agent, complete.
    pub async fn task(&self, url: &str, task: &str) -> Result<Task<'static>, OrchestrateError> {
        let inner = self.inner()?;
        let client = inner.client(&inner.register(url)?).await?;
        let unreachable_peer = |error: baton_peers::CallError| PeerRegistryError {
            code: baton_types::ErrorCode::PEER_UNREACHABLE,
            detail: error.to_string(),
        };
        Ok(client.get(task).await.map_err(unreachable_peer)?)
    }

    /// Resets the shared state, so that nothing from other settings is used.
    fn reset(mut self) -> Self {
        self.inner = Arc::default();
        self
    }

    fn inner(&self) -> Result<&OrchestratorCore, OrchestrateError> {
        self.inner.get_or_init(|| OrchestratorCore::new(self.settings.clone())).as_ref().map_err(Clone::clone)
    }

    /// Starts the span of a request.
    fn start_request_span(&self, agent: &AgentName) -> OpenSpan {
        let tracer = &self.settings.tracer;
        let name = if tracer.is_on() { format!("{} {agent}", operation::INVOKE_AGENT) } else { String::new() };
        let mut span = tracer.start(SpanKind::Client, name, current_span());
        span.set(names::GEN_AI_OPERATION_NAME, operation::INVOKE_AGENT);
        span.set_with(names::GEN_AI_AGENT_NAME, || agent.as_str().to_owned());
        span
    }

    fn conversation<'a>(
        &'a self,
        name: &'a AgentName,
        url: &'a str,
        watch: &'a dyn OrchestrationObserver,
        trace: Option<TraceContext>,
    ) -> PeerConversation<'a> {
        PeerConversation { name, url, depth: 0, limits: &self.limits, watch, parent: None, trace }
    }

    async fn with_deadline(
        &self,
        url: &str,
        work: impl Future<Output = Result<AgentAnswer, OrchestrateError>> + Send,
    ) -> Result<AgentAnswer, OrchestrateError> {
        let within = self.limits.deadline;
        let late = OrchestrateError::Deadline { agent: url.to_owned(), within };
        tokio::time::timeout(within, Box::pin(work)).await.unwrap_or(Err(late))
    }
}

/// Ends the span with the result.
fn end_span(
    mut span: OpenSpan,
    answered: Result<AgentAnswer, OrchestrateError>,
) -> Result<AgentAnswer, OrchestrateError> {
    match &answered {
        Ok(answer) => {
            span.set_with(names::GEN_AI_CONVERSATION_ID, || answer.context.clone());
            span.set_some(names::A2A_TASK_ID, answer.task.clone());
        }
        Err(error) => span.fail(error.code().code, error.code().title),
    }
    answered
}

impl std::fmt::Debug for Orchestrator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Orchestrator").field("limits", &self.limits).finish_non_exhaustive()
    }
}
