//! A turn executed by a remote agent: the message is sent once, and the remote answer becomes the answer of the task.
//!
//! The intent to send and the remote task are journaled, so a resumed run looks the message up at the remote agent
//! instead of sending it again.

use super::{Driver, Halt, model::MAX_CALLS};
use crate::end::TaskEnd;
use baton_ports::{PeerError, PeerEvent, PeerOutcome, PeerRequest, PeerStream};
use baton_rules::{TaskRecord, handoff_depth, is_tool_answer, parse_own_tool_calls};
use baton_types::{
    AgentSpec, ContextId, Digest, ErrorCode, FailureReason, Json, Message, MessageId, Part, Principal, Role, TaskEvent,
    TaskState, ToolCall, ToolExecution, Usage,
};
use futures_util::StreamExt;
use serde_json::json;
use std::{pin::pin, sync::Arc, time::Duration};

/// Maximum text published while it grows; the answer is complete regardless.
const MAX_LIVE_TEXT: usize = 4 * 1024 * 1024;

/// Maximum replacements of growing text. Each is a journal event, so a remote agent must not produce them without
/// limit; the answer is shown regardless.
const MAX_TEXT_REPLACEMENTS: u32 = 256;

/// Timeout for the Environment of a remote agent to provide its tools.
const ENVIRONMENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Result of a remote turn.
enum PeerTurnOutcome {
    Outcome(Box<PeerOutcome>),
    Failed(PeerError),
}

impl Driver {
    pub(super) async fn ask_peer(&self, spec: &Arc<AgentSpec>, turn: u32, attempt: u32) -> Result<(), Halt> {
        let (message, turn, attempt) = self.begin_attempt(turn, attempt)?;
        let already_sent = self.live.lock().task.run.as_ref().is_some_and(|run| run.asked.is_some());
        if !already_sent {
            let key = MessageId::from(self.inner.ports.ids.next_id());
            self.commit_synced(vec![TaskEvent::PeerSendStarted { message: key }], Vec::new()).await?;
        } else {
            self.flush();
        }
        let pending = {
            let cell = self.live.lock();
            let trace = cell.run_trace_context().map(|context| context.to_string().into());
            pending_peer_request(&cell.task, &self.live.owner, trace)
        };
        let Some((request, remote_task)) = pending else { return Ok(()) };
        let max_depth = self.inner.options.max_handoff_depth;
        if usize::try_from(request.depth).unwrap_or(usize::MAX) > max_depth.max(1) {
            let detail =
                format!("the work was handed over {} times already; {max_depth} is the limit", request.depth - 1);
            return self.fail_undelivered(ErrorCode::HANDOFF_REFUSED, detail).await;
        }
        let current = self.inner.ports.agents.agent(&spec.name);
        if current.is_some_and(|current| current.is_peer() && current.model.peer_url() != spec.model.peer_url()) {
            let detail = format!("the address of '{}' has changed since the work started", spec.name);
            return self.peer_failed(ErrorCode::PEER_FAILED, detail).await;
        }
        let mut deadline = pin!(self.until_deadline());
        let turn_outcome = tokio::select! {
            biased;
            () = self.live.cancel.cancelled() => return Err(Halt::Changed),
            () = self.inner.stopping.cancelled() => return Err(Halt::Stopping),
            result = self.run_peer_turn(spec, request, remote_task, already_sent, (&message, turn, attempt)) => result?,
            () = &mut deadline => return Err(Halt::Changed),
        };
        match turn_outcome {
            PeerTurnOutcome::Outcome(outcome) => self.apply_outcome(&message, spec, *outcome).await,
            PeerTurnOutcome::Failed(PeerError::InDoubt(detail)) if self.live.lock().task.autonomous => {
                self.peer_failed(ErrorCode::PEER_IN_DOUBT, detail).await
            }
            PeerTurnOutcome::Failed(PeerError::InDoubt(detail)) => self.ask_in_doubt(spec, &detail),
            PeerTurnOutcome::Failed(PeerError::Unreachable { code, detail }) => {
                self.fail_undelivered(code, detail).await
            }
            PeerTurnOutcome::Failed(PeerError::Refused(detail)) => {
                self.peer_failed(ErrorCode::PEER_FAILED, detail).await
            }
            PeerTurnOutcome::Failed(PeerError::Lost(detail)) => {
                self.peer_failed(ErrorCode::PEER_UNREACHABLE, detail).await
            }
        }
    }

