//! Runs the tool calls of a turn, several at a time.

use super::{Driver, Halt, prompt::built_in, tool_helper::RunToolHelper};
use baton_ports::{ToolInvocation, ToolOutcome};
use baton_rules::{
    ASK_USER_TOOL, CALL_AGENT_TOOL, CallAuthorization, CallStage, CallState, EMIT_ARTIFACT_TOOL, HANDOFF_TOOL,
    LIST_AGENTS_TOOL, READ_OUTPUT_TOOL, REJECT_TASK_TOOL, REPLY_MESSAGE_TOOL, SessionToolSettings, TaskRecord,
    caller_requests, forbidden_reason, group_concurrent_calls, may_ask_user,
};
use baton_types::{
    AgentSpec, Effects, ErrorCode, Json, TaskEvent, ToolCall, ToolInputRequest, ToolResult, ToolRunner, ToolSpec,
};
use futures_util::{StreamExt, stream};
use std::{sync::Arc, time::Duration};

/// Timeout for a server to come up with the tool of a call.
const TOOL_SERVER_TIMEOUT: Duration = Duration::from_secs(20);

impl Driver {
    /// Runs all calls to their results, concurrently up to the agent's limit.
    pub(super) async fn advance_calls(&self, spec: &AgentSpec, calls: Vec<CallState>) -> Result<(), Halt> {
        self.flush();
        self.check_tool_budget(spec, &calls).await?;
        let limit = usize::try_from(spec.limits.parallel_tools.max(1)).unwrap_or(1);
        let sequential = self.sequential_tools(spec, &calls).await;
        let all = async {
            for group in group_concurrent_calls(calls, |name| sequential.contains(name)) {
                let group = stream::iter(group.into_iter().map(|state| self.advance_call(spec, state)));
                // A call that halts must not cut off the others: their results would be lost.
                let results: Vec<Result<(), Halt>> = group.buffer_unordered(limit).collect().await;
                results.into_iter().collect::<Result<(), Halt>>()?;
            }
            Ok(())
        };
        tokio::select! {
            biased;
            () = self.live.cancel.cancelled() => Err(Halt::Changed),
            result = all => result,
            () = self.until_deadline() => Err(Halt::Changed),
        }
    }

    async fn advance_call(&self, spec: &AgentSpec, state: CallState) -> Result<(), Halt> {
        let CallState { call, stage, .. } = &state;
        if let CallStage::HandedOff(pending) = stage {
            self.inner.mark_handoff_in_progress(&self.live.owner, &pending.handoff).await?;
            return self.await_handoff(call, pending).await;
        }
        let forbidden = match stage {
            CallStage::Pending => forbidden_reason(&self.live.lock().task, &call.name),
            _ => None,
        };
        if let Some(reason) = forbidden {
            return self.finish(call, reason, true);
        }
        let orchestrates = spec.orchestration.is_some();
        match call.name.as_str() {
            HANDOFF_TOOL if spec.enable_handoff => self.hand_off_if_allowed(spec, &state).await,
            CALL_AGENT_TOOL if orchestrates => self.hand_off_if_allowed(spec, &state).await,
            LIST_AGENTS_TOOL if orchestrates => match self.may_run_built_in(spec, &state).await? {
                true => self.list_agents(spec, call),
                false => Ok(()),
            },
            READ_OUTPUT_TOOL => self.read_output(call).await,
            EMIT_ARTIFACT_TOOL if spec.control_tools.emit_artifact => self.emit_artifact(call),
            REJECT_TASK_TOOL if spec.control_tools.reject_task => self.reject_task(call).await,
            REPLY_MESSAGE_TOOL if spec.control_tools.reply_message => self.reply_message(call).await,
            ASK_USER_TOOL if may_ask_user(&self.live.lock().task, spec) => Ok(()),
            name => match self.find_tool(spec, name).await {
                Some(tool) => self.run_tool(spec, &tool, &state).await,
                None => self.finish(call, self.unknown_tool(spec, name).await, true),
            },
        }
    }

