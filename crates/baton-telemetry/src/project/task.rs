//! Spans of a task: runs, model calls, tool calls and questions.

use super::{
    calls::{OpenCall, OpenQuestion, decision},
    context::set_request_context,
    messages::{entry, message_json, response},
    span_draft::{SpanDraft, nanos, span_event},
};
use crate::{
    SpanOrigin, ids,
    names::{self, operation},
};
use baton_types::{
    AgentName, Attributes, ContextId, Digest, FailureReason, KnownProvider, Message, MessageId, ModelNote, ParentLink,
    QuestionKind, RequestContext, RunId, Span, SpanEvent, SpanId, SpanKind, SpanLink, TaskEvent, TaskId, TaskState,
    Timestamp, ToolCall, TraceContext, Usage,
};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// Span attributes of the model in a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelLabel {
    /// `gen_ai.provider.name`.
    pub provider: String,
    /// `gen_ai.request.model`.
    pub model: String,
    /// URL of the agent, if it is remote.
    pub remote_url: Option<String>,
}

impl ModelLabel {
    /// Parses the model name of a response: `playbook`, or `provider:model`.
    pub fn parse(name: &str) -> Self {
        let (provider, model) = match name.split_once(':') {
            Some((provider, model)) => (KnownProvider::convention(provider), model),
            None => ("baton", name),
        };
        Self { provider: provider.to_owned(), model: model.to_owned(), remote_url: None }
    }
}

/// Projection of one task to spans.
#[derive(Clone, Debug)]
pub struct TaskSpans {
    pub(super) task: TaskId,
    agent: AgentName,
    context: ContextId,
    parent: Option<ParentLink>,
    input: Option<Message>,
    pub(super) run: Option<OpenRun>,
    attempt: Option<OpenAttempt>,
    pub(super) calls: Vec<OpenCall>,
    pub(super) questions: Vec<OpenQuestion>,
    ended: bool,
    /// Model input so far, if content is captured.
    messages: Vec<Value>,
    /// Request context of the last model call.
    request: Option<RequestContext>,
}

#[derive(Clone, Debug)]
pub(super) struct OpenRun {
    pub(super) id: RunId,
    start: u64,
    pub(super) context: TraceContext,
    parent: Option<SpanId>,
    pub(super) label: Option<ModelLabel>,
    pub(super) turn: u32,
    pub(super) usage: Usage,
    pub(super) model_calls: u64,
    /// Tool calls that were executed and have ended.
    pub(super) tool_calls: u64,
    events: Vec<SpanEvent>,
    answered: Option<Message>,
}

#[derive(Clone, Debug)]
struct OpenAttempt {
    message: MessageId,
    turn: u32,
    attempt: u32,
    start: u64,
}

/// Maximum number of input messages on spans of model calls.
const MAX_INPUT_MESSAGES: usize = 256;

/// Maximum number of events on the span of a run.
const MAX_RUN_EVENTS: usize = 64;

/// Journal metadata of one event.
#[derive(Clone, Copy, Debug)]
pub struct EventMetadata<'a> {
    /// Sequence number in the task.
    pub number: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Trace context (`traceparent`) in effect.
    pub trace: Option<&'a str>,
}

impl TaskSpans {
    /// Starts with the first event of a task.
    pub fn submitted(task: &TaskId, event: &TaskEvent) -> Option<Self> {
        let TaskEvent::Submitted { context, agent, parent, .. } = event else { return None };
        Some(Self {
            task: task.clone(),
            agent: agent.clone(),
            context: context.clone(),
            parent: parent.clone(),
            input: None,
            run: None,
            attempt: None,
            calls: Vec::new(),
            questions: Vec::new(),
            ended: false,
            messages: Vec::new(),
            request: None,
        })
    }

    /// Whether the task has ended.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether no run, call or question is open.
    pub fn is_idle(&self) -> bool {
        self.run.is_none() && self.calls.is_empty() && self.questions.is_empty()
    }