    async fn run_peer_turn(
        &self,
        spec: &AgentSpec,
        request: PeerRequest,
        remote_task: Option<String>,
        already_sent: bool,
        text: (&MessageId, u32, u32),
    ) -> Result<PeerTurnOutcome, Halt> {
        let peers = &self.inner.ports.peers;
        let stream = match already_sent {
            true => peers.resume(&spec.name, request.clone(), remote_task).await,
            false => peers.send_message(&spec.name, request.clone()).await,
        };
        let turn_outcome = match stream {
            Ok(stream) => self.read_peer_stream(stream, text).await?,
            Err(error) => PeerTurnOutcome::Failed(error),
        };
        match (turn_outcome, request.task.clone()) {
            // The answer was late or invalid; the current state of the remote task decides.
            (PeerTurnOutcome::Failed(PeerError::Refused(reason)), Some(task)) => {
                tracing::info!(task = %self.live.id, why = %reason, "a remote agent rejected an answer");
                match peers.resume(&spec.name, request, Some(task)).await {
                    Ok(stream) => self.read_peer_stream(stream, text).await,
                    Err(error) => Ok(PeerTurnOutcome::Failed(error)),
                }
            }
            (turn_outcome, _) => Ok(turn_outcome),
        }
    }

    async fn read_peer_stream(
        &self,
        mut stream: PeerStream,
        text: (&MessageId, u32, u32),
    ) -> Result<PeerTurnOutcome, Halt> {
        let (message, turn, mut attempt) = text;
        let (mut shown, mut replaced) = (0_usize, 0);
        loop {
            match stream.next().await {
                Some(Ok(PeerEvent::Accepted { task, context })) => {
                    let is_accepted =
                        self.live.lock().task.run.as_ref().is_some_and(baton_rules::RunState::is_request_delivered);
                    if !is_accepted {
                        // Not awaited: until it is synced, a crash is handled by looking the message up.
                        self.commit(|_| vec![TaskEvent::PeerAttached { task, context }])?;
                    }
                }
                Some(Ok(PeerEvent::Text(more))) => {
                    shown = shown.saturating_add(more.len());
                    if shown <= MAX_LIVE_TEXT {
                        self.live.feed.delta(&more);
                    }
                }
                Some(Ok(PeerEvent::TextReplaced)) if replaced == MAX_TEXT_REPLACEMENTS => shown = usize::MAX,
                Some(Ok(PeerEvent::TextReplaced)) => {
                    (attempt, shown, replaced) = (attempt + 1, 0, replaced + 1);
                    self.commit(|_| vec![TaskEvent::AttemptStarted { message: message.clone(), turn, attempt }])?;
                }
                Some(Ok(PeerEvent::Settled(outcome))) => return Ok(PeerTurnOutcome::Outcome(outcome)),
                Some(Err(error)) => return Ok(PeerTurnOutcome::Failed(error)),
                None => {
                    return Ok(PeerTurnOutcome::Failed(PeerError::Lost("the agent's answer ended early".to_owned())));
                }
            }
        }
    }

