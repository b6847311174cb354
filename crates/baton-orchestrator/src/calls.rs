//! Runs the tools that an agent delegates to its caller.

use crate::{
    AgentAnswer, AgentQuestion, OrchestrateError, answer::question_text, inner::OrchestratorCore,
    peer_conversation::PeerConversation, sampling_helper::AgentSamplingHelper,
};
use baton_outbound::EnvironmentRegistry as _;
use baton_peers::SettledTask;
use baton_ports::{
    AgentSource as _, ServerState, ServerStatus, ToolHost as _, ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_rules::{parse_own_tool_calls, results_part};
use baton_telemetry::{
    OpenSpan,
    names::{self, operation},
};
use baton_types::{
    AgentSpec, AnswerAction, Effects, Json, McpServer, McpTool, Part, PartContent, Permission, Principal, QuestionKind,
    SpanKind, TaskId, TaskState, ToolAnswer, ToolAnswers, ToolCall, ToolInputRequest, ToolQuestion, ToolResult,
    ToolRunner, ToolSpec,
};
use futures_util::future::join_all;
use serde::Deserialize;
use tokio::sync::Semaphore;

/// Calls of one round: finished calls, and calls whose tools need input.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingCalls {
    done: Vec<ToolResult>,
    waiting: Vec<(ToolCall, ToolInputRequest)>,
}

/// Tool calls that an agent requests.
pub(crate) fn requested_calls(settled: &SettledTask) -> Vec<ToolCall> {
    match (&settled.outcome.state, &settled.outcome.message, &settled.task) {
        (TaskState::InputRequired, Some(message), Some(_)) => parse_own_tool_calls(message),
        _ => Vec::new(),
    }
}

impl PendingCalls {
    /// The results as one message; `None` while calls need input.
    pub(crate) fn results(&self) -> Option<Vec<Part>> {
        self.waiting.is_empty().then(|| vec![results_part(&self.done)])
    }

    /// The agent's last state, with the questions of its tools.
    pub(crate) fn into_answer(self, agent: &str, settled: SettledTask) -> AgentAnswer {
        let questions: Vec<AgentQuestion> = self.waiting.iter().flat_map(|(call, ask)| questions(call, ask)).collect();
        AgentAnswer {
            text: question_text(&questions),
            questions,
            pending: Some(self),
            ..AgentAnswer::from_settled(agent, settled)
        }
    }

    /// Matches the parts to the waiting calls; all questions of a call must be answered together.
    fn match_answers(&self, parts: &[Part]) -> Result<Vec<(ToolCall, ToolAnswers)>, OrchestrateError> {
        let responses: Vec<ToolResponseEntry> = parts.iter().filter_map(responses).flatten().collect();
        let text = parts.iter().find_map(|part| match &part.content {
            PartContent::Text(text) if !text.trim().is_empty() => Some(text.trim()),
            _ => None,
        });
        let alone = self.waiting.len() == 1;
        let mut answered = Vec::new();
        for (call, ask) in &self.waiting {
            let mut answers = Vec::new();
            for question in &ask.questions {
                let sole = (alone, ask.questions.len() == 1);
                let response = responses.iter().find(|response| response.is_about(call, &question.key, sole));
                let answer = match (response, text, self.waiting.as_slice()) {
                    (Some(response), ..) => response.answer(question)?,
                    (None, Some(text), [(_, only)]) if only.questions.len() == 1 => {
                        parse_text_answer(&question.key, text)
                    }
                    _ => {
                        let detail = format!("'{}' also asks '{}', which is not answered", call.name, question.message);
                        return Err(OrchestrateError::InvalidAnswer(detail));
                    }
                };
                answers.push(answer);
            }
            answered.push((call.clone(), ToolAnswers { answers, state: ask.state.clone() }));
        }
        Ok(answered)
    }
}

impl OrchestratorCore {
    /// Runs calls for an agent concurrently.
    pub(crate) async fn run(
        &self,
        asking: &PeerConversation<'_>,
        settled: &SettledTask,
        calls: Vec<ToolCall>,
    ) -> Result<PendingCalls, OrchestrateError> {
        let limit = asking.limits.calls;
        if calls.len() > limit {
            self.cancel_task(asking, settled.task.as_deref()).await;
            let (agent, task) = (asking.url.to_owned(), settled.task.clone());
            return Err(OrchestrateError::Calls { agent, task, calls: calls.len(), limit });
        }
        let spec = self.wait_until_ready(asking, settled).await?;
        let calls = calls.into_iter().map(|call| (call, None)).collect();
        Ok(self.run_all(asking, &spec, settled.task.as_deref(), PendingCalls::default(), calls).await)
    }

