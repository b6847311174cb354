//! Applies the tool options of a run: additional tools, restrictions and required calls.

use super::Driver;
use baton_ports::ToolChoice;
use baton_rules::{SessionToolSettings, caller_tools, is_offered};
use baton_types::{AgentSpec, CallerToolChoice, ToolSpec};

impl Driver {
    /// Adds the caller's tools and removes those that the options exclude. A caller tool replaces an agent tool of the
    /// same name. Denials of the definition also apply to the caller's servers.
    pub(super) fn apply_run_options(
        &self,
        spec: &AgentSpec,
        settings: &SessionToolSettings,
        mut tools: Vec<ToolSpec>,
    ) -> Vec<ToolSpec> {
        let cell = self.live.lock();
        let Some(options) = cell.task.wishes.as_deref() else { return tools };
        let is_offered = |tool: &&ToolSpec| {
            settings.exclusion_reason(tool).is_none() && is_offered(&spec.policy, &settings.permission_context(), tool)
        };
        tools.retain(|tool| options.find_caller_server_tool(&tool.name).is_none());
        tools.extend(options.caller_server_tools().filter(is_offered).cloned());
        tools.retain(|tool| !options.tools.iter().any(|function| function.name == tool.name));
        tools.extend(caller_tools(options));
        tools.retain(|tool| options.tool_choice.allows(&tool.name));
        tools
    }

    /// Tool choice of the turn. A required call applies to the first turn only; otherwise the run would never answer.
    pub(super) fn requested_tool_choice(&self, turn: u32) -> ToolChoice {
        let cell = self.live.lock();
        match cell.task.wishes.as_deref().map(|options| &options.tool_choice) {
            Some(CallerToolChoice::None) => ToolChoice::None,
            Some(CallerToolChoice::Required | CallerToolChoice::Only { required: true, .. }) if turn == 1 => {
                ToolChoice::Required
            }
            Some(CallerToolChoice::Named(name)) if turn == 1 => ToolChoice::Named(name.clone()),
            _ => ToolChoice::Auto,
        }
    }
}
