//! Handoffs to other agents of this Baton, durable across crashes.
//!
//! The parent event, the handoff record and the child task are written in one commit, so the work is neither lost nor
//! sent twice. A resumed run finds the child by the id in its own history.

use super::{Driver, Halt};
use crate::{
    EngineError, Ports,
    submit::{NewTask, submitted_child},
    views::fold_handoff,
};
use baton_ports::{Commit, StreamHeadUpdate, Write};
use baton_rules::{CALL_AGENT_TOOL, PendingHandoff, admit_handoff, mark_remote_question, resolve_handoff_target};
use baton_telemetry::ids::handoff_context;
use baton_types::{
    AgentName, AgentSpec, ContextId, ErrorCode, ExpectedOutput, Handoff, HandoffChannel, HandoffEvent, HandoffId,
    HandoffStatus, JournalEvent, Json, Message, ParentLink, Part, PartContent, Principal, Priority, Role, StreamId,
    TaskEvent, TaskId, TaskState, TaskView, Timestamp, ToolCall, ToolResult,
};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

#[derive(Deserialize)]
struct HandoffArguments {
    #[serde(alias = "agent", alias = "agentId")]
    agent_uri: String,
    message: String,
    #[serde(alias = "contextId")]
    context_id: Option<String>,
}

impl Driver {
    pub(super) async fn hand_off(&self, spec: &AgentSpec, call: &ToolCall) -> Result<(), Halt> {
        let arguments: HandoffArguments = match call.arguments.read() {
            Ok(arguments) => arguments,
            Err(error) => {
                return self.reject_call(call, &format!("{} needs an agent and a message: {error}", call.name));
            }
        };
        let (parent, earlier) = {
            let cell = self.live.lock();
            (cell.task.parent.clone(), cell.task.depth)
        };
        let first_local_agent = self.inner.first_local_agent(spec, parent.as_ref());
        let to = self.inner.target_name(spec, first_local_agent.as_deref(), &arguments.agent_uri);
        let max_depth = self.inner.options.max_handoff_depth;
        let chain = match admit_handoff(spec, first_local_agent.as_deref(), parent.as_ref(), earlier, &to, max_depth) {
            Ok(chain) => chain,
            Err(rejection) => return self.reject_call(call, &rejection.to_string()),
        };
        let target = match self.inner.resolve_target(spec, first_local_agent.as_deref(), &to) {
            Ok(target) => target,
            Err(detail) => return self.reject_call(call, &detail),
        };
        let mut handoff = self.new_handoff(spec, call, &to, &arguments);
        let child_context = arguments.context_id.is_some().then_some(&handoff.child_context);
        let pinned = self.inner.pin(&self.live.owner, &target, child_context, None).await?;
        let session = parent.as_ref().and_then(|link| link.session.clone());
        let session = Some(session.unwrap_or_else(|| self.live.lock().task.context.clone()));
        let link = ParentLink { task: self.live.id.clone(), handoff: handoff.id.clone(), chain, session };
        let child = TaskId::from(self.inner.ports.ids.next_id());
        let message =
            Message::new(self.inner.ports.ids.next_id().into(), Role::User, vec![Part::text(arguments.message)])
                .with_task(&handoff.child_context, &child);
        handoff.child_task = Some(child.clone());
        let autonomous = self.live.lock().task.autonomous;
        let new = NewTask {
            id: child.clone(),
            event: submitted_child(link, handoff.child_context.clone(), to.clone(), message, earlier, autonomous),
            run_options: None,
            first_of_context: arguments.context_id.is_none(),
            trace: Some(handoff_context(self.live.lock().call_trace_context(&call.id), &handoff.id).to_string().into()),
        };
        let deadline = handoff.created_at.after(std::time::Duration::from_millis(handoff.timeout_ms));
        let sent = TaskEvent::HandoffSent {
            call: call.id.clone(),
            handoff: handoff.id.clone(),
            agent: to,
            child: child.clone(),
            deadline,
        };
        let (child_live, _, child_write) = self.inner.create(&self.live.owner, new, &pinned)?;
        let writes = vec![created_write(&self.inner.ports, &self.live.owner, &handoff), child_write];
        let receipt = match self.queue(vec![sent], writes) {
            Ok(receipt) => receipt,
            Err(halt) => {
                self.inner.retire(&child_live);
                return Err(halt);
            }
        };
        // Started before the wait, in which this run may be canceled: a stored child must have a driver. If the commit
        // fails, the child's own writes are rejected and it ends.
        self.inner.spawn_driver(child_live, None);
        receipt.await?;
        let pending = PendingHandoff { handoff: handoff.id, child, deadline, asked: None, answer: None };
        self.await_handoff(call, &pending).await
    }