    /// Applies the remote outcome to the task.
    async fn apply_outcome(&self, id: &MessageId, spec: &AgentSpec, outcome: PeerOutcome) -> Result<(), Halt> {
        let PeerOutcome { state, message, artifacts } = outcome;
        let text = message.as_ref().map(Message::text).unwrap_or_default();
        match state {
            TaskState::Completed => self.commit(|task| {
                let mut answer = agent_message(task, id.clone(), message);
                answer.metadata = Some(Json::from(json!({ "peer": spec.name.as_str() })));
                let mut events: Vec<_> =
                    artifacts.into_iter().map(|artifact| TaskEvent::ArtifactEmitted { artifact }).collect();
                events.push(TaskEvent::Answered { message: answer.clone(), usage: Usage::default() });
                if task.waiting.is_empty() {
                    let (state, message) = (TaskState::Completed, Some(answer));
                    events.push(TaskEvent::StatusChanged { state, message, reason: None });
                }
                events
            }),
            TaskState::InputRequired | TaskState::AuthRequired => {
                let calls = self.local_calls(spec, message.as_ref()).await;
                if let Some(fault) = calls.as_deref().and_then(find_call_error) {
                    return self.peer_failed(ErrorCode::PEER_FAILED, fault).await;
                }
                if calls.is_none() && self.live.lock().task.autonomous {
                    let detail =
                        format!("'{}' asked a question, and no user is available to answer: {text}", spec.name);
                    return self.peer_failed(ErrorCode::INPUT_NOT_POSSIBLE, detail).await;
                }
                self.commit(|task| {
                    let mut events: Vec<_> =
                        artifacts.into_iter().map(|artifact| TaskEvent::ArtifactEmitted { artifact }).collect();
                    let question = agent_message(task, self.inner.ports.ids.next_id().into(), message);
                    events.push(match calls {
                        Some(calls) => TaskEvent::ToolsCalled { message: question, calls, usage: Usage::default() },
                        None => TaskEvent::StatusChanged { state, message: Some(question), reason: None },
                    });
                    events
                })
            }
            TaskState::Rejected => Ok(self.inner.end(&self.live, TaskEnd::Rejected(text)).await?),
            TaskState::Canceled => {
                self.peer_failed(ErrorCode::PEER_FAILED, format!("the remote task was canceled. {text}")).await
            }
            TaskState::Failed | TaskState::Submitted | TaskState::Working => {
                self.peer_failed(ErrorCode::PEER_FAILED, text).await
            }
        }
    }

    /// Tool calls that the remote agent leaves to its caller. Returned if its Environment provides all of them and the
    /// caller of the task does not run tools.
    async fn local_calls(&self, spec: &AgentSpec, message: Option<&Message>) -> Option<Vec<ToolCall>> {
        let calls = parse_own_tool_calls(message?);
        let runs_tools_here = self.live.lock().task.tool_execution == ToolExecution::Agent;
        if !runs_tools_here
            || calls.is_empty()
            || self.inner.ports.agents.agent_resources(&spec.name).servers.is_empty()
        {
            return None;
        }
        let offered = self.inner.ports.tools.available_tools(spec, ENVIRONMENT_TIMEOUT).await;
        let is_available = |call: &ToolCall| offered.iter().any(|tool| tool.name == call.name);
        calls.iter().all(is_available).then_some(calls)
    }

    async fn fail_undelivered(&self, code: ErrorCode, detail: String) -> Result<(), Halt> {
        let reason = FailureReason::new(code.code, detail);
        Ok(self.inner.end(&self.live, TaskEnd::Undelivered(reason)).await?)
    }

    async fn peer_failed(&self, code: ErrorCode, detail: String) -> Result<(), Halt> {
        let detail = if detail.trim().is_empty() { "it gave no reason".to_owned() } else { detail };
        let reason = FailureReason::new(code.code, detail);
        Ok(self.inner.end(&self.live, TaskEnd::Failed(reason)).await?)
    }

