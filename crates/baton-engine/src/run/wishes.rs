//! What the caller wishes of this run: further tools, fewer, and which of them have to be called.

use super::Driver;
use baton_ports::ToolChoice;
use baton_rules::{SessionSettings, callers_tools, offers};
use baton_types::{AgentSpec, ToolSpec, WishedCalls};

impl Driver {
    /// The tools with the caller's among them, and without those that it does not want called. A tool of the caller's takes
    /// the place of one of the agent's that has its name: the caller knows what it asks for. What the definition denies is
    /// denied to servers of the caller's too.
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

    /// Whether a tool has to be called now. What has to be called once is called in the first turn: a run that had to call
    /// something every time would never answer.
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