    /// Waits for the child across restarts; a pending answer for the child is delivered first.
    pub(super) async fn await_handoff(&self, call: &ToolCall, pending: &PendingHandoff) -> Result<(), Halt> {
        let PendingHandoff { handoff, child, deadline, answer, .. } = pending;
        if let Some(answer) = answer {
            let trace = self.live.lock().run_trace_context().map(|context| context.to_string().into());
            self.inner.pass_down(&self.live.owner, trace, child, answer).await?;
        }
        let timeout = self.inner.ports.clock.now().until(*deadline);
        let child_outcome = tokio::select! {
            biased;
            () = self.inner.stopping.cancelled() => return Err(Halt::Stopping),
            settled = self.inner.wait_settled(child) => match settled {
                Ok(view) => ChildWaitOutcome::Settled(view),
                // The child was committed together with the handoff, so only retention can have removed it.
                Err(EngineError::TaskNotFound(_)) => ChildWaitOutcome::Gone,
                Err(error) => return Err(error.into()),
            },
            () = tokio::time::sleep(timeout) => ChildWaitOutcome::DeadlinePassed,
        };
        let is_question = matches!(&child_outcome, ChildWaitOutcome::Settled(view) if view.state.is_interrupted());
        if let ChildWaitOutcome::Settled(view) = &child_outcome
            && is_question
            && !self.live.lock().task.autonomous
        {
            return self.pass_up(call, pending, view).await;
        }
        let outcome = handoff_result(&child_outcome, &call.name);
        let result = ToolResult {
            call: call.id.clone(),
            name: call.name.clone(),
            output: outcome.output,
            is_error: outcome.status != HandoffStatus::Completed,
        };
        let events = vec![HandoffEvent::StatusChanged {
            to: outcome.status,
            result: outcome.result,
            error: outcome.error,
            result_trace_id: self.live.lock().run_trace_context().map(|context| context.trace.to_string()),
        }];
        let writes = self.inner.handoff_write(&self.live.owner, handoff, events).await?;
        self.commit_synced(vec![TaskEvent::ToolFinished { result }], writes).await?;
        if is_question || matches!(child_outcome, ChildWaitOutcome::DeadlinePassed) {
            self.inner.cancel_child(child.clone()).await;
        }
        Ok(())
    }

    /// Turns the child's question into a question of this task.
    async fn pass_up(&self, call: &ToolCall, pending: &PendingHandoff, child: &TaskView) -> Result<(), Halt> {
        let empty =
            || Message::new(self.inner.ports.ids.next_id().into(), Role::Agent, vec![Part::text(String::new())]);
        let message = child.status_message.clone().unwrap_or_else(empty);
        let is_elsewhere = self.inner.ports.agents.agent(&child.agent).is_none_or(|agent| agent.is_peer());
        let message = if is_elsewhere { mark_remote_question(message, &child.agent) } else { message };
        let events = vec![status_event(HandoffStatus::InputRequired)];
        let writes = self.inner.handoff_write(&self.live.owner, &pending.handoff, events).await?;
        self.commit_synced(vec![TaskEvent::HandoffInputRequested { call: call.id.clone(), message }], writes).await
    }

    fn reject_call(&self, call: &ToolCall, detail: &str) -> Result<(), Halt> {
        self.finish(call, Json::string(&format!("{}: {detail}", ErrorCode::HANDOFF_REFUSED.code)), true)
    }