    /// Asks a person whether to send again: delivery is unknown, and a duplicate may do harm.
    fn ask_in_doubt(&self, spec: &AgentSpec, detail: &str) -> Result<(), Halt> {
        let code = ErrorCode::PEER_IN_DOUBT.code;
        let text = format!(
            "{code}: it is unknown whether '{}' got the message ({detail}). Answer to send it again together with your \
             answer, or cancel the task.",
            spec.name
        );
        let reason = FailureReason::new(code, detail);
        self.commit(|task| {
            let id = self.inner.ports.ids.next_id().into();
            let message = Message::new(id, Role::Agent, vec![Part::text(text)]).with_task(&task.context, &task.id);
            let (state, message) = (TaskState::InputRequired, Some(message));
            vec![TaskEvent::StatusChanged { state, message, reason: Some(reason) }]
        })
    }
}

/// Error in the tool calls of a remote agent, whose number and ids are untrusted.
fn find_call_error(calls: &[ToolCall]) -> Option<String> {
    if calls.len() > MAX_CALLS {
        return Some(format!("it requests {} tool calls at once; the limit is {MAX_CALLS}", calls.len()));
    }
    let repeats = |(at, call): (usize, &ToolCall)| calls[..at].iter().any(|other| other.id == call.id);
    calls.iter().enumerate().any(repeats).then(|| "two of the requested tool calls have the same id".to_owned())
}

/// The message that the remote agent has not answered yet, and the remote task that accepted it.
pub(crate) fn pending_peer_request(
    task: &TaskRecord,
    owner: &Principal,
    trace: Option<Arc<str>>,
) -> Option<(PeerRequest, Option<String>)> {
    let run = task.run.as_ref()?;
    let dispatch = run.asked.as_ref()?;
    let since = task.history.iter().rev().take_while(|message| message.role == Role::User);
    let mut messages: Vec<&Message> = since.collect();
    messages.reverse();
    // Results of tools that ran here are not sent to the remote agent.
    let last = task.history.iter().rev().find(|message| message.role == Role::Agent);
    if last.is_some_and(|last| !parse_own_tool_calls(last).is_empty()) {
        messages.retain(|message| !is_tool_answer(message));
    }
    let parts = messages.iter().flat_map(|message| message.parts.iter().cloned()).collect();
    let peer = task.peer.as_ref();
    let depth = match &task.parent {
        Some(parent) => handoff_depth(&parent.chain, task.depth),
        None => handoff_depth(&[], task.depth).saturating_add(1),
    };
    let remote_task = peer.and_then(|peer| peer.task.clone());
    // An autonomous task has no memory, so it uses a separate remote context.
    let in_conversation = if task.autonomous { ContextId::from(task.id.as_str()) } else { task.context.clone() };
    let (continued, accepted_task) = if dispatch.taken { (None, remote_task) } else { (remote_task, None) };
    let request = PeerRequest {
        message: Message::new(dispatch.message.clone(), Role::User, parts),
        context: peer.map_or_else(|| peer_context(owner, &in_conversation), |peer| peer.context.clone()),
        task: continued,
        trace,
        depth: u32::try_from(depth).unwrap_or(u32::MAX),
    };
    Some((request, accepted_task))
}

/// Remote context id. All local callers are one client to the remote agent and choose their own context ids, so the
/// owner is part of the id; otherwise one caller could continue the conversation of another.
fn peer_context(owner: &Principal, context: &ContextId) -> String {
    let local = Principal::local();
    if (&owner.tenant, &owner.subject) == (&local.tenant, &local.subject) {
        return context.to_string();
    }
    // Quoted, so that the encoding is unambiguous.
    let key = format!("{:?} {:?} {:?}", owner.tenant, owner.subject, context.as_str());
    Digest::compute(key.as_bytes()).to_string()
}

/// The remote message as a message of this task.
fn agent_message(task: &TaskRecord, id: MessageId, message: Option<Message>) -> Message {
    let parts = message.map(|message| message.parts).unwrap_or_default();
    let parts = if parts.is_empty() { vec![Part::text(String::new())] } else { parts };
    Message::new(id, Role::Agent, parts).with_task(&task.context, &task.id)
}
