//! An agent defined in code.

use crate::Error;
use baton_document::Severity;
use baton_server::{NativeTools, ProgramAgent, Tool, check_playbook};
use baton_types::{
    A2aSettings, AgentName, AgentResources, AgentSpec, ApprovalMode, BUILT_IN_TOOLS, ContextItem, ControlTools,
    ErrorCode, GenerationSettings, HandoffTarget, Knowledge, ModelSpec, Orchestration, PermissionRule, RunLimits,
    SkillSpec, ToolExecution, ToolPolicy, is_agent_name,
};
use std::sync::Arc;

/// An agent definition: model, prompt and tools. Only the name is required.
///
/// Errors in the definition are reported when it is served.
#[derive(Clone, Debug)]
pub struct Agent {
    name: String,
    title: Option<String>,
    description: Option<String>,
    version: String,
    prompt: String,
    playbook: Option<String>,
    writing: GenerationSettings,
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
    resources: AgentResources,
}

impl Agent {
    /// An agent with this name: lower-case letters, digits and dashes, because it is part of addresses.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            version: "0.1.0".to_owned(),
            prompt: String::new(),
            playbook: None,
            writing: GenerationSettings::default(),
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
            resources: AgentResources::default(),
        }
    }

    /// Display name; derived from the name if not set.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Description in the agent card.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Version of this definition, in the agent card.
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

    /// Rules of the playbook model, as in `playbook.yaml`.
    #[must_use]
    pub fn playbook(mut self, rules: impl Into<String>) -> Self {
        self.playbook = Some(rules.into());
        self
    }

    /// The model, as `provider:model`; its key comes from the agent's resources or from a variable such as
    /// `OPENAI_API_KEY`. Without a model, the playbook answers.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.writing.model = Some(model.into());
        self
    }

    /// Adds a fallback model, used after the model and the earlier fallbacks have failed.
    #[must_use]
    pub fn fallback(mut self, model: impl Into<String>) -> Self {
        self.writing.fallbacks.push(model.into());
        self
    }

    /// Adds a skill to the agent card; without any, the card shows the description as a skill.
    #[must_use]
    pub fn skill(mut self, id: impl Into<String>, name: impl Into<String>, description: impl Into<String>) -> Self {
        let id = id.into();
        let (name, description, tags) = (name.into(), description.into(), vec![id.clone()]);
        self.skills.push(SkillSpec { id, name, description, tags, examples: Vec::new() });
        self
    }

    /// Adds a function that its model, and every client of its Environment, may call.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Lets clients run the tools: calls are returned to them as data.
    #[must_use]
    pub fn client_side_tools(mut self) -> Self {
        self.tool_execution = ToolExecution::Caller;
        self
    }

    /// Presentation of its answers over A2A; by default one complete artifact.
    #[must_use]
    pub fn a2a(mut self, settings: A2aSettings) -> Self {
        self.a2a = settings;
        self
    }

    /// Allows handoffs to this agent of the same [`crate::Baton`].
    #[must_use]
    pub fn handoff_to(self, agent: impl Into<String>) -> Self {
        self.handoff_with_description(agent, "")
    }

    /// Allows handoffs to this agent for work that matches the description.
    #[must_use]
    pub fn handoff_with_description(mut self, agent: impl Into<String>, description: impl Into<String>) -> Self {
        let agent = AgentName::from(agent.into());
        self.handoffs.push(HandoffTarget { agent, description: description.into(), url: None });
        self
    }

    /// Allows handoffs to a remote agent at this address, under this local name.
    #[must_use]
    pub fn remote_handoff(mut self, agent: impl Into<String>, url: impl Into<String>) -> Self {
        let agent = AgentName::from(agent.into());
        self.handoffs.push(HandoffTarget { agent, description: String::new(), url: Some(url.into()) });
        self
    }

    /// Disables handoffs; by default they are allowed, to every agent of the same [`crate::Baton`] if no target is set.
    #[must_use]
    pub fn without_handoff(mut self) -> Self {
        self.enable_handoff = false;
        self
    }

    /// Adds a permission rule for its tools, including those of MCP servers; a denial always wins, otherwise the most
    /// specific rule.
    #[must_use]
    pub fn permission(mut self, rule: PermissionRule) -> Self {
        self.policy.rules.push(rule);
        self
    }

    /// Sets when a tool call requires approval; by default the tools decide.
    #[must_use]
    pub fn approval_mode(mut self, when: ApprovalMode) -> Self {
        self.policy.ask = when;
        self
    }

    /// Runs without a person for approvals: tools that require approval are not offered.
    #[must_use]
    pub fn autonomous(mut self) -> Self {
        self.autonomous = true;
        self
    }

    /// Lets it discover and call every agent of the same [`crate::Baton`].
    #[must_use]
    pub fn with_orchestration(mut self) -> Self {
        self.orchestration = Some(Orchestration::default());
        self
    }

    /// Lets its model ask the user, publish artifacts and reject tasks.
    #[must_use]
    pub fn with_control_tools(mut self) -> Self {
        self.control_tools =
            ControlTools { emit_artifact: true, ask_user: true, reject_task: true, reply_message: false };
        self
    }

    /// Limits of each run.
    #[must_use]
    pub fn limits(mut self, limits: RunLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Adds a reference text; also a resource of its Environment.
    #[must_use]
    pub fn reference(mut self, reference: ContextItem) -> Self {
        self.knowledge.references.push(reference);
        self
    }

    /// Adds a rule that guides the model.
    #[must_use]
    pub fn rule(mut self, rule: ContextItem) -> Self {
        self.knowledge.rules.push(rule);
        self
    }

    /// Adds resources beyond the definition: MCP servers that it uses, and tools that it exports.
    #[must_use]
    pub fn resources(mut self, resources: AgentResources) -> Self {
        let AgentResources { servers, exports, .. } = resources;
        self.resources.servers.extend(servers);
        self.resources.exports.extend(exports);
        self
    }

    /// Resolves the definition and its resources, and registers its functions.
    pub(crate) fn resolve(self, native: &mut NativeTools) -> Result<ProgramAgent, Error> {
        let wrong = |message: String| Error::new(ErrorCode::AGENT_INVALID, message);
        if !is_agent_name(&self.name) {
            return Err(wrong(format!(
                "an agent cannot be called {:?}; use lower-case letters, digits and dashes, at most 64, such as weather",
                self.name
            )));
        }
        let name = AgentName::from(self.name.as_str());
        if let Some(rules) = &self.playbook {
            let errors = check_playbook(rules).into_iter().filter(|remark| remark.severity == Severity::Error);
            if let Some(error) = errors.into_iter().next() {
                return Err(wrong(format!("the playbook of the agent '{name}' has an error: {error}")));
            }
        }
        if let Some(target) = self.handoffs.iter().find(|target| target.agent == name) {
            return Err(wrong(format!("the agent '{}' cannot hand work to itself", target.agent)));
        }
        if let Some(target) = self.handoffs.iter().find(|target| !is_agent_name(target.agent.as_str())) {
            return Err(wrong(format!(
                "the agent '{name}' cannot hand work to '{}': this is not a valid agent name",
                target.agent
            )));
        }
        if self.autonomous && self.tool_execution == ToolExecution::Caller {
            return Err(wrong(format!(
                "the autonomous agent '{name}' has tools that clients run; remove autonomous() or client_side_tools()"
            )));
        }
        for tool in self.tools {
            if BUILT_IN_TOOLS.contains(&tool.spec().name.as_str()) {
                return Err(wrong(format!(
                    "the tool '{}' of the agent '{name}' has the name of a built-in tool",
                    tool.spec().name
                )));
            }
            native.add(&name, tool).map_err(|problem| Error::new(problem.code(), problem.to_string()))?;
        }
        let title = self.title.unwrap_or_else(|| title_from_name(&self.name));
        let description = self.description.unwrap_or_else(|| title.clone());
        let mut skills = self.skills;
        if skills.is_empty() {
            // A card must have at least one skill.
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
            input_modes: AgentSpec::DEFAULT_INPUT_MODES.map(str::to_owned).to_vec(),
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
        Ok(ProgramAgent { spec: Arc::new(spec), resources: Arc::new(self.resources) })
    }
}

/// Turns `sales-desk` into `Sales Desk`.
fn title_from_name(name: &str) -> String {
    let words = name.split('-').filter(|word| !word.is_empty()).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    words.collect::<Vec<_>>().join(" ")
}