    /// Finds a tool: of a caller's server, of the agent, or of one of its servers. A resumed run may get here before
    /// its servers are up.
    async fn find_tool(&self, spec: &AgentSpec, name: &str) -> Option<Arc<ToolSpec>> {
        let caller_tool =
            self.live.lock().task.wishes.as_ref().and_then(|options| options.find_caller_server_tool(name).cloned());
        let found = match caller_tool {
            Some(tool) => Some(tool),
            None => self.inner.ports.tools.find_tool(spec, name, TOOL_SERVER_TIMEOUT).await,
        };
        found.map(Arc::new)
    }

    async fn run_tool(&self, spec: &AgentSpec, tool: &ToolSpec, state: &CallState) -> Result<(), Halt> {
        let call = &state.call;
        if tool.runner == ToolRunner::BuiltIn {
            return self.finish(call, self.unknown_tool(spec, &tool.name).await, true);
        }
        if let Some(wrong) = self.argument_error(tool, call) {
            return self.finish(call, wrong, true);
        }
        let Some(state) = &self.guard_call(spec, state).await? else { return Ok(()) };
        let call = &state.call;
        if let Some(wrong) = self.argument_error(tool, call) {
            return self.finish(call, wrong, true);
        }
        let settings = self.settings(spec);
        if !self.may_run(spec, tool, state, &settings).await? {
            return Ok(());
        }
        // A tool outside the definition may be gone or changed when the call is examined again, so its effects are
        // recorded.
        let is_defined = spec.tools.iter().any(|own| own.name == tool.name);
        let effects = (!is_defined).then_some(tool.effects);
        let server = tool.mcp_server_and_tool().map(|(server, _)| server.to_owned());
        let started = vec![TaskEvent::ToolStarted { call: call.id.clone(), effects, server }];
        if tool.effects == Effects::ReadOnly {
            self.commit(|_| started)?;
        } else {
            // The call may have side effects, so the attempt is journaled first.
            self.commit_synced(started, Vec::new()).await?;
        }
        let trace = self.live.lock().call_trace_context(&call.id).map(|context| context.to_string());
        let run = ToolInvocation {
            agent: spec,
            tool,
            call,
            principal: &self.live.owner,
            task: Some(&self.live.id),
            trace: trace.as_deref(),
            answers: state.answers.as_ref(),
            helper: &RunToolHelper { driver: self, spec, tool: &tool.name, state },
        };
        match self.inner.ports.tools.call(run).await {
            ToolOutcome::Done(tool_output) => {
                let tool_output = self.guard_result(spec, call, tool_output).await?;
                self.finish(call, tool_output.output, tool_output.is_error)?;
            }
            ToolOutcome::InputRequired(request) if settings.autonomous => {
                self.finish(call, unanswered_output(&request), true)?;
            }
            ToolOutcome::InputRequired(request) => {
                self.commit(|_| vec![TaskEvent::ToolInputRequested { call: call.id.clone(), ask: request }])?;
            }
        }
        if tool.effects == Effects::OwnAgent {
            // Its changes to the session apply from the next model call on.
            self.load_session().await?;
        }
        Ok(())
    }

    /// A handoff needs the same permission as any other call.
    async fn hand_off_if_allowed(&self, spec: &AgentSpec, state: &CallState) -> Result<(), Halt> {
        let Some(state) = &self.guard_call(spec, state).await? else { return Ok(()) };
        match self.may_run_built_in(spec, state).await? {
            true => self.hand_off(spec, &state.call).await,
            false => Ok(()),
        }
    }

    async fn may_run_built_in(&self, spec: &AgentSpec, state: &CallState) -> Result<bool, Halt> {
        let tool = built_in(&state.call.name, "", serde_json::Value::Null);
        let settings = self.settings(spec);
        self.may_run(spec, &tool, state, &settings).await
    }

