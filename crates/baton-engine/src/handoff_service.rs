//! Handoffs from callers without a task: MCP clients that call the `handoff` tool of an agent.

use crate::{
    Engine, EngineError, SendCommand,
    agent_invoker::{CancelOnDrop, invoke_error, reply_of},
    engine::EngineInner,
    views::fold_handoff,
};
use baton_ports::{
    AgentInvokeError, AgentReply, BoxFuture, Commit, HandoffOutcome, HandoffRequest, HandoffService, HandoffTicket,
    JournalError,
};
use baton_rules::{HandoffRecord, admit_handoff, handoff_depth, parse_own_tool_calls};
use baton_telemetry::ids::handoff_context;
use baton_types::{
    AgentName, AgentSpec, ChannelReason, ErrorCode, ExpectedOutput, Handoff, HandoffChannel, HandoffEvent, HandoffId,
    HandoffStatus, Json, Message, Part, Principal, Priority, Role, StreamId, TaskId, TaskState, TaskView, TraceContext,
};
use serde_json::json;
use std::{sync::Arc, time::Duration};

impl HandoffService for Engine {
    fn begin<'a>(
        &'a self,
        principal: &'a Principal,
        request: HandoffRequest,
        channel: HandoffChannel,
    ) -> BoxFuture<'a, Result<HandoffTicket, AgentInvokeError>> {
        Box::pin(async move {
            let owner = Arc::new(principal.clone());
            let admitted = self.admit(&request, None)?;
            let handoff = self.record_handoff(&owner, &request, &admitted, channel).await?;
            let deadline = handoff.created_at.after(Duration::from_millis(handoff.timeout_ms));
            let depth = request.depth.saturating_add(1);
            let peer_url = admitted.target.model.peer_url().map(str::to_owned);
            // A locally served agent answers locally, even if its name also maps to a remote address.
            let agent_uri = peer_url.unwrap_or_else(|| admitted.target.name.to_string());
            Ok(HandoffTicket { id: handoff.id, agent_uri, depth, deadline })
        })
    }

    fn end<'a>(
        &'a self,
        principal: &'a Principal,
        id: &'a HandoffId,
        end: HandoffOutcome,
    ) -> BoxFuture<'a, Result<bool, AgentInvokeError>> {
        Box::pin(async move {
            let stream = StreamId::Handoff(id.clone());
            let loaded = self.inner.journal().load(Some(principal), &stream).await.map_err(EngineError::from);
            let Some(loaded) = loaded.map_err(|error| invoke_error(&error))? else {
                let detail = format!("there is no handoff '{id}'");
                return Err(AgentInvokeError { code: ErrorCode::HANDOFF_REFUSED, detail });
            };
            let (status, result, error) = match end {
                HandoffOutcome::Completed { response, task, context } => {
                    let result = json!({ "response": response, "task_id": task, "context_id": context });
                    (HandoffStatus::Completed, Some(Json::from(result)), None)
                }
                HandoffOutcome::Failed(reason) => (HandoffStatus::Failed, None, Some(reason)),
                HandoffOutcome::Cancelled(reason) => (HandoffStatus::Cancelled, None, Some(reason)),
            };
            let is_late = fold_handoff(&loaded).is_some_and(|record| self.inner.is_late(&record));
            let (status, result, error) = match is_late {
                true => (HandoffStatus::Timeout, None, Some("its deadline had passed".to_owned())),
                false => (status, result, error),
            };
            let event = HandoffEvent::StatusChanged { to: status, result, error, result_trace_id: None };
            let writes = self.inner.handoff_write(&loaded.head.owner, id, vec![event]).await;
            let writes = writes.map_err(|error| invoke_error(&error))?;
            if writes.is_empty() {
                return Ok(false);
            }
            let commit_result = self.inner.journal().append(Commit::from_writes(writes)).await;
            commit_result.map(|_| !is_late).map_err(|error| invoke_error(&error.into()))
        })
    }

    fn reclaim<'a>(
        &'a self,
        principal: &'a Principal,
        id: &'a HandoffId,
        request: HandoffRequest,
        model: &'a str,
    ) -> BoxFuture<'a, Result<Option<AgentReply>, AgentInvokeError>> {
        Box::pin(async move {
            let admitted = match self.admit(&request, None) {
                Ok(admitted) => admitted,
                Err(error) => {
                    self.end(principal, id, HandoffOutcome::Failed(error.detail.clone())).await?;
                    return Err(error);
                }
            };
            let Some(handoff) = self.reroute_to_direct(principal, id, model).await? else { return Ok(None) };
            let owner = Arc::new(principal.clone());
            self.run_handoff(&owner, &request, &admitted, &handoff).await.map(Some)
        })
    }

    fn hand_over<'a>(
        &'a self,
        principal: &'a Principal,
        request: HandoffRequest,
    ) -> BoxFuture<'a, Result<AgentReply, AgentInvokeError>> {
        Box::pin(self.hand_over_with_local_agent(principal, request, None))
    }
}

