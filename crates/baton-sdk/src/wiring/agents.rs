//! The agents of a program as a port.

use crate::{Agent, Error};
use baton_ports::AgentSource;
use baton_toolhost::NativeTools;
use baton_types::{AgentKit, AgentName, AgentSpec, ErrorCode};
use std::sync::Arc;

/// A fixed set of agents.
pub(super) struct CodedAgents(Vec<(Arc<AgentSpec>, Arc<AgentKit>)>);

impl CodedAgents {
    /// Resolves the agents, and checks what one alone cannot show.
    pub(super) fn of(agents: Vec<Agent>) -> Result<(Self, NativeTools), Error> {
        let wrong = |message: String| Error::new(ErrorCode::AGENT_INVALID, message);
        let mut native = NativeTools::new();
        let mut resolved: Vec<(Arc<AgentSpec>, Arc<AgentKit>)> = Vec::with_capacity(agents.len());
        for agent in agents {
            let (spec, kit) = agent.resolved(&mut native)?;
            if resolved.iter().any(|(other, _)| other.name == spec.name) {
                return Err(wrong(format!("two agents are called '{}'; give one of them another name", spec.name)));
            }
            resolved.push((Arc::new(spec), Arc::new(kit)));
        }
        if resolved.is_empty() {
            return Err(wrong("there is no agent to serve; give one to Baton::agent".to_owned()));
        }
        resolved.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        let all = Self(resolved);
        for (spec, _) in &all.0 {
            if let Some(target) = spec.handoffs.iter().find(|target| all.agent(&target.agent).is_none()) {
                return Err(wrong(format!(
                    "the agent '{}' hands work to '{}', which is not served here; give it to Baton::agent, too",
                    spec.name, target.agent
                )));
            }
        }
        Ok((all, native))
    }

    fn find(&self, name: &AgentName) -> Option<&(Arc<AgentSpec>, Arc<AgentKit>)> {
        self.0.iter().find(|(spec, _)| spec.name == *name)
    }
}

impl AgentSource for CodedAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.0.iter().map(|(spec, _)| Arc::clone(spec)).collect()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.find(name).map(|(spec, _)| Arc::clone(spec))
    }

    fn kit(&self, name: &AgentName) -> Arc<AgentKit> {
        self.find(name).map(|(_, kit)| Arc::clone(kit)).unwrap_or_default()
    }
}