    /// Applies the next event and appends the spans that ended with it. `label` resolves the models of definitions.
    pub fn apply(
        &mut self,
        metadata: EventMetadata<'_>,
        event: &TaskEvent,
        label: impl Fn(&Digest) -> Option<ModelLabel>,
        origin: &SpanOrigin,
        out: &mut Vec<Span>,
    ) {
        let at = metadata.at;
        match event {
            TaskEvent::ArtifactEmitted { .. } | TaskEvent::PeerSendStarted { .. } => {}
            TaskEvent::ContextSelected { request, warning, .. } => {
                self.request = Some(request.clone());
                if let Some(warning) = warning {
                    self.note_with(
                        at,
                        "context.warning",
                        vec![(names::CONTEXT_WARNING.into(), warning.clone().into())],
                    );
                }
            }
            TaskEvent::Submitted { message, .. } => self.record_input(message, origin),
            TaskEvent::MessageReceived { message, results } => {
                self.record_input(message, origin);
                for result in results {
                    self.finish_call(at, result, origin, out);
                }
            }
            TaskEvent::RunStarted { run, agent, .. } => {
                self.end_run(at, None, None, origin, out);
                let caller_context = metadata.trace.and_then(TraceContext::parse);
                self.run = Some(OpenRun {
                    id: run.clone(),
                    start: nanos(at),
                    context: ids::run_context(caller_context, &self.task, run),
                    parent: caller_context.map(|caller| caller.span),
                    label: label(agent),
                    turn: 0,
                    usage: Usage::default(),
                    model_calls: 0,
                    tool_calls: 0,
                    events: Vec::new(),
                    answered: None,
                });
            }
            TaskEvent::RunResumed { .. } => self.note(at, "run.resumed"),
            TaskEvent::RunPaused { .. } => self.note(at, "run.paused"),
            TaskEvent::ModelNoted { note } => {
                self.note(at, note.as_str());
                match note {
                    ModelNote::Repaired { usage, .. } => {
                        self.end_attempt(at, AttemptOutcome::Discarded(None, *usage), origin, out);
                    }
                    // Without an open model call, tools are running and the usage is theirs.
                    ModelNote::Used { model, usage, .. } if self.attempt.is_some() => {
                        self.end_attempt(at, AttemptOutcome::Discarded(Some(model), *usage), origin, out);
                    }
                    ModelNote::Used { model, usage, .. } => {
                        self.add_extra_call(metadata, Some(model), *usage, origin, out);
                    }
                    ModelNote::Retried { .. } | ModelNote::FellBack { .. } | ModelNote::Rescued { .. } => {}
                }
            }
            TaskEvent::RunOptionsSet { .. } | TaskEvent::TextFlushed { .. } | TaskEvent::ReasoningProduced { .. } => {}
            TaskEvent::Compacted { compaction } => {
                self.note(at, "conversation.compacted");
                self.add_extra_call(metadata, None, compaction.usage, origin, out);
            }
            TaskEvent::GuardrailChecked { .. } => self.note(at, "guardrail.asked"),
            TaskEvent::AttemptStarted { message, turn, attempt } => {
                self.end_attempt(at, AttemptOutcome::Interrupted, origin, out);
                self.calls.clear();
                if let Some(run) = &mut self.run {
                    run.turn = *turn;
                }
                let (message, turn, attempt) = (message.clone(), *turn, *attempt);
                self.attempt = Some(OpenAttempt { message, turn, attempt, start: nanos(at) });
            }
            TaskEvent::ToolsCalled { message, calls, usage } => {
                self.end_attempt(at, AttemptOutcome::Called(message, calls, *usage), origin, out);
                self.record_message(origin, || entry(message, calls));
                self.calls.extend(calls.iter().map(|call| OpenCall::new(call, at)));
            }
            TaskEvent::Answered { message, usage } => {
                self.end_attempt(at, AttemptOutcome::Answered(message, *usage), origin, out);
                if let Some(run) = &mut self.run {
                    run.answered = origin.settings.content.on_spans().then(|| message.clone());
                }
            }
            TaskEvent::ToolStarted { call, server, .. } => {
                self.begin_call(at, call, None);
                if let Some(call) = self.calls.iter_mut().find(|open| open.id == *call) {
                    call.server.clone_from(server);
                }
            }
            TaskEvent::HandoffSent { call, handoff, .. } => self.begin_call(at, call, Some(handoff)),
            TaskEvent::ToolInputRequested { call, ask } => {
                self.end_call_span(at, call, "asks", origin, out);
                let approval = ask.questions.iter().any(|question| question.wants == QuestionKind::Approval);
                let (call, number, start, count) = (call.clone(), metadata.number, nanos(at), ask.questions.len());
                if let Some(run) = &self.run {
                    self.questions.push(OpenQuestion { call, number, start, run: run.context, approval, count });
                }
            }
            TaskEvent::ToolInputReceived { call, answers } => {
                // A call that asked a question has already ended its span; any other call was interrupted and runs
                // again.
                self.end_call_span(at, call, "cut_off", origin, out);
                let decision = decision(answers.answers.iter().map(|answer| answer.action));
                self.end_question(at, call, decision, origin, out);
            }
            TaskEvent::HandoffInputRequested { .. } => self.note(at, "handoff.input_required"),
            TaskEvent::HandoffInputReceived { .. } => self.note(at, "handoff.input_provided"),
            TaskEvent::PeerAttached { .. } => self.note(at, "peer.attached"),
            TaskEvent::ToolFinished { result } => {
                self.record_message(origin, || response(result));
                self.finish_call(at, result, origin, out);
            }
            TaskEvent::StatusChanged { state, reason, .. } => {
                if state.is_terminal() || state.is_interrupted() {
                    self.end_run(at, Some(*state), reason.as_ref(), origin, out);
                }
                if state.is_terminal() {
                    self.abandon(at, origin, out);
                    self.ended = true;
                }
            }
        }
    }