    /// Resumes calls whose tools needed input.
    pub(crate) async fn resume_calls(
        &self,
        asking: &PeerConversation<'_>,
        settled: &SettledTask,
        pending: PendingCalls,
        parts: &[Part],
    ) -> Result<PendingCalls, OrchestrateError> {
        let calls = pending.match_answers(parts)?.into_iter().map(|(call, answers)| (call, Some(answers))).collect();
        let spec = self.wait_until_ready(asking, settled).await?;
        let rest = PendingCalls { waiting: Vec::new(), ..pending };
        Ok(self.run_all(asking, &spec, settled.task.as_deref(), rest, calls).await)
    }

    async fn run_all(
        &self,
        asking: &PeerConversation<'_>,
        spec: &AgentSpec,
        task: Option<&str>,
        mut pending: PendingCalls,
        calls: Vec<(ToolCall, Option<ToolAnswers>)>,
    ) -> PendingCalls {
        let permits = Semaphore::new(asking.limits.concurrent_calls.max(1));
        let (task, permits) = (&task.map(|task| TaskId::from(task.to_owned())), &permits);
        let running = calls.into_iter().map(|(call, answers)| async move {
            // The semaphore is never closed.
            let _permit = permits.acquire().await;
            let outcome = self.run_one(asking, spec, task.as_ref(), &call, answers.as_ref()).await;
            (call, outcome)
        });
        for (call, outcome) in join_all(running).await {
            match outcome {
                ToolOutcome::Done(ToolOutput { output, is_error }) => {
                    pending.done.push(ToolResult { call: call.id, name: call.name, output, is_error });
                }
                ToolOutcome::InputRequired(ask) => pending.waiting.push((call, ask)),
            }
        }
        pending
    }

    async fn run_one(
        &self,
        asking: &PeerConversation<'_>,
        spec: &AgentSpec,
        task: Option<&TaskId>,
        call: &ToolCall,
        answers: Option<&ToolAnswers>,
    ) -> ToolOutcome {
        let mut span = self.start_call_span(asking, call);
        let helper = AgentSamplingHelper { inner: self, conversation: asking, trace: span.context(), task };
        let trace = span.context().map(|context| context.to_string());
        let run = ToolInvocation {
            agent: spec,
            tool: &tool(call),
            call,
            principal: &Principal::local(),
            task,
            trace: trace.as_deref(),
            answers,
            helper: &helper,
        };
        asking.watch.on_tool_call(asking.called_agent(), call);
        let outcome = self.tools.call(run).await;
        if let ToolOutcome::Done(output) = &outcome {
            if output.is_error {
                span.fail("tool_error", "");
            }
            asking.watch.on_tool_result(asking.called_agent(), call, output);
        }
        outcome
    }

    /// Starts the span of one call.
    fn start_call_span(&self, asking: &PeerConversation<'_>, call: &ToolCall) -> OpenSpan {
        let tracer = &self.settings.tracer;
        let name = if tracer.is_on() { format!("{} {}", operation::EXECUTE_TOOL, call.name) } else { String::new() };
        let mut span = tracer.start(SpanKind::Internal, name, asking.trace);
        span.set(names::GEN_AI_OPERATION_NAME, operation::EXECUTE_TOOL);
        span.set_with(names::GEN_AI_TOOL_NAME, || call.name.clone());
        span.set_with(names::GEN_AI_TOOL_CALL_ID, || call.id.as_str().to_owned());
        span.set_with(names::GEN_AI_AGENT_NAME, || asking.name.as_str().to_owned());
        span
    }

