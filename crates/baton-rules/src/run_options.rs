//! Application of run options to a definition, and the calls that they forbid.

use crate::TaskRecord;
use baton_types::{AgentSpec, Effects, Json, Permission, RunOptions, ToolRunner, ToolSpec};

/// Definition with run options applied; a run is pinned to it.
pub fn apply_run_options(spec: &AgentSpec, wishes: &RunOptions) -> AgentSpec {
    let mut spec = spec.clone();
    if let Some(instructions) = &wishes.instructions {
        if !spec.prompt.is_empty() {
            spec.prompt.push_str("\n\n");
        }
        spec.prompt.push_str(instructions);
    }
    if let Some(form) = &wishes.answer {
        spec.answer = Some(form.clone());
    }
    if wishes.disable_parallel_tool_calls {
        spec.limits.parallel_tools = 1;
    }
    let writing = &mut spec.writing;
    writing.max_output_tokens = wishes.max_output_tokens.or(writing.max_output_tokens);
    writing.temperature = wishes.temperature.or(writing.temperature);
    writing.top_p = wishes.top_p.or(writing.top_p);
    if !wishes.stop.is_empty() {
        writing.stop.clone_from(&wishes.stop);
    }
    if wishes.effort.is_some() {
        writing.effort.clone_from(&wishes.effort);
    }
    spec
}

impl TaskRecord {
    /// New run options of the task. Servers with open calls are kept if the new options name none.
    pub(crate) fn merge_run_options(&self, wishes: &RunOptions) -> Box<RunOptions> {
        let mut wishes = Box::new(wishes.clone());
        let is_open =
            |held: &RunOptions| self.open_calls().any(|state| held.find_caller_server_tool(&state.call.name).is_some());
        if let Some(held) = self.wishes.as_deref().filter(|held| wishes.servers.is_empty() && is_open(held)) {
            wishes.servers.clone_from(&held.servers);
        }
        wishes
    }
}

/// Whether the options change the definition.
pub fn changes_definition(wishes: &RunOptions) -> bool {
    wishes.instructions.is_some()
        || wishes.answer.is_some()
        || wishes.disable_parallel_tool_calls
        || wishes.max_output_tokens.is_some()
        || wishes.temperature.is_some()
        || wishes.top_p.is_some()
        || !wishes.stop.is_empty()
        || wishes.effort.is_some()
}

/// Functions of the caller as tools for the model.
pub fn caller_tools(wishes: &RunOptions) -> impl Iterator<Item = ToolSpec> {
    wishes.tools.iter().map(|tool| ToolSpec {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.parameters.clone(),
        effects: Effects::Unknown,
        runner: ToolRunner::Caller,
        output: None,
        permission: Permission::Allow,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    })
}

/// Explanation for the model if the run options forbid the call; none if it is allowed.
pub fn forbidden_reason(task: &TaskRecord, tool: &str) -> Option<Json> {
    let wishes = task.wishes.as_deref()?;
    if !wishes.tool_choice.allows(tool) {
        return Some(Json::string(&format!("'{tool}' may not be called in this request. Continue without it.")));
    }
    let most = wishes.max_tool_calls?;
    let begun = task.run.as_ref().map_or(0, |run| run.begun);
    (begun >= most).then(|| {
        let calls = if most == 1 { "one tool call".to_owned() } else { format!("{most} tool calls") };
        Json::string(&format!(
            "This request allows {calls}, and the limit is reached. Answer with the information you have."
        ))
    })
}