    fn record_input(&mut self, message: &Message, origin: &SpanOrigin) {
        self.input = origin.settings.content.on_spans().then(|| message.clone());
        self.record_message(origin, || entry(message, &[]));
    }

    fn record_message(&mut self, origin: &SpanOrigin, message: impl FnOnce() -> Value) {
        if origin.settings.content.on_spans() && self.messages.len() < MAX_INPUT_MESSAGES {
            self.messages.push(message());
        }
    }

    fn note(&mut self, at: Timestamp, name: &'static str) {
        self.note_with(at, name, Vec::new());
    }

    fn note_with(&mut self, at: Timestamp, name: &'static str, attributes: Attributes) {
        if let Some(run) = &mut self.run
            && run.events.len() < MAX_RUN_EVENTS
        {
            run.events.push(span_event(at, name, attributes));
        }
    }

    /// Draft with the attributes of all spans of the task.
    pub(super) fn draft(
        &self,
        name: impl Into<Cow<'static, str>>,
        kind: SpanKind,
        context: TraceContext,
        parent: Option<SpanId>,
    ) -> SpanDraft {
        let mut draft = SpanDraft::new(name, kind, context, parent);
        draft.set(names::AGENT_ID, self.agent.as_str().to_owned());
        draft.set(names::GEN_AI_AGENT_NAME, self.agent.as_str().to_owned());
        draft.set(names::AGENT_SESSION_ID, self.context.as_str().to_owned());
        draft.set(names::TASK_ID, self.task.as_str().to_owned());
        draft
    }