    /// The agent, after its Environment is ready.
    async fn wait_until_ready(
        &self,
        asking: &PeerConversation<'_>,
        settled: &SettledTask,
    ) -> Result<std::sync::Arc<AgentSpec>, OrchestrateError> {
        let missing = |reason: String| OrchestrateError::NoEnvironment {
            agent: asking.url.to_owned(),
            url: self.registry.environment_url(asking.name).unwrap_or_else(|| "an unknown address".to_owned()),
            task: settled.task.clone(),
            reason,
        };
        let spec =
            self.registry.agent(asking.name).ok_or_else(|| missing("the agent is no longer known".to_owned()))?;
        let tools = &self.tools;
        if status(&tools.servers(asking.name)).is_some_and(|status| status.state == ServerState::Failed) {
            tools.mcp().reconnect(asking.name, McpServer::ENVIRONMENT);
        }
        // Listing starts the server and waits for it.
        drop(tools.available_tools(&spec, asking.limits.environment_timeout).await);
        match status(&tools.servers(asking.name)) {
            Some(ServerStatus { state: ServerState::Ready, .. }) => Ok(spec),
            Some(status) => Err(missing(status.reason.clone().unwrap_or_else(|| "it does not answer".to_owned()))),
            None => Err(missing("its card has no URL".to_owned())),
        }
    }
}

fn status(servers: &[ServerStatus]) -> Option<&ServerStatus> {
    servers.iter().find(|status| status.name == McpServer::ENVIRONMENT)
}

/// Tool spec from the name that the agent used; the Environment decides on arguments and permissions.
fn tool(call: &ToolCall) -> ToolSpec {
    ToolSpec {
        name: call.name.clone(),
        description: String::new(),
        parameters: serde_json::json!({}).into(),
        effects: Effects::Unknown,
        runner: ToolRunner::Mcp(McpTool { server: McpServer::ENVIRONMENT.to_owned(), tool: call.name.clone() }),
        output: None,
        permission: Permission::Allow,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    }
}

fn questions<'a>(call: &'a ToolCall, ask: &'a ToolInputRequest) -> impl Iterator<Item = AgentQuestion> + 'a {
    ask.questions.iter().map(|question| AgentQuestion {
        task: None,
        call: Some(call.id.to_string()),
        key: Some(question.key.clone()),
        agent: None,
        tool: Some(call.name.clone()),
        message: question.message.clone(),
        wants: Some(question.wants.clone()),
        arguments: matches!(question.wants, QuestionKind::Approval).then(|| call.arguments.clone()),
        digest: None,
    })
}

#[derive(Deserialize)]
struct ToolResponsePart {
    input_responses: Vec<ToolResponseEntry>,
}

#[derive(Deserialize)]
struct ToolResponseEntry {
    call_id: Option<String>,
    key: Option<String>,
    action: Option<AnswerAction>,
    decision: Option<String>,
    content: Option<Json>,
}

fn responses(part: &Part) -> Option<Vec<ToolResponseEntry>> {
    match &part.content {
        PartContent::Data(data) if data.is_object() => Some(data.read::<ToolResponsePart>().ok()?.input_responses),
        _ => None,
    }
}

impl ToolResponseEntry {
    /// Ids are optional where they are unambiguous: the call id if one call waits, the key if the call has one
    /// question.
    fn is_about(&self, call: &ToolCall, key: &str, (only_call, only_question): (bool, bool)) -> bool {
        self.call_id.as_deref().map_or(only_call, |id| id == call.id.as_str())
            && self.key.as_deref().map_or(only_question, |it| it == key)
    }

    fn answer(&self, question: &ToolQuestion) -> Result<ToolAnswer, OrchestrateError> {
        let action = match (self.action, self.decision.as_deref()) {
            (Some(action), None) => action,
            (None, Some("deny")) => AnswerAction::Decline,
            (None, Some("allow_session")) => AnswerAction::AcceptForSession,
            (None, Some("allow_once")) => AnswerAction::Accept,
            // Approval must be explicit.
            (None, None) if question.wants != QuestionKind::Approval => AnswerAction::Accept,
            _ => {
                let detail = format!("'{}' needs a decision: allow_once, allow_session or deny", question.message);
                return Err(OrchestrateError::InvalidAnswer(detail));
            }
        };
        Ok(ToolAnswer { key: question.key.clone(), action, content: self.content.clone() })
    }
}

fn parse_text_answer(key: &str, text: &str) -> ToolAnswer {
    let content = Json::parse(text).ok().filter(Json::is_object);
    let action = match text.to_ascii_lowercase().as_str() {
        _ if content.is_some() => AnswerAction::Accept,
        "yes" | "y" | "ok" | "allow" => AnswerAction::Accept,
        "always" => AnswerAction::AcceptForSession,
        _ => AnswerAction::Decline,
    };
    ToolAnswer { key: key.to_owned(), action, content }
}
