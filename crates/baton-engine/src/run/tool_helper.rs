//! Requests of tools during a call: model sampling and handoffs.

use super::{Driver, prompt::built_in};
use crate::Engine;
use baton_ports::{
    BoxFuture, ChatMessage, HandoffRequest, ModelCall, ModelEvent, OutputFormat, SamplingRequest, SamplingResult,
    ToolChoice, ToolHelper,
};
use baton_rules::{CallAuthorization, CallState, HANDOFF_TOOL, admit_handoff, handoff_depth};
use baton_types::{
    AgentSpec, BudgetUsage, GenerationSettings, ModelNote, Role, TaskEvent, TaskId, TaskState, ToolCall, Usage,
};
use futures_util::StreamExt;
use std::sync::Arc;

/// Maximum model output passed to a tool, in bytes.
const MAX_SAMPLE_BYTES: usize = 256 * 1024;

/// Model name reported when an agent answers in place of a model.
const AGENT_MODEL: &str = "a2a-agent";

/// The run as seen by its tools.
pub(super) struct RunToolHelper<'a> {
    pub(super) driver: &'a Driver,
    pub(super) spec: &'a AgentSpec,
    /// Name of the requesting tool, followed by its call.
    pub(super) tool: &'a str,
    pub(super) state: &'a CallState,
}

impl ToolHelper for RunToolHelper<'_> {
    fn sample(&self, request: SamplingRequest) -> BoxFuture<'_, Result<SamplingResult, String>> {
        Box::pin(async move {
            match &request.agent_uri {
                Some(uri) => self.ask_agent(uri, &request).await,
                None => self.ask_model(request).await,
            }
        })
    }

    fn depth(&self) -> u32 {
        let cell = self.driver.live.lock();
        let chain_length = cell.task.parent.as_ref().map_or(0, |parent| parent.chain.len());
        cell.task.depth.saturating_add(u32::try_from(chain_length + 1).unwrap_or(u32::MAX))
    }

    fn remote_task(&self) -> Option<TaskId> {
        let cell = self.driver.live.lock();
        cell.task.peer.as_ref().and_then(|peer| peer.task.clone()).map(TaskId::from)
    }
}