    fn end_run(
        &mut self,
        at: Timestamp,
        state: Option<TaskState>,
        reason: Option<&FailureReason>,
        origin: &SpanOrigin,
        out: &mut Vec<Span>,
    ) {
        self.end_attempt(at, AttemptOutcome::Interrupted, origin, out);
        let Some(mut run) = self.run.take() else { return };
        let elsewhere = run.label.as_ref().and_then(|label| label.remote_url.clone());
        let kind = if elsewhere.is_some() { SpanKind::Client } else { SpanKind::Internal };
        let name = format!("{} {}", operation::INVOKE_AGENT, self.agent);
        let mut draft = self.draft(name, kind, run.context, run.parent).between(run.start, nanos(at));
        draft.set(names::GEN_AI_OPERATION_NAME, operation::INVOKE_AGENT);
        draft.set(names::RUN_ID, run.id.as_str().to_owned());
        if let Some(label) = &run.label {
            draft.set(names::GEN_AI_PROVIDER_NAME, label.provider.clone());
            if elsewhere.is_none() {
                draft.set(names::GEN_AI_REQUEST_MODEL, label.model.clone());
            }
        }
        if elsewhere.is_none() {
            draft.set(names::RUN_MODEL_CALLS, run.model_calls);
            draft.set(names::RUN_TOOL_CALLS, run.tool_calls);
        }
        if let Some(url) = elsewhere {
            let (host, port) = authority(&url);
            draft.set(names::SERVER_ADDRESS, host);
            if let Some(port) = port {
                draft.set(names::SERVER_PORT, i64::from(port));
            }
        }
        if run.usage != Usage::default() {
            usage(&mut draft, run.usage);
        }
        if let Some(link) = &self.parent {
            draft.set(names::HANDOFF_ID, link.handoff.as_str().to_owned());
            if let Some(sender) = run.parent {
                draft.links.push(SpanLink {
                    trace: run.context.trace,
                    span: sender,
                    trace_state: String::new(),
                    attributes: vec![(names::LINK_RELATIONSHIP.into(), "handoff".into())],
                    dropped_attributes: 0,
                    flags: 1,
                });
            }
        }
        if let Some(state) = state {
            draft.set(names::TASK_STATE, state.as_str());
        }
        match (state, reason) {
            (Some(TaskState::Failed | TaskState::Rejected), Some(reason)) => {
                draft.fail(reason.code.clone(), reason.detail.clone());
            }
            (Some(state @ (TaskState::Failed | TaskState::Rejected)), None) => {
                draft.fail(state.as_str(), format!("the task ended as {}", state.as_str()));
            }
            (None, _) => draft.fail("interrupted", "another run took the task over"),
            _ => {}
        }
        if origin.settings.content.on_spans() {
            if let Some(input) = self.input.take() {
                draft.set_text(names::GEN_AI_INPUT_MESSAGES, &message_json(&input, &[]));
            }
            if let Some(answered) = &run.answered {
                draft.set_text(names::GEN_AI_OUTPUT_MESSAGES, &message_json(answered, &[]));
            }
        }
        self.input = None;
        draft.events = std::mem::take(&mut run.events);
        out.push(draft.finish(origin));
    }