    fn new_handoff(&self, spec: &AgentSpec, call: &ToolCall, to: &AgentName, arguments: &HandoffArguments) -> Handoff {
        let ids = &self.inner.ports.ids;
        Handoff {
            id: ids.next_id().into(),
            from_agent: spec.name.clone(),
            to_agent: to.clone(),
            capability_id: to.to_string(),
            task: arguments.message.clone(),
            inputs: call.arguments.clone(),
            expected_output: ExpectedOutput::default(),
            priority: Priority::Normal,
            timeout_ms: u64::try_from(self.inner.options.handoff_timeout.as_millis()).unwrap_or(u64::MAX),
            created_at: self.inner.ports.clock.now(),
            parent_task: Some(self.live.id.clone()),
            parent_call: Some(call.id.clone()),
            child_task: None,
            child_context: arguments.context_id.clone().map_or_else(|| ids.next_id().into(), ContextId::from),
            channel: HandoffChannel::Direct,
            channel_reason: None,
            agent_uri: Some(arguments.agent_uri.clone()).filter(|uri| *uri != to.as_str()),
            trace: self.live.lock().call_trace_context(&call.id).map(|context| context.to_string()),
        }
    }
}

impl crate::engine::EngineInner {
    /// The local agent whose `handoffs` apply to handoffs requested by a remote agent: the first agent of the chain.
    /// Remote agents never reach local ones, so a chain that starts remotely has none.
    pub(crate) fn first_local_agent(&self, from: &AgentSpec, parent: Option<&ParentLink>) -> Option<Arc<AgentSpec>> {
        let first = parent.filter(|_| from.is_peer())?.chain.first()?;
        self.ports.agents.agent(first).filter(|agent| !agent.is_peer())
    }

    /// The target agent, if `from` may reach it: one named in its definition, or else any listed agent. A remote agent
    /// reaches only remote agents listed by its first local agent, never local ones.
    pub(crate) fn resolve_target(
        &self,
        from: &AgentSpec,
        first_local_agent: Option<&AgentSpec>,
        to: &AgentName,
    ) -> Result<Arc<AgentSpec>, String> {
        let agents = &self.ports.agents;
        if from.is_peer() {
            let listed = first_local_agent.is_some_and(|agent| agent.handoffs.iter().any(|target| target.agent == *to));
            let found = if listed { agents.agent(to) } else { None };
            // Local agent names are not disclosed to a remote agent.
            return found
                .filter(|agent| agent.is_peer())
                .ok_or_else(|| format!("'{to}' is not a remote agent that can be reached from here"));
        }
        let is_named = from.handoffs.iter().any(|target| target.agent == *to);
        let listings = || agents.listings().into_iter();
        let is_known = is_named || listings().any(|agent| agent.name == *to);
        let found = if is_known { agents.agent(to) } else { None };
        found.ok_or_else(|| {
            let names: Vec<String> = listings()
                .map(|agent| agent.name.to_string())
                .filter(|name| *name != *from.name.as_str())
                .take(20)
                .collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            format!("agent '{to}' is not known here; known: {names}. Name one of them, or do without it.")
        })
    }

    /// Agent name of an address in a handoff.
    pub(crate) fn target_name(&self, from: &AgentSpec, first_local_agent: Option<&AgentSpec>, uri: &str) -> AgentName {
        let agents = self.ports.agents.listings();
        resolve_handoff_target(first_local_agent.unwrap_or(from), agents.iter().map(AsRef::as_ref), uri)
    }

    /// Moves a handoff record from input-required back to in-progress.
    pub(super) async fn mark_handoff_in_progress(
        &self,
        owner: &Arc<Principal>,
        id: &HandoffId,
    ) -> Result<(), crate::EngineError> {
        let writes = self.handoff_write(owner, id, vec![status_event(HandoffStatus::InProgress)]).await?;
        if !writes.is_empty() {
            self.journal().append(Commit::from_writes(writes)).await?;
        }
        Ok(())
    }

    /// The write that applies handoff events; empty when the handoff has ended.
    pub(crate) async fn handoff_write(
        &self,
        owner: &Arc<Principal>,
        id: &HandoffId,
        events: Vec<HandoffEvent>,
    ) -> Result<Vec<Write>, crate::EngineError> {
        let stream = StreamId::Handoff(id.clone());
        let Some(loaded) = self.journal().load(None, &stream).await? else { return Ok(Vec::new()) };
        let Some(mut record) = fold_handoff(&loaded) else { return Ok(Vec::new()) };
        let version = record.version;
        if events.iter().any(|event| record.apply(event).is_err()) {
            return Ok(Vec::new());
        }
        let at = self.ports.clock.now();
        Ok(vec![handoff_events(owner, &record.handoff, version, record.status, at, events, loaded.head.epoch)])
    }
}

