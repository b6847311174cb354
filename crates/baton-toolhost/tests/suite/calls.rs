//! Tool calls without an engine.

use baton_ports::{
    BoxFuture, SamplingRequest, SamplingResult, ToolHelper, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
    ToolProgress,
};
use baton_types::{
    AgentName, AgentSpec, ControlTools, Effects, Json, ModelSpec, Permission, Principal, RunLimits, SkillSpec,
    ToolCall, ToolExecution, ToolRunner, ToolSpec,
};
use std::sync::Mutex;

/// A helper that records progress.
#[derive(Default)]
pub(crate) struct Listener {
    pub(crate) progress: Mutex<Vec<ToolProgress>>,
}

impl ToolHelper for Listener {
    fn sample(&self, _: SamplingRequest) -> BoxFuture<'_, Result<SamplingResult, String>> {
        Box::pin(async { Err("nobody writes here".to_owned()) })
    }

    fn progress(&self, progress: ToolProgress) {
        self.progress.lock().unwrap().push(progress);
    }
}

/// An agent with these tools.
pub(crate) fn agent(name: &str, tools: Vec<ToolSpec>) -> AgentSpec {
    AgentSpec {
        name: AgentName::from(name),
        title: name.to_owned(),
        description: "for tests".to_owned(),
        version: "1".to_owned(),
        prompt: String::new(),
        skills: vec![SkillSpec {
            id: "test".to_owned(),
            name: "test".to_owned(),
            description: "tests".to_owned(),
            tags: Vec::new(),
            examples: Vec::new(),
        }],
        input_modes: AgentSpec::DEFAULT_INPUT_MODES.map(str::to_owned).to_vec(),
        knowledge: Default::default(),
        about: Default::default(),
        writing: Default::default(),
        tools,
        answer: None,
        guardrails: Vec::new(),
        model: ModelSpec::Playbook { rules: None },
        tool_execution: ToolExecution::Agent,
        limits: RunLimits::default(),
        control_tools: ControlTools::default(),
        handoffs: Vec::new(),
        orchestration: None,
        a2a: baton_types::A2aSettings::default(),
        enable_handoff: false,
        policy: Default::default(),
        autonomous: false,
    }
}

/// A tool with this runner.
pub(crate) fn tool(name: &str, runner: ToolRunner) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: "for tests".to_owned(),
        parameters: Json::parse(r#"{"type":"object"}"#).unwrap(),
        effects: Effects::Unknown,
        runner,
        output: None,
        permission: Permission::Allow,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    }
}

/// Runs one call to completion.
pub(crate) async fn done(host: &dyn ToolHost, agent: &AgentSpec, tool: &ToolSpec, arguments: &str) -> ToolOutput {
    done_with_progress(host, agent, tool, arguments).await.0
}

/// Runs one call to completion and returns its progress, too.
pub(crate) async fn done_with_progress(
    host: &dyn ToolHost,
    agent: &AgentSpec,
    tool: &ToolSpec,
    arguments: &str,
) -> (ToolOutput, Vec<ToolProgress>) {
    let call = ToolCall { id: "call-1".into(), name: tool.name.clone(), arguments: Json::parse(arguments).unwrap() };
    let principal = Principal::local();
    let listener = Listener::default();
    let trace = Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    let run = ToolInvocation {
        agent,
        tool,
        call: &call,
        principal: &principal,
        task: None,
        trace,
        answers: None,
        helper: &listener,
    };
    let ToolOutcome::Done(output) = host.call(run).await else { panic!("the tool asks") };
    (output, listener.progress.into_inner().unwrap())
}
