//! The tool calls of a turn, several at a time.

use super::{Driver, Halt};
use baton_ports::{BoxFuture, SampleAsk, Sampled, ToolHelper, ToolOutcome, ToolRun};
use baton_rules::{
    ASK_USER_TOOL, CallStage, CallState, EMIT_ARTIFACT_TOOL, HANDOFF_TOOL, REJECT_TASK_TOOL, REPLY_MESSAGE_TOOL,
};
use baton_types::{AgentSpec, Effects, Json, TaskEvent, ToolCall, ToolResult, ToolRunner, ToolSpec};
use futures_util::{StreamExt, stream};

impl Driver {
    /// Brings every call to its result; free calls do not wait for each other beyond the agent's limit.
    pub(super) async fn advance_calls(&self, spec: &AgentSpec, calls: Vec<CallState>) -> Result<(), Halt> {
        self.flush();
        let limit = usize::try_from(spec.limits.parallel_tools.max(1)).unwrap_or(1);
        let all = stream::iter(calls.into_iter().map(|state| self.advance_call(spec, state)))
            .buffer_unordered(limit)
            .collect::<Vec<_>>();
        tokio::select! {
            biased;
            () = self.live.cancel.cancelled() => Err(Halt::Changed),
            // One call that halts must not cut off the others: their results would be lost.
            done = all => done.into_iter().collect(),
            () = self.until_deadline() => Err(Halt::Changed),
        }
    }

    async fn advance_call(&self, spec: &AgentSpec, state: CallState) -> Result<(), Halt> {
        let CallState { call, stage, .. } = state;
        if let CallStage::HandedOff { handoff, child, deadline } = stage {
            return self.await_handoff(&call, &handoff, &child, deadline).await;
        }
        match call.name.as_str() {
            HANDOFF_TOOL if !spec.handoffs.is_empty() => self.hand_off(spec, &call).await,
            EMIT_ARTIFACT_TOOL if spec.control_tools.emit_artifact => self.emit_artifact(&call),
            REJECT_TASK_TOOL if spec.control_tools.reject_task => self.reject_task(&call).await,
            REPLY_MESSAGE_TOOL if spec.control_tools.reply_message => self.reply_message(&call).await,
            ASK_USER_TOOL if spec.control_tools.ask_user => Ok(()),
            name => match spec.tools.iter().find(|tool| tool.name == name) {
                Some(tool) => self.run_tool(spec, tool, &call).await,
                None => self.finish(&call, self.unknown_tool(spec, name), true),
            },
        }
    }

    async fn run_tool(&self, spec: &AgentSpec, tool: &ToolSpec, call: &ToolCall) -> Result<(), Halt> {
        if tool.runner == ToolRunner::BuiltIn {
            return self.finish(call, self.unknown_tool(spec, &tool.name), true);
        }
        let started = vec![TaskEvent::ToolStarted { call: call.id.clone(), effects: None }];
        if tool.effects == Effects::ReadOnly {
            self.commit(|_| started)?;
        } else {
            // The world may change from here on: first it must be on record that it was tried.
            self.commit_synced(started, Vec::new()).await?;
        }
        let principal = std::sync::Arc::clone(&self.live.owner);
        let trace = self.live.lock().trace.clone();
        let run = ToolRun {
            agent: spec,
            tool,
            call,
            principal: &principal,
            task: Some(&self.live.id),
            trace: trace.as_deref(),
            answers: None,
            helper: self,
        };
        match self.inner.ports.tools.call(run).await {
            ToolOutcome::Done(given) => self.finish(call, given.output, given.is_error),
            ToolOutcome::Asks(ask) => self.commit(|_| vec![TaskEvent::ToolAsked { call: call.id.clone(), ask }]),
        }
    }

    /// Records a result; from then on the call never runs again.
    pub(super) fn finish(&self, call: &ToolCall, output: Json, is_error: bool) -> Result<(), Halt> {
        let result = ToolResult { call: call.id.clone(), name: call.name.clone(), output, is_error };
        self.commit(|_| vec![TaskEvent::ToolFinished { result }])
    }

    fn unknown_tool(&self, spec: &AgentSpec, name: &str) -> Json {
        let tools = super::prompt::tools_of(spec, &*self.inner.ports.agents);
        let known: Vec<String> = tools.into_iter().map(|tool| tool.name).collect();
        Json::string(&format!("There is no tool '{name}'. Tools: {}", known.join(", ")))
    }
}

impl ToolHelper for Driver {
    fn sample(&self, _: SampleAsk) -> BoxFuture<'_, Result<Sampled, String>> {
        Box::pin(std::future::ready(Err("the agent has no model to lend".to_owned())))
    }
}
