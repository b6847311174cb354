//! Builds the model call: system prompt, conversation and tools.

use super::{
    Driver, Halt, current_request::last_request_index, orchestrate::orchestration_tools, read_output::read_output_tool,
    shorten::is_shortened,
};
use baton_ports::{AgentSource, Model, ModelCall, ModelError, OutputFormat};
use baton_rules::{
    ASK_USER_TOOL, EMIT_ARTIFACT_TOOL, HANDOFF_TOOL, REJECT_TASK_TOOL, REPLY_MESSAGE_TOOL, SessionToolSettings,
    TaskRecord, is_offered,
};
use baton_types::{
    AgentSpec, Effects, HandoffTarget, Json, MessageId, Permission, RequestContext, Role, ToolRunner, ToolSpec,
};
use futures_util::future::poll_immediate;
use serde_json::json;
use std::{sync::LazyLock, time::Duration};

/// Maximum agents listed to a model whose agent may hand work to all of them.
const MAX_LISTED_AGENTS: usize = 50;

/// Maximum wait of the first model call for tool servers that are starting; later tools are offered in later calls.
const TOOL_SERVER_TIMEOUT: Duration = Duration::from_millis(800);

impl Driver {
    /// All tools that the model may call now.
    pub(super) async fn available_tools(&self, spec: &AgentSpec, timeout: Duration) -> Vec<ToolSpec> {
        let ports = &self.inner.ports;
        let mut offered = ports.tools.available_tools(spec, timeout);
        let offered = match poll_immediate(&mut offered).await {
            Some(offered) => offered,
            None => {
                self.flush();
                tokio::select! {
                    biased;
                    () = self.live.cancel.cancelled() => Vec::new(),
                    () = self.inner.stopping.cancelled() => Vec::new(),
                    offered = offered => offered,
                }
            }
        };
        // Relevance-based selection happens later, when all candidates are known.
        let settings = SessionToolSettings { chosen: None, ..self.settings(spec) };
        let tools = all_tools(spec, offered, &*ports.agents, &settings);
        self.apply_run_options(spec, &settings, tools)
    }

    /// The tools that are part of the request.
    pub(super) fn selected_tools(&self, spec: &AgentSpec, mut tools: Vec<ToolSpec>) -> Vec<ToolSpec> {
        let settings = self.settings(spec);
        tools.retain(|tool| settings.exclusion_reason(tool).is_none());
        tools
    }

    /// Builds the model call; `too_long` after the provider reported that the conversation does not fit.
    pub(super) async fn model_call(
        &self,
        spec: &AgentSpec,
        model: &dyn Model,
        (message_id, turn, attempt): (MessageId, u32, u32),
        too_long: bool,
    ) -> Result<Result<ModelCall, ModelError>, Halt> {
        let timeout = if turn == 1 { TOOL_SERVER_TIMEOUT } else { Duration::ZERO };
        let tools = self.available_tools(spec, timeout).await;
        self.choose_context(spec, &tools).await?;
        let tools = self.selected_tools(spec, tools);
        let (metadata, request) = {
            let cell = self.live.lock();
            let last = cell.task.history.iter().rev().find(|message| message.role == Role::User);
            (last.and_then(|message| message.metadata.clone()), current_request_context(&cell.task).cloned())
        };
        let mut call = ModelCall {
            agent: spec.name.clone(),
            system: system_prompt(spec),
            messages: Vec::new(),
            tools,
            tool_choice: self.requested_tool_choice(turn),
            format: OutputFormat::Text,
            writing: spec.writing.clone(),
            parallel_calls: spec.limits.parallel_tools > 1,
            turn,
            attempt,
            message_id,
            metadata,
        };
        self.apply_answer_format(spec, &mut call);
        if let Err(error) = self.set_messages(spec, model, &mut call, request.as_ref(), too_long).await? {
            return Ok(Err(error));
        }
        if call.messages.iter().any(is_shortened) {
            call.tools.push(read_output_tool());
        }
        Ok(Ok(call))
    }
}

/// Context selected for the last caller message.
pub(super) fn current_request_context(task: &TaskRecord) -> Option<&RequestContext> {
    let (message, request) = task.request.as_ref()?;
    let last = last_request_index(&task.history)?;
    (task.history[last].id == *message).then_some(request)
}