/// Result of waiting for a child task.
enum ChildWaitOutcome {
    Settled(Arc<TaskView>),
    DeadlinePassed,
    Gone,
}

struct HandoffResult {
    status: HandoffStatus,
    output: Json,
    result: Option<Json>,
    error: Option<String>,
}

/// Result of the child for the waiting parent.
fn handoff_result(outcome: &ChildWaitOutcome, tool: &str) -> HandoffResult {
    let failed = |status, detail: String| HandoffResult {
        status,
        output: Json::string(&format!("{}: {detail}", ErrorCode::HANDOFF_FAILED.code)),
        result: None,
        error: Some(detail),
    };
    let child = match outcome {
        ChildWaitOutcome::Settled(child) => child,
        ChildWaitOutcome::DeadlinePassed => {
            return failed(HandoffStatus::Timeout, "the agent did not answer within the handoff's deadline".to_owned());
        }
        ChildWaitOutcome::Gone => {
            return failed(HandoffStatus::Failed, "the child task is no longer stored".to_owned());
        }
    };
    let status_text = child.status_message.as_ref().map(Message::text).unwrap_or_default();
    match child.state {
        TaskState::Completed => {
            let (response, task, context) = (answer_of(child, status_text), child.id.as_str(), child.context.as_str());
            let result = Json::from(match tool {
                CALL_AGENT_TOOL => json!({
                    "response": response, "taskId": task, "contextId": context, "status": child.state.as_str(),
                }),
                _ => json!({ "response": response, "task_id": task, "context_id": context }),
            });
            HandoffResult {
                status: HandoffStatus::Completed,
                output: result.clone(),
                result: Some(result),
                error: None,
            }
        }
        TaskState::Canceled => failed(HandoffStatus::Cancelled, format!("the child task was canceled. {status_text}")),
        TaskState::InputRequired | TaskState::AuthRequired => {
            failed(HandoffStatus::Failed, format!("the agent needs to be asked more precisely: {status_text}"))
        }
        TaskState::Rejected => failed(HandoffStatus::Failed, format!("the agent refused the work: {status_text}")),
        _ => failed(HandoffStatus::Failed, format!("the agent could not do it: {status_text}")),
    }
}

/// Text of the answer; a data-only answer is returned as JSON.
pub(crate) fn answer_of(child: &TaskView, status_text: String) -> String {
    if !status_text.is_empty() {
        return status_text;
    }
    let parts = child.status_message.iter().flat_map(|message| &message.parts);
    let data: Vec<&str> = parts
        .filter_map(|part| match &part.content {
            PartContent::Data(data) => Some(data.as_str()),
            _ => None,
        })
        .collect();
    data.join("\n")
}

/// Handoffs in process have one receiver: created, accepted and started in one commit with the child.
pub(crate) fn created_write(ports: &Ports, owner: &Arc<Principal>, handoff: &Handoff) -> Write {
    let events = vec![
        HandoffEvent::Created(Box::new(handoff.clone())),
        status_event(HandoffStatus::Accepted),
        status_event(HandoffStatus::InProgress),
    ];
    handoff_events(owner, handoff, 0, HandoffStatus::InProgress, ports.clock.now(), events, 1)
}

fn status_event(to: HandoffStatus) -> HandoffEvent {
    HandoffEvent::StatusChanged { to, result: None, error: None, result_trace_id: None }
}

fn handoff_events(
    owner: &Arc<Principal>,
    handoff: &Handoff,
    expected_version: u64,
    status: HandoffStatus,
    at: Timestamp,
    events: Vec<HandoffEvent>,
    epoch: u64,
) -> Write {
    Write {
        stream: StreamId::Handoff(handoff.id.clone()),
        expected_version,
        epoch,
        principal: Arc::clone(owner),
        run: None,
        trace: None,
        at,
        facts: events.into_iter().map(JournalEvent::Handoff).collect(),
        head: StreamHeadUpdate {
            agent: handoff.to_agent.clone(),
            context: handoff.child_context.clone(),
            state: status.as_str(),
            status_at: at,
            active: false,
            terminal: status.is_terminal(),
        },
        snapshot: None,
    }
}