/// Records the handoff as cancelled on drop, unless it was disarmed.
struct HandoffCancelOnDrop<'a> {
    engine: &'a Engine,
    owner: Arc<Principal>,
    handoff: Option<HandoffId>,
}

impl HandoffCancelOnDrop<'_> {
    fn disarm(mut self) {
        self.handoff = None;
    }
}

impl Drop for HandoffCancelOnDrop<'_> {
    fn drop(&mut self) {
        let Some(handoff) = self.handoff.take() else { return };
        if self.engine.inner.stopping.is_cancelled() {
            return;
        }
        let (engine, owner) = (self.engine.clone(), Arc::clone(&self.owner));
        self.engine.inner.drivers.spawn(async move {
            let end = HandoffOutcome::Cancelled("the caller stopped waiting for the result".to_owned());
            if let Err(error) = engine.end(&owner, &handoff, end).await {
                tracing::warn!(%handoff, %error, "the end of a handoff could not be recorded");
            }
        });
    }
}

/// Target of an admitted handoff.
struct AdmittedHandoff {
    target: Arc<AgentSpec>,
}

impl Engine {
    /// Hands work over and waits for the answer. The `handoffs` of `first_local_agent` apply when the request comes
    /// from a remote agent.
    pub(crate) async fn hand_over_with_local_agent(
        &self,
        principal: &Principal,
        request: HandoffRequest,
        first_local_agent: Option<&AgentSpec>,
    ) -> Result<AgentReply, AgentInvokeError> {
        let owner = Arc::new(principal.clone());
        let admitted = self.admit(&request, first_local_agent)?;
        let handoff = self.record_handoff(&owner, &request, &admitted, HandoffChannel::Direct).await?;
        self.run_handoff(&owner, &request, &admitted, &handoff).await
    }

    /// Runs a recorded handoff and records its outcome.
    async fn run_handoff(
        &self,
        owner: &Arc<Principal>,
        request: &HandoffRequest,
        admitted: &AdmittedHandoff,
        handoff: &Handoff,
    ) -> Result<AgentReply, AgentInvokeError> {
        let cancel_guard =
            HandoffCancelOnDrop { engine: self, owner: Arc::clone(owner), handoff: Some(handoff.id.clone()) };
        let reply = self.run_handoff_task(owner, request, &admitted.target.name, handoff).await;
        cancel_guard.disarm();
        let end = match &reply {
            Ok(reply) if reply.state == TaskState::Completed => HandoffOutcome::Completed {
                response: reply.text.clone(),
                task: Some(reply.task.to_string()),
                context: Some(reply.context.to_string()),
            },
            Ok(reply) => HandoffOutcome::Failed(format!("the task is {}. {}", reply.state.as_str(), reply.text)),
            Err(error) => HandoffOutcome::Failed(error.detail.clone()),
        };
        self.end(owner, &handoff.id, end).await?;
        reply
    }

