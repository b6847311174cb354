//! Who asks agents and runs their tools.

use crate::{
    Answer, Limits, OrchestrateError, Reply, Watch,
    answer::replies_part,
    asking::Asking,
    inner::{Inner, Settings},
    watch::Nobody,
    words::message,
};
use baton_peers::PeerConfig;
use baton_ports::PeerBookError;
use baton_telemetry::{
    OpenSpan, Tracer, current,
    names::{self, operation},
};
use baton_types::{AgentName, Message, Part, SpanKind, TraceContext};
use baton_wire::a2a::v1::Task;
use std::sync::{Arc, OnceLock};

/// Asks agents elsewhere and runs the tools that they leave to their callers, until there is an answer; cheap to clone.
///
/// An agent is spoken to in whatever binding and version of A2A its card offers. When it wants tools to be run, they are
/// called in its Environment, over MCP. When such a tool hands work to another agent, that agent is asked in the same
/// way, if it is allowed: those are that were named, and without a credential those on the origin of the agent that was
/// asked first.
#[derive(Clone, Default)]
pub struct Orchestrator {
    settings: Settings,
    limits: Limits,
    inner: Arc<OnceLock<Result<Inner, OrchestrateError>>>,
}

impl Orchestrator {
    /// With the usual limits, no credentials, and nobody allowed beside those on the origin of whoever is asked.
    pub fn new() -> Self {
        Self::default()
    }

    /// With other limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Shows this bearer token to the agent at an address and to its Environment: `env://NAME` or `file://PATH`, read
    /// when it is needed.
    pub fn bearer(self, url: &str, token: &str) -> Result<Self, OrchestrateError> {
        let secret = token.parse().map_err(|error: baton_peers::SecretError| PeerBookError {
            code: error.code(),
            detail: error.to_string(),
        })?;
        Ok(self.peer(PeerConfig { credential: baton_peers::Credential::Bearer(secret), ..PeerConfig::at(url) }))
    }

    /// Reaches the agent at this address as its configuration says. Others hand work to it only if it is allowed, too.
    #[must_use]
    pub fn peer(mut self, config: PeerConfig) -> Self {
        self.settings.peers.push(config);
        self.anew()
    }

    /// Lets agents hand work to the agent at this address, with the credential that it is configured with; an address
    /// without a path, such as `http://localhost:10000`, means every agent there.
    #[must_use]
    pub fn allow(mut self, url: impl Into<String>) -> Self {
        self.settings.allowed.push(url.into());
        self.anew()
    }

    /// Lets agents on this machine hand work to other agents on this machine that need no credential.
    #[must_use]
    pub fn allow_neighbours(mut self) -> Self {
        self.settings.neighbours = true;
        self.anew()
    }

    /// Makes spans of what it does.
    #[must_use]
    pub fn tracer(mut self, tracer: Tracer) -> Self {
        self.settings.tracer = tracer;
        self.anew()
    }

    /// Asks the agent at an address, and waits until it has answered or somebody has to.
    pub async fn ask(&self, url: &str, text: &str) -> Result<Answer, OrchestrateError> {
        self.send(url, message(vec![Part::text(text)]), &Nobody).await
    }

    /// Sends a message, whose task and conversation are gone on with if it names any, and tells what happens.
    pub async fn send(&self, url: &str, message: Message, watch: &dyn Watch) -> Result<Answer, OrchestrateError> {
        let inner = self.inner()?;
        let name = inner.know(url)?;
        let span = self.begun(&name);
        let asking = self.asking(&name, url, watch, span.context());
        let (task, context) = (message.task.as_ref().map(ToString::to_string), message.context.clone());
        let message = Message { task: None, context: None, ..message };
        let words = asking.words(message, task, context.map(|context| context.to_string()));
        ended(span, self.within(url, inner.converse(&asking, words)).await)
    }

    /// Decides what was asked, and waits for what comes of it.
    pub async fn reply(
        &self,
        asked: Answer,
        replies: impl IntoIterator<Item = Reply>,
    ) -> Result<Answer, OrchestrateError> {
        self.go_on(asked, vec![replies_part(replies.into_iter().collect())], &Nobody).await
    }

    /// Answers a question in words, and waits for what comes of it.
    pub async fn say(&self, asked: Answer, text: &str) -> Result<Answer, OrchestrateError> {
        self.go_on(asked, vec![Part::text(text)], &Nobody).await
    }

    /// Answers what was asked with these parts, and tells what happens.
    pub async fn go_on(&self, asked: Answer, parts: Vec<Part>, watch: &dyn Watch) -> Result<Answer, OrchestrateError> {
        let url = asked.agent.clone();
        let inner = self.inner()?;
        let name = inner.know(&url)?;
        let span = self.begun(&name);
        let asking = self.asking(&name, &url, watch, span.context());
        ended(span, self.within(&url, inner.go_on(&asking, asked, parts)).await)
    }

    /// A task as the agent at an address has it now, whole.
    pub async fn task(&self, url: &str, task: &str) -> Result<Task<'static>, OrchestrateError> {
        let inner = self.inner()?;
        let client = inner.client(&inner.know(url)?).await?;
        let unreached = |error: baton_peers::CallError| PeerBookError {
            code: baton_types::ErrorCode::PEER_UNREACHABLE,
            detail: error.to_string(),
        };
        Ok(client.get(task).await.map_err(unreached)?)
    }

    /// Nothing that was known under other settings is used.
    fn anew(mut self) -> Self {
        self.inner = Arc::default();
        self
    }

    fn inner(&self) -> Result<&Inner, OrchestrateError> {
        self.inner.get_or_init(|| Inner::new(self.settings.clone())).as_ref().map_err(Clone::clone)
    }

    /// The span of everything that one question takes.
    fn begun(&self, agent: &AgentName) -> OpenSpan {
        let tracer = &self.settings.tracer;
        let name = if tracer.is_on() { format!("{} {agent}", operation::INVOKE_AGENT) } else { String::new() };
        let mut span = tracer.start(SpanKind::Client, name, current());
        span.set(names::GEN_AI_OPERATION_NAME, operation::INVOKE_AGENT);
        span.set_with(names::GEN_AI_AGENT_NAME, || agent.as_str().to_owned());
        span
    }

    fn asking<'a>(
        &'a self,
        name: &'a AgentName,
        url: &'a str,
        watch: &'a dyn Watch,
        trace: Option<TraceContext>,
    ) -> Asking<'a> {
        Asking { name, url, depth: 0, limits: &self.limits, watch, from: None, trace }
    }

    async fn within(
        &self,
        url: &str,
        work: impl Future<Output = Result<Answer, OrchestrateError>> + Send,
    ) -> Result<Answer, OrchestrateError> {
        let within = self.limits.deadline;
        let late = OrchestrateError::Deadline { agent: url.to_owned(), within };
        tokio::time::timeout(within, Box::pin(work)).await.unwrap_or(Err(late))
    }
}

/// The answer, with which the span ends.
fn ended(mut span: OpenSpan, answered: Result<Answer, OrchestrateError>) -> Result<Answer, OrchestrateError> {
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
