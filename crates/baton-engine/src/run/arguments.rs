//! Checks tool arguments before a call runs.

use super::{Driver, Halt};
use baton_rules::{CallState, argument_errors, is_built_in};
use baton_types::{AgentSpec, Json, ToolCall, ToolSpec};
use std::{collections::HashSet, time::Duration};

impl Driver {
    /// Error for the model when the arguments do not match the tool's parameters.
    pub(super) fn argument_error(&self, tool: &ToolSpec, call: &ToolCall) -> Option<Json> {
        let form = match tool.parameters.is_object() {
            true => self.inner.schemas.get_or_parse(&tool.parameters),
            false => return argument_errors(None, call).map(|text| Json::string(&text)),
        };
        if let Err(error) = &form {
            // A schema may be understood only by the service of the tool, which checks the arguments as well.
            tracing::warn!(task = %self.live.id, tool = tool.name, %error, "arguments are not checked");
        }
        argument_errors(form.ok().as_deref(), call).map(|text| Json::string(&text))
    }

    /// Tools among the calls that must not run concurrently with others.
    pub(super) async fn sequential_tools(&self, spec: &AgentSpec, calls: &[CallState]) -> HashSet<String> {
        if calls.len() < 2 {
            return HashSet::new();
        }
        let is_own = |name: &str| is_built_in(name) || spec.tools.iter().any(|tool| tool.name == name);
        let offered = match calls.iter().all(|state| is_own(&state.call.name)) {
            true => Vec::new(),
            false => self.inner.ports.tools.available_tools(spec, Duration::ZERO).await,
        };
        let sequential = spec.tools.iter().chain(&offered).filter(|tool| tool.sequential);
        sequential.map(|tool| tool.name.clone()).collect()
    }

    /// Records a result unless the call already has one.
    pub(super) fn finish_open(&self, call: &ToolCall, output: Json) -> Result<(), Halt> {
        let is_open = self.live.lock().task.call(&call.id).is_some_and(|state| !state.stage.is_finished());
        if is_open { self.finish(call, output, true) } else { Ok(()) }
    }
}