    fn end_attempt(&mut self, at: Timestamp, ended: AttemptOutcome<'_>, origin: &SpanOrigin, out: &mut Vec<Span>) {
        let Some(open) = self.attempt.take() else { return };
        let Some(run) = &mut self.run else { return };
        // A remote agent replaces the model: the run is its only span.
        if run.label.as_ref().is_some_and(|label| label.remote_url.is_some()) {
            return;
        }
        // Sessions and fallbacks can use a different model than the definition: the response names it.
        let label = match ended.model() {
            Some(answered) => ModelLabel::parse(&answered),
            None => run.label.clone().unwrap_or_default(),
        };
        let used = ended.usage();
        run.model_calls += 1;
        run.usage = run.usage.plus(used);
        let id = ids::attempt_span(&self.task, &open.message, open.attempt);
        let (context, parent) = (run.context.with_span(id), run.context.span);
        let name = match label.model.is_empty() {
            true => Cow::Borrowed(operation::CHAT),
            false => Cow::Owned(format!("{} {}", operation::CHAT, label.model)),
        };
        let mut draft = self.draft(name, SpanKind::Internal, context, Some(parent)).between(open.start, nanos(at));
        draft.set(names::GEN_AI_OPERATION_NAME, operation::CHAT);
        draft.set(names::GEN_AI_PROVIDER_NAME, label.provider);
        draft.set(names::GEN_AI_REQUEST_MODEL, label.model);
        draft.set(names::GEN_AI_RESPONSE_ID, open.message.as_str().to_owned());
        draft.set(names::RUN_TURN, open.turn);
        if open.attempt > 1 {
            draft.set(names::RUN_ATTEMPT, open.attempt);
        }
        if let Some(request) = &self.request {
            set_request_context(&mut draft, request);
        }
        if !self.messages.is_empty() {
            draft.set_text(names::GEN_AI_INPUT_MESSAGES, &Value::from(self.messages.clone()).to_string());
        }
        match ended {
            AttemptOutcome::Interrupted => draft.fail("interrupted", "the model call did not complete"),
            AttemptOutcome::Discarded(..) => set_completion(&mut draft, "stop", used),
            AttemptOutcome::Called(message, calls, _) => {
                set_completion(&mut draft, "tool_calls", used);
                if origin.settings.content.on_spans() {
                    draft.set_text(names::GEN_AI_OUTPUT_MESSAGES, &message_json(message, calls));
                }
            }
            AttemptOutcome::Answered(message, _) => {
                set_completion(&mut draft, "stop", used);
                if origin.settings.content.on_spans() {
                    draft.set_text(names::GEN_AI_OUTPUT_MESSAGES, &message_json(message, &[]));
                }
            }
        }
        out.push(draft.finish(origin));
    }
}

#[derive(Clone, Copy)]
enum AttemptOutcome<'a> {
    Called(&'a Message, &'a [ToolCall], Usage),
    Answered(&'a Message, Usage),
    /// The response was discarded; with the model, if known.
    Discarded(Option<&'a str>, Usage),
    Interrupted,
}

/// The part of the metadata of a response that spans show.
#[derive(Deserialize)]
struct ResponseMetadata {
    model: Option<String>,
}

impl AttemptOutcome<'_> {
    fn usage(&self) -> Usage {
        match self {
            Self::Called(_, _, usage) | Self::Answered(_, usage) | Self::Discarded(_, usage) => *usage,
            Self::Interrupted => Usage::default(),
        }
    }

    /// The responding model, as `provider:model`.
    fn model(&self) -> Option<String> {
        let message = match self {
            Self::Called(message, ..) | Self::Answered(message, _) => message,
            Self::Discarded(model, _) => return model.map(str::to_owned),
            Self::Interrupted => return None,
        };
        let metadata = message.metadata.as_ref().filter(|metadata| metadata.as_str().contains("\"model\""))?;
        metadata.read::<ResponseMetadata>().ok()?.model
    }
}

pub(super) fn set_completion(draft: &mut SpanDraft, reason: &'static str, used: Usage) {
    draft.set(names::GEN_AI_RESPONSE_FINISH_REASONS, baton_types::SpanValue::List(vec![reason.into()]));
    usage(draft, used);
}

fn usage(draft: &mut SpanDraft, used: Usage) {
    draft.set(names::GEN_AI_USAGE_INPUT_TOKENS, used.input_tokens);
    draft.set(names::GEN_AI_USAGE_OUTPUT_TOKENS, used.output_tokens);
    let further = [
        (names::GEN_AI_USAGE_CACHE_READ, used.cached_tokens),
        (names::GEN_AI_USAGE_CACHE_CREATION, used.cache_write_tokens),
        (names::GEN_AI_USAGE_REASONING, used.reasoning_tokens),
    ];
    for (name, tokens) in further.into_iter().filter(|(_, tokens)| *tokens > 0) {
        draft.set(name, tokens);
    }
}

/// Host and port of a URL; other text is taken as a host.
fn authority(url: &str) -> (String, Option<u16>) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match authority.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?))) {
        Some((host, port)) => (host.to_owned(), Some(port)),
        None => (authority.to_owned(), None),
    }
}