    /// Denies calls that the definition forbids, even if the caller runs the tools. Approval of the other calls is up
    /// to the caller.
    pub(super) async fn deny_caller_calls(&self, spec: &AgentSpec) -> Result<(), Halt> {
        let calls = caller_requests(&self.live.lock().task, spec).calls;
        if calls.is_empty() {
            return Ok(());
        }
        self.flush();
        let settings = self.settings(spec);
        let offered = self.inner.ports.tools.available_tools(spec, Duration::ZERO).await;
        for call in calls {
            let state = self.live.lock().task.call(&call.id).cloned();
            let Some(state) = state.filter(|state| !state.stage.is_finished()) else { continue };
            let Some(CallState { call, .. }) = self.guard_call(spec, &state).await? else { continue };
            let matching_tool = spec.tools.iter().chain(&offered).find(|tool| tool.name == call.name).cloned();
            if let Some(wrong) = matching_tool.as_ref().and_then(|tool| self.argument_error(tool, &call)) {
                self.finish_open(&call, wrong)?;
                continue;
            }
            let tool = matching_tool.unwrap_or_else(|| built_in(&call.name, "", serde_json::Value::Null));
            let authorization = settings.authorize_call(&spec.policy, &tool, &call.arguments, None);
            let Some(refusal) = authorization.refusal(&call.name) else { continue };
            let (ToolCall { id, name, .. }, output) = (call, denied_output(&refusal));
            let result = ToolResult { call: id, name, output, is_error: true };
            // The caller may have delivered a result concurrently.
            let is_open = |task: &TaskRecord| task.call(&result.call).is_some_and(|state| !state.stage.is_finished());
            self.commit(|task| match is_open(task) {
                true => vec![TaskEvent::ToolFinished { result: result.clone() }],
                false => Vec::new(),
            })?;
        }
        Ok(())
    }

    /// Whether a call may run now. If not, records an approval request or a denial.
    async fn may_run(
        &self,
        spec: &AgentSpec,
        tool: &ToolSpec,
        state: &CallState,
        settings: &SessionToolSettings,
    ) -> Result<bool, Halt> {
        let call = &state.call;
        let authorization = settings.authorize_call(&spec.policy, tool, &call.arguments, state.approved);
        let authorization = self.apply_grants(authorization, &tool.name).await?;
        if let Some(refusal) = authorization.refusal(&tool.name) {
            return self.finish(call, denied_output(&refusal), true).map(|()| false);
        }
        if authorization != CallAuthorization::ApprovalRequired {
            return Ok(true);
        }
        let request = ToolInputRequest::for_approval(&call.name);
        self.commit(|_| vec![TaskEvent::ToolInputRequested { call: call.id.clone(), ask: request }]).map(|()| false)
    }

    /// Applies the approvals of a tool for the session, which are loaded only if they matter.
    pub(super) async fn apply_grants(
        &self,
        authorization: CallAuthorization,
        tool: &str,
    ) -> Result<CallAuthorization, Halt> {
        match authorization {
            CallAuthorization::ApprovalRequired => Ok(authorization.with_grant(self.is_granted(tool).await?)),
            _ => Ok(authorization),
        }
    }

    /// Records a result; the call never runs again.
    pub(super) fn finish(&self, call: &ToolCall, output: Json, is_error: bool) -> Result<(), Halt> {
        if is_error {
            tracing::info!(task = %self.live.id, tool = call.name, "a tool call failed");
        }
        let result = ToolResult { call: call.id.clone(), name: call.name.clone(), output, is_error };
        self.commit(|_| vec![TaskEvent::ToolFinished { result }])
    }

    async fn unknown_tool(&self, spec: &AgentSpec, name: &str) -> Json {
        let tools = self.selected_tools(spec, self.available_tools(spec, Duration::ZERO).await);
        let names: Vec<String> = tools.into_iter().map(|tool| tool.name).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Json::string(&format!("{}: there is no tool '{name}'. Tools: {names}", ErrorCode::TOOL_NOT_FOUND.code))
    }
}

fn unanswered_output(request: &ToolInputRequest) -> Json {
    let questions: Vec<&str> = request.questions.iter().map(|question| question.message.as_str()).collect();
    Json::string(&format!(
        "{}: the tool asked a question, and no user is available to answer: {}",
        ErrorCode::TOOL_DENIED.code,
        questions.join(" ")
    ))
}

fn denied_output(refusal: &str) -> Json {
    Json::string(&format!("{}: tool call denied: {refusal}", ErrorCode::TOOL_DENIED.code))
}