/// The system prompt, followed by the orchestration prompt.
fn system_prompt(spec: &AgentSpec) -> String {
    match spec.orchestration.as_ref().and_then(|orchestration| orchestration.prompt.as_deref()) {
        Some(more) if !spec.prompt.is_empty() => format!("{}\n\n{more}", spec.prompt),
        Some(more) => more.to_owned(),
        None => spec.prompt.clone(),
    }
}

/// Tools of the agent, of its servers, then permitted built-in tools.
fn all_tools(
    spec: &AgentSpec,
    offered: Vec<ToolSpec>,
    agents: &dyn AgentSource,
    settings: &SessionToolSettings,
) -> Vec<ToolSpec> {
    let mut tools: Vec<ToolSpec> = spec.tools.iter().cloned().chain(offered).collect();
    if spec.orchestration.is_some() {
        tools.extend(orchestration_tools());
    }
    if spec.enable_handoff {
        tools.push(handoff_tool(spec, agents));
    }
    tools.retain(|tool| {
        settings.exclusion_reason(tool).is_none() && is_offered(&spec.policy, &settings.permission_context(), tool)
    });
    let control = spec.control_tools;
    let control_tools = [
        (control.emit_artifact, &EMIT_ARTIFACT),
        (control.ask_user && !settings.autonomous, &ASK_USER),
        (control.reject_task, &REJECT_TASK),
        (control.reply_message, &REPLY_MESSAGE),
    ];
    tools.extend(control_tools.into_iter().filter(|(is_offered, _)| *is_offered).map(|(_, tool)| (**tool).clone()));
    tools
}

static EMIT_ARTIFACT: LazyLock<ToolSpec> = LazyLock::new(|| {
    built_in(
        EMIT_ARTIFACT_TOOL,
        "Publish an output of the task, such as a document or data.",
        json!({"type": "object", "properties": {
            "name": {"type": "string", "description": "A short name for the output"},
            "text": {"type": "string", "description": "The output as text"},
            "data": {"description": "The output as JSON"},
            "filename": {"type": "string", "description": "A file name for the output"}},
            "required": ["name"]}),
    )
});

static ASK_USER: LazyLock<ToolSpec> = LazyLock::new(|| {
    built_in(
        ASK_USER_TOOL,
        "Ask the user a question and wait for the answer.",
        json!({"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}),
    )
});

static REJECT_TASK: LazyLock<ToolSpec> = LazyLock::new(|| {
    built_in(
        REJECT_TASK_TOOL,
        "Refuse the task, with the reason.",
        json!({"type": "object", "properties": {"reason": {"type": "string"}}, "required": ["reason"]}),
    )
});

static REPLY_MESSAGE: LazyLock<ToolSpec> = LazyLock::new(|| {
    built_in(
        REPLY_MESSAGE_TOOL,
        "Answer with a single message and be done, without a task to look at.",
        json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}),
    )
});

fn handoff_tool(spec: &AgentSpec, agents: &dyn AgentSource) -> ToolSpec {
    let about = |target: &HandoffTarget| match agents.agent(&target.agent) {
        Some(agent) if target.description.is_empty() => agent.description.clone(),
        _ => target.description.clone(),
    };
    let all_agents = || agents.listings().into_iter().filter(|agent| agent.name != spec.name).take(MAX_LISTED_AGENTS);
    let listed: Vec<(String, String)> = match spec.handoffs.as_slice() {
        [] => all_agents().map(|agent| (agent.name.to_string(), agent.description.clone())).collect(),
        targets => targets.iter().map(|target| (target.agent.to_string(), about(target))).collect(),
    };
    let list: Vec<String> = listed.iter().map(|(name, about)| format!("{name}: {about}")).collect();
    let mut uri = json!({"type": "string", "description": "The agent"});
    if !listed.is_empty() {
        uri["enum"] = listed.iter().map(|(name, _)| name.as_str()).collect();
    }
    built_in(
        HANDOFF_TOOL,
        &format!("Hand work to another agent and get its answer. Agents:\n{}", list.join("\n")),
        json!({"type": "object", "properties": {
            "agent_uri": uri,
            "message": {"type": "string", "description": "What the agent is asked, in full"},
            "context_id": {"type": "string", "description": "A conversation with that agent to go on with"}},
            "required": ["agent_uri", "message"]}),
    )
}

pub(super) fn built_in(name: &str, description: &str, parameters: serde_json::Value) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: Json::from(parameters),
        effects: Effects::Idempotent,
        runner: ToolRunner::BuiltIn,
        output: None,
        permission: Permission::Allow,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    }
}
