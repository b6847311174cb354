//! An agent with exactly one MCP server.

use crate::scenario::ConformanceScenario;
use baton_ports::AgentSource;
use baton_types::{
    AgentName, AgentResources, AgentSpec, ControlTools, McpPermissions, McpServer, McpTimeouts, McpTransport,
    ModelSpec, Permission, RunLimits, ToolExecution,
};
use std::{collections::BTreeMap, sync::Arc};

pub(crate) struct SingleServerAgent {
    spec: Arc<AgentSpec>,
    resources: Arc<AgentResources>,
}

impl SingleServerAgent {
    pub(crate) fn new(scene: &ConformanceScenario) -> Self {
        let spec = AgentSpec {
            name: "conformance".into(),
            title: "Conformance".to_owned(),
            description: String::new(),
            version: "1".to_owned(),
            prompt: String::new(),
            skills: Vec::new(),
            input_modes: Vec::new(),
            knowledge: Default::default(),
            about: Default::default(),
            writing: Default::default(),
            tools: Vec::new(),
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
        };
        let server = McpServer {
            name: "suite".to_owned(),
            file: "mcp.json".to_owned(),
            transport: McpTransport::Http { url: scene.url.clone(), headers: BTreeMap::new() },
            enabled: true,
            era: scene.era,
            timeouts: McpTimeouts::default(),
            permissions: McpPermissions { default: Permission::Allow, rules: Vec::new() },
            include: Vec::new(),
            exclude: Vec::new(),
            modes: Default::default(),
            prefix: None,
            required: true,
            trusted: false,
            oauth: Some(scene.oauth.clone()),
        };
        let resources = AgentResources { servers: vec![server], ..AgentResources::default() };
        Self { spec: Arc::new(spec), resources: Arc::new(resources) }
    }

    pub(crate) fn spec(&self) -> &AgentSpec {
        &self.spec
    }
}

impl AgentSource for SingleServerAgent {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        vec![Arc::clone(&self.spec)]
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        Some(&self.spec).filter(|spec| spec.name == *name).cloned()
    }

    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        if *name == self.spec.name { Arc::clone(&self.resources) } else { Arc::default() }
    }
}
