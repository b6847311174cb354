//! An agent, written in code.

use crate::Error;
use baton_agentdir::{Severity, is_agent_name};
use baton_toolhost::{NativeTools, Tool};
use baton_types::{
    A2aSettings, AgentKit, AgentName, AgentSpec, AskWhen, BUILT_IN_TOOLS, ContextItem, ControlTools, ErrorCode,
    HandoffTarget, Knowledge, ModelSpec, Orchestration, PermissionRule, RunLimits, SkillSpec, ToolExecution,
    ToolPolicy, Writing,
};

/// Who answers, with which words and which functions; everything but the name may be left out.
///
/// What is wrong with it is said when it is served.
#[derive(Clone, Debug)]
pub struct Agent {
    name: String,
    title: Option<String>,
    description: Option<String>,
    version: String,
    prompt: String,
    playbook: Option<String>,
    writing: Writing,
    skills: Vec<SkillSpec>,
    tools: Vec<Tool>,
    tool_execution: ToolExecution,
    enable_handoff: bool,
    handoffs: Vec<HandoffTarget>,
    policy: ToolPolicy,
    autonomous: bool,
    orchestration: Option<Orchestration>,
    a2a: A2aSettings,
    control_tools: ControlTools,
    limits: RunLimits,
    knowledge: Knowledge,
    kit: AgentKit,
}

