//! Applies the tool options of a run: additional tools, restrictions and required calls.

use super::Driver;
use baton_ports::ToolChoice;
use baton_rules::{SessionSettings, callers_tools, offers};
use baton_types::{AgentSpec, ToolSpec, WishedCalls};

impl Driver {
    /// Adds the caller's tools and removes those that the options exclude. A caller tool replaces an agent tool of the
    /// same name. Denials of the definition also apply to the caller's servers.
    pub(super) fn as_wished(
        &self,
        spec: &AgentSpec,
        settings: &SessionSettings,
        mut tools: Vec<ToolSpec>,
    ) -> Vec<ToolSpec> {
        let cell = self.live.lock();
        let Some(wishes) = cell.task.wishes.as_deref() else { return tools };
        let is_offered =
            |tool: &&ToolSpec| settings.leaves_out(tool).is_none() && offers(&spec.policy, &settings.session(), tool);
        tools.retain(|tool| wishes.guest_tool(&tool.name).is_none());
        tools.extend(wishes.guest_tools().filter(is_offered).cloned());
        tools.retain(|tool| !wishes.tools.iter().any(|theirs| theirs.name == tool.name));
        tools.extend(callers_tools(wishes));
        tools.retain(|tool| wishes.calls.allow(&tool.name));
        tools
    }

    /// Tool choice of the turn. A required call applies to the first turn only; otherwise the run would never answer.
    pub(super) fn wished_choice(&self, turn: u32) -> ToolChoice {
        let cell = self.live.lock();
        match cell.task.wishes.as_deref().map(|wishes| &wishes.calls) {
            Some(WishedCalls::None) => ToolChoice::None,
            Some(WishedCalls::Required | WishedCalls::Only { required: true, .. }) if turn == 1 => ToolChoice::Required,
            Some(WishedCalls::Named(name)) if turn == 1 => ToolChoice::Named(name.clone()),
            _ => ToolChoice::Auto,
        }
    }
}