    /// Records that the handoff is now made directly. Returns `None` when it has ended, is overdue or was already
    /// rerouted; of concurrent attempts, one succeeds.
    async fn reroute_to_direct(
        &self,
        principal: &Principal,
        id: &HandoffId,
        model: &str,
    ) -> Result<Option<Handoff>, AgentInvokeError> {
        let owner = Arc::new(principal.clone());
        let record = self.handoff(&owner, id).await.map_err(|error| invoke_error(&error))?;
        let Some(record) = record.filter(|record| !record.status.is_terminal()) else { return Ok(None) };
        let (channel, reason) = (HandoffChannel::Direct, ChannelReason::OtherModel);
        let event = HandoffEvent::Rerouted { channel, reason, model: Some(model.to_owned()) };
        let writes = self.inner.handoff_write(&owner, id, vec![event]).await.map_err(|error| invoke_error(&error))?;
        if writes.is_empty() {
            return Ok(None);
        }
        match self.inner.journal().append(Commit::from_writes(writes)).await {
            Ok(_) => Ok(Some(Handoff { channel, channel_reason: Some(reason), ..record.handoff })),
            Err(JournalError::Conflict { .. }) => Ok(None),
            Err(error) => Err(invoke_error(&error.into())),
        }
    }

    fn admit(
        &self,
        request: &HandoffRequest,
        first_local_agent: Option<&AgentSpec>,
    ) -> Result<AdmittedHandoff, AgentInvokeError> {
        let refusal = |detail: String| AgentInvokeError { code: ErrorCode::HANDOFF_REFUSED, detail };
        let agents = &self.inner.ports.agents;
        let from = agents
            .agent(&request.from)
            .ok_or_else(|| refusal(format!("agent '{}' is not served here", request.from)))?;
        let to: AgentName = self.inner.target_name(&from, first_local_agent, &request.agent_uri);
        let max_depth = self.inner.options.max_handoff_depth;
        admit_handoff(&from, first_local_agent, None, request.depth, &to, max_depth)
            .map_err(|rejection| refusal(rejection.to_string()))?;
        let target = self.inner.resolve_target(&from, first_local_agent, &to).map_err(refusal)?;
        Ok(AdmittedHandoff { target })
    }

    async fn record_handoff(
        &self,
        owner: &Arc<Principal>,
        request: &HandoffRequest,
        admitted: &AdmittedHandoff,
        channel: HandoffChannel,
    ) -> Result<Handoff, AgentInvokeError> {
        let (ids, to) = (&self.inner.ports.ids, &admitted.target.name);
        let handoff = Handoff {
            id: ids.next_id().into(),
            from_agent: request.from.clone(),
            to_agent: to.clone(),
            capability_id: to.to_string(),
            task: request.message.clone(),
            inputs: json!({ "agent_uri": request.agent_uri, "message": request.message }).into(),
            expected_output: ExpectedOutput::default(),
            priority: Priority::Normal,
            timeout_ms: u64::try_from(self.inner.options.handoff_timeout.as_millis()).unwrap_or(u64::MAX),
            created_at: self.inner.ports.clock.now(),
            parent_task: request.task.clone(),
            parent_call: request.call.clone(),
            child_task: None,
            child_context: request.context.clone().unwrap_or_else(|| ids.next_id().into()),
            channel,
            channel_reason: request.reason,
            agent_uri: Some(request.agent_uri.clone()).filter(|uri| *uri != to.as_str()),
            trace: request.trace.clone(),
        };
        let write = crate::run::created_write(&self.inner.ports, owner, &handoff);
        let commit_result = self.inner.journal().append(Commit::from_writes(vec![write])).await;
        commit_result.map_err(|error| invoke_error(&error.into()))?;
        Ok(handoff)
    }