impl RunToolHelper<'_> {
    async fn ask_model(&self, request: SamplingRequest) -> Result<SamplingResult, String> {
        let ports = &self.driver.inner.ports;
        let model = ports.models.model(self.spec).map_err(|error| error.to_string())?;
        let messages = request.messages.into_iter().map(|(role, text)| match role {
            Role::User => ChatMessage::User { id: ports.ids.next_id().into(), text, files: Vec::new() },
            Role::Agent => ChatMessage::Assistant { text, calls: Vec::new(), reasoning: None },
        });
        let call = ModelCall {
            agent: self.spec.name.clone(),
            system: request.system.unwrap_or_default(),
            messages: messages.collect(),
            tools: Vec::new(),
            tool_choice: ToolChoice::None,
            format: OutputFormat::Text,
            writing: GenerationSettings { stop: Vec::new(), ..self.spec.writing.clone() },
            parallel_calls: false,
            turn: 1,
            attempt: 1,
            message_id: ports.ids.next_id().into(),
            metadata: None,
        };
        let unknown = |_| "the budget cannot be checked now".to_owned();
        let reservation = self.driver.try_reserve_model_budget(self.spec, &*model, &call).await.map_err(unknown)?;
        let _reservation = reservation.map_err(|reason| format!("{}: {}", reason.code, reason.detail))?;
        let mut answer = model.call(call);
        let mut text = String::new();
        while let Some(event) = answer.next().await {
            match event.map_err(|error| error.to_string())? {
                ModelEvent::Text(more) if text.len() + more.len() > MAX_SAMPLE_BYTES => {
                    return Err("the model output exceeds the limit for tools".to_owned());
                }
                ModelEvent::Text(more) => text.push_str(&more),
                ModelEvent::Reasoning(_)
                | ModelEvent::ReasoningComplete(_)
                | ModelEvent::ToolCall(_)
                | ModelEvent::Note(_) => {}
                ModelEvent::Done { usage, answered_by: by, .. } => {
                    let by = by.unwrap_or_else(|| model.name().to_owned());
                    self.record_usage(
                        by.clone(),
                        Usage { micro_dollars: model.price_for(&by, usage).unwrap_or_default(), ..usage },
                    )?;
                    return Ok(SamplingResult { text, model: by, ..SamplingResult::default() });
                }
            }
        }
        Err("the model output ended early".to_owned())
    }

    /// Counts model usage of a tool as usage of the run.
    fn record_usage(&self, model: String, usage: Usage) -> Result<(), String> {
        self.driver.add_usage(self.spec, BudgetUsage::from_model_call(usage, 0));
        let note = ModelNote::Used { purpose: format!("the tool {}", self.tool), model, usage };
        let ended = |_| "the task has ended".to_owned();
        self.driver.buffer_events(|_| vec![TaskEvent::ModelNoted { note }]).map_err(ended)
    }

    /// A handoff requested by a tool follows the same rules as one by the agent.
    async fn ask_agent(&self, uri: &str, request: &SamplingRequest) -> Result<SamplingResult, String> {
        let (parent, earlier, trace) = {
            let cell = self.driver.live.lock();
            (cell.task.parent.clone(), cell.task.depth, cell.call_trace_context(&self.state.call.id))
        };
        let inner = &self.driver.inner;
        let first_local_agent = inner.first_local_agent(self.spec, parent.as_ref());
        let to = inner.target_name(self.spec, first_local_agent.as_deref(), uri);
        let max_depth = inner.options.max_handoff_depth;
        let chain = admit_handoff(self.spec, first_local_agent.as_deref(), parent.as_ref(), earlier, &to, max_depth)
            .map_err(|rejection| rejection.to_string())?;
        let text = request.messages.iter().filter(|(role, _)| *role == Role::User).map(|(_, text)| text.as_str());
        let text = text.collect::<Vec<_>>().join("\n");
        self.check_handoff_allowed(uri, &text).await?;
        let before = handoff_depth(&chain, earlier).saturating_sub(1);
        let handoff = HandoffRequest {
            from: self.spec.name.clone(),
            agent_uri: uri.to_owned(),
            message: text,
            context: request.context.clone().map(Into::into),
            depth: u32::try_from(before).unwrap_or(u32::MAX),
            trace: trace.map(|context| context.to_string()),
            task: Some(self.driver.live.id.clone()),
            call: Some(self.state.call.id.clone()),
            autonomous: self.driver.live.lock().task.autonomous || self.spec.autonomous,
            reason: None,
        };
        let engine = Engine { inner: Arc::clone(inner) };
        let reply = engine
            .hand_over_with_local_agent(&self.driver.live.owner, handoff, first_local_agent.as_deref())
            .await
            .map_err(|error| error.to_string())?;
        match reply.state {
            TaskState::Completed => Ok(SamplingResult {
                text: reply.text,
                model: AGENT_MODEL.to_owned(),
                task: Some(reply.task.to_string()),
                context: Some(reply.context.to_string()),
            }),
            state => Err(format!("the agent's task is {}: {}", state.as_str(), reply.text)),
        }
    }

    /// Applies the permission of `handoff` to tools. No approval can be requested during a call; an approval of the
    /// call covers its handoffs.
    async fn check_handoff_allowed(&self, uri: &str, text: &str) -> Result<(), String> {
        let arguments = serde_json::json!({ "agent_uri": uri, "message": text }).into();
        let call = ToolCall { id: self.state.call.id.clone(), name: HANDOFF_TOOL.to_owned(), arguments };
        let settings = self.driver.settings(self.spec);
        let tool = built_in(HANDOFF_TOOL, "", serde_json::Value::Null);
        let unknown = |_| "the handoff permission cannot be checked now".to_owned();
        let mut authorization = settings.authorize_call(&self.spec.policy, &tool, &call.arguments, self.state.approved);
        for granted in [HANDOFF_TOOL, self.tool] {
            authorization = self.driver.apply_grants(authorization, granted).await.map_err(unknown)?;
        }
        match authorization {
            CallAuthorization::ApprovalRequired => Err(format!(
                "'{HANDOFF_TOOL}' did not run, because it needs an approval, which cannot be requested during a call"
            )),
            _ => authorization.refusal(HANDOFF_TOOL).map_or(Ok(()), Err),
        }
    }
}