impl Agent {
    /// An agent of this name: lower-case letters, digits and dashes, since it is part of addresses.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            version: "0.1.0".to_owned(),
            prompt: String::new(),
            playbook: None,
            writing: Writing::default(),
            skills: Vec::new(),
            tools: Vec::new(),
            tool_execution: ToolExecution::Agent,
            enable_handoff: true,
            handoffs: Vec::new(),
            policy: ToolPolicy::default(),
            autonomous: false,
            orchestration: None,
            a2a: A2aSettings::default(),
            control_tools: ControlTools::default(),
            limits: RunLimits::default(),
            knowledge: Knowledge::default(),
            kit: AgentKit::default(),
        }
    }

    /// The name that people see; made of the name unless given.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// What it is for, in its card.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The version of this definition, in its card.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// The system prompt; also the prompt `system_prompt` of its Environment.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// The rules by which the playbook model answers, as in `playbook.yaml`.
    #[must_use]
    pub fn playbook(mut self, rules: impl Into<String>) -> Self {
        self.playbook = Some(rules.into());
        self
    }

    /// The model that answers, as `provider:model`; its key is in the kit, or in a variable such as `OPENAI_API_KEY`. The
    /// playbook answers when nobody is named.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.writing.model = Some(model.into());
        self
    }

    /// Who is asked when that model does not answer, after those named before.
    #[must_use]
    pub fn fallback(mut self, model: impl Into<String>) -> Self {
        self.writing.fallbacks.push(model.into());
        self
    }

    /// Something it is good at, in its card; without any its description stands there.
    #[must_use]
    pub fn skill(mut self, id: impl Into<String>, name: impl Into<String>, description: impl Into<String>) -> Self {
        let id = id.into();
        let (name, description, tags) = (name.into(), description.into(), vec![id.clone()]);
        self.skills.push(SkillSpec { id, name, description, tags, examples: Vec::new() });
        self
    }

    /// A function that its model, and every client of its Environment, may call.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Callers run the tools: calls go back to them as data.
    #[must_use]
    pub fn tools_run_by_caller(mut self) -> Self {
        self.tool_execution = ToolExecution::Caller;
        self
    }

    /// How its answers appear over A2A: one whole artifact by default.
    #[must_use]
    pub fn a2a(mut self, settings: A2aSettings) -> Self {
        self.a2a = settings;
        self
    }

    /// It may hand work to that agent of the same [`crate::Baton`].
    #[must_use]
    pub fn handoff_to(self, agent: impl Into<String>) -> Self {
        self.handoff_when(agent, "")
    }

    /// It may hand work to that agent, when the description fits.
    #[must_use]
    pub fn handoff_when(mut self, agent: impl Into<String>, description: impl Into<String>) -> Self {
        let agent = AgentName::from(agent.into());
        self.handoffs.push(HandoffTarget { agent, description: description.into(), url: None });
        self
    }

    /// It may hand work to an agent that lives at this address, under this name here.
    #[must_use]
    pub fn handoff_at(mut self, agent: impl Into<String>, url: impl Into<String>) -> Self {
        let agent = AgentName::from(agent.into());
        self.handoffs.push(HandoffTarget { agent, description: String::new(), url: Some(url.into()) });
        self
    }

    /// It hands work to nobody; without this it may, to every agent of the same [`crate::Baton`] if none is named.
    #[must_use]
    pub fn without_handoff(mut self) -> Self {
        self.enable_handoff = false;
        self
    }

    /// A rule about its tools, those of MCP servers too; a denial always counts, otherwise the most exact rule does.
    #[must_use]
    pub fn permission(mut self, rule: PermissionRule) -> Self {
        self.policy.rules.push(rule);
        self
    }

    /// When somebody is asked before a tool runs; as the tools say unless said otherwise.
    #[must_use]
    pub fn asks(mut self, when: AskWhen) -> Self {
        self.policy.ask = when;
        self
    }

    /// It works without anybody to ask: tools that would ask are not offered to it.
    #[must_use]
    pub fn autonomous(mut self) -> Self {
        self.autonomous = true;
        self
    }

    /// It may find and call every agent of the same [`crate::Baton`].
    #[must_use]
    pub fn orchestrates(mut self) -> Self {
        self.orchestration = Some(Orchestration::default());
        self
    }

    /// Its model may ask the user, publish outputs and refuse work.
    #[must_use]
    pub fn controls_its_task(mut self) -> Self {
        self.control_tools =
            ControlTools { emit_artifact: true, ask_user: true, reject_task: true, reply_message: false };
        self
    }

    /// Bounds of each run.
    #[must_use]
    pub fn limits(mut self, limits: RunLimits) -> Self {
        self.limits = limits;
        self
    }

    /// A text that it can rely on; also a resource of its Environment.
    #[must_use]
    pub fn reference(mut self, reference: ContextItem) -> Self {
        self.knowledge.references.push(reference);
        self
    }

    /// A rule that guides it.
    #[must_use]
    pub fn rule(mut self, rule: ContextItem) -> Self {
        self.knowledge.rules.push(rule);
        self
    }

    /// What it has beside its definition: MCP servers that it uses, work that it offers as tools.
    #[must_use]
    pub fn kit(mut self, kit: AgentKit) -> Self {
        let AgentKit { servers, exports, .. } = kit;
        self.kit.servers.extend(servers);
        self.kit.exports.extend(exports);
        self
    }

    /// The definition, what is beside it, and its functions in the registry.
    pub(crate) fn resolved(self, native: &mut NativeTools) -> Result<(AgentSpec, AgentKit), Error> {
        let wrong = |message: String| Error::new(ErrorCode::AGENT_INVALID, message);
        if !is_agent_name(&self.name) {
            return Err(wrong(format!(
                "an agent cannot be called {:?}; use lower-case letters, digits and dashes, at most 64, such as weather",
                self.name
            )));
        }
        let name = AgentName::from(self.name.as_str());
        if let Some(rules) = &self.playbook {
            let errors = baton_models::check(rules).into_iter().filter(|remark| remark.severity == Severity::Error);
            if let Some(error) = errors.into_iter().next() {
                return Err(wrong(format!("the playbook of the agent '{name}' has an error: {error}")));
            }
        }
        if let Some(target) = self.handoffs.iter().find(|target| target.agent == name) {
            return Err(wrong(format!("the agent '{}' cannot hand work to itself", target.agent)));
        }
        if let Some(target) = self.handoffs.iter().find(|target| !is_agent_name(target.agent.as_str())) {
            return Err(wrong(format!(
                "the agent '{name}' cannot hand work to '{}': no agent can have that name",
                target.agent
            )));
        }
        if self.autonomous && self.tool_execution == ToolExecution::Caller {
            return Err(wrong(format!(
                "the autonomous agent '{name}' has tools that callers run; leave out autonomous() or tools_run_by_caller()"
            )));
        }
        for tool in self.tools {
            if BUILT_IN_TOOLS.contains(&tool.spec().name.as_str()) {
                return Err(wrong(format!(
                    "the tool '{}' of the agent '{name}' is one of Baton's own",
                    tool.spec().name
                )));
            }
            native.add(&name, tool).map_err(|problem| Error::new(problem.code(), problem.to_string()))?;
        }
        let title = self.title.unwrap_or_else(|| titled(&self.name));
        let description = self.description.unwrap_or_else(|| title.clone());
        let mut skills = self.skills;
        if skills.is_empty() {
            // A card has to advertise something.
            skills.push(SkillSpec {
                id: self.name.clone(),
                name: title.clone(),
                description: description.clone(),
                tags: vec![self.name],
                examples: Vec::new(),
            });
        }
        let spec = AgentSpec {
            title,
            description,
            version: self.version,
            prompt: self.prompt,
            skills,
            input_modes: AgentSpec::USUAL_MODES.map(str::to_owned).to_vec(),
            knowledge: self.knowledge,
            about: Default::default(),
            writing: self.writing,
            tools: native.specs(&name),
            answer: None,
            guardrails: Vec::new(),
            model: ModelSpec::Playbook { rules: self.playbook },
            tool_execution: self.tool_execution,
            limits: self.limits,
            control_tools: self.control_tools,
            handoffs: self.handoffs,
            orchestration: self.orchestration,
            a2a: self.a2a,
            enable_handoff: self.enable_handoff,
            policy: self.policy,
            autonomous: self.autonomous,
            name,
        };
        Ok((spec, self.kit))
    }
}

/// `sales-desk` is the Sales Desk.
fn titled(name: &str) -> String {
    let words = name.split('-').filter(|word| !word.is_empty()).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    words.collect::<Vec<_>>().join(" ")
}