    /// Runs the handoff as a task of the target agent, within the deadline. The task is canceled if the caller stops
    /// waiting.
    async fn run_handoff_task(
        &self,
        owner: &Arc<Principal>,
        request: &HandoffRequest,
        to: &AgentName,
        handoff: &Handoff,
    ) -> Result<AgentReply, AgentInvokeError> {
        let mut message = Message::new(self.fresh_id().into(), Role::User, vec![Part::text(request.message.clone())]);
        message.context = Some(handoff.child_context.clone());
        let chain = handoff_depth(std::slice::from_ref(&request.from), request.depth);
        let request_trace = request.trace.as_deref().and_then(TraceContext::parse);
        let command = SendCommand {
            depth: u32::try_from(chain).unwrap_or(u32::MAX),
            trace: Some(handoff_context(request_trace, &handoff.id).to_string().into()),
            autonomous: request.autonomous,
            ..SendCommand::new(to.clone(), message)
        };
        let sent = self.send(owner, command).await.map_err(|error| invoke_error(&error))?;
        let cancel_guard = CancelOnDrop::new(self, owner, &sent.task.id);
        let deadline = handoff.created_at.after(Duration::from_millis(handoff.timeout_ms));
        let timeout = self.inner.ports.clock.now().until(deadline);
        let mut question = None;
        let ended =
            tokio::time::timeout(timeout, self.wait_for_handoff_end(owner, &handoff.id, &sent.task.id, &mut question))
                .await;
        let view = match (ended, question) {
            (Ok(view), _) => view.map_err(|error| invoke_error(&error))?,
            (Err(_), question) => {
                let question = question.map(|question| format!("; its question was not answered: {question}"));
                let detail =
                    format!("the agent did not answer within the handoff's deadline{}", question.unwrap_or_default());
                return Err(AgentInvokeError { code: ErrorCode::HANDOFF_FAILED, detail });
            }
        };
        if !view.state.is_terminal() {
            let detail = format!(
                "'{to}' expects its caller to run its tools, and this channel cannot run them; hand the work over as a \
                 client that declares sampling and dev.baton/handoff, or have '{to}' run its tools itself: `settings.tools: agent` in its agent.yaml, and no \
                 `--tools caller` (task {})",
                sent.task.id
            );
            return Err(AgentInvokeError { code: ErrorCode::HANDOFF_FAILED, detail });
        }
        cancel_guard.disarm();
        Ok(reply_of(&view))
    }

    /// Waits until the task ends or requests tool calls from its caller. The caller cannot answer questions, but the
    /// owner can answer at the task, so the wait continues after a question.
    async fn wait_for_handoff_end(
        &self,
        owner: &Arc<Principal>,
        handoff: &HandoffId,
        task: &TaskId,
        question: &mut Option<String>,
    ) -> Result<Arc<TaskView>, EngineError> {
        let mut seen_version = 0;
        loop {
            let view = self.inner.wait_settled_after(task, seen_version).await?;
            let leaves_calls =
                || view.status_message.as_ref().is_some_and(|message| !parse_own_tool_calls(message).is_empty());
            if view.state.is_terminal() || leaves_calls() {
                return Ok(view);
            }
            seen_version = view.version;
            *question = Some(view.status_message.as_ref().map(Message::text).unwrap_or_default());
            let event = HandoffEvent::StatusChanged {
                to: HandoffStatus::InputRequired,
                result: None,
                error: None,
                result_trace_id: None,
            };
            let writes = self.inner.handoff_write(owner, handoff, vec![event]).await?;
            if !writes.is_empty() {
                self.inner.journal().append(Commit::from_writes(writes)).await?;
            }
        }
    }
}

impl EngineInner {
    /// Whether the deadline of an open handoff without a child task has passed. A handoff recorded with its child is
    /// ended by the parent task. The handoff of a tool may outlive the process that ran the tool.
    pub(crate) fn is_late(&self, record: &HandoffRecord) -> bool {
        let timeout = Duration::from_millis(record.handoff.timeout_ms);
        let deadline = record.handoff.created_at.after(timeout);
        !record.status.is_terminal() && record.handoff.child_task.is_none() && self.ports.clock.now() > deadline
    }
}
