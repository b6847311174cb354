//! Application of run options to a definition, and the calls that they forbid.

use crate::TaskRecord;
use baton_types::{AgentSpec, Effects, Json, Permission, RunOptions, ToolRunner, ToolSpec};

/// Definition with run options applied; a run is pinned to it.
pub fn apply_run_options(spec: &AgentSpec, options: &RunOptions) -> AgentSpec {
    let mut spec = spec.clone();
    if let Some(instructions) = &options.instructions {
        if !spec.prompt.is_empty() {
            spec.prompt.push_str("\n\n");
        }
        spec.prompt.push_str(instructions);
    }
    if let Some(form) = &options.answer {
        spec.answer = Some(form.clone());
    }
    if options.disable_parallel_tool_calls {
        spec.limits.parallel_tools = 1;
    }
    let writing = &mut spec.writing;
    writing.max_output_tokens = options.max_output_tokens.or(writing.max_output_tokens);
    writing.temperature = options.temperature.or(writing.temperature);
    writing.top_p = options.top_p.or(writing.top_p);
    if !options.stop.is_empty() {
        writing.stop.clone_from(&options.stop);
    }
    if options.effort.is_some() {
        writing.effort.clone_from(&options.effort);
    }
    spec
}

impl TaskRecord {
    /// New run options of the task. Servers with open calls are kept if the new options name none.
    pub(crate) fn merge_run_options(&self, options: &RunOptions) -> Box<RunOptions> {
        let mut options = Box::new(options.clone());
        let is_open = |current: &RunOptions| {
            self.open_calls().any(|state| current.find_caller_server_tool(&state.call.name).is_some())
        };
        if let Some(current) = self.wishes.as_deref().filter(|current| options.servers.is_empty() && is_open(current)) {
            options.servers.clone_from(&current.servers);
        }
        options
    }
}

/// Whether the options change the definition.
pub fn changes_definition(options: &RunOptions) -> bool {
    options.instructions.is_some()
        || options.answer.is_some()
        || options.disable_parallel_tool_calls
        || options.max_output_tokens.is_some()
        || options.temperature.is_some()
        || options.top_p.is_some()
        || !options.stop.is_empty()
        || options.effort.is_some()
}

/// Functions of the caller as tools for the model.
pub fn caller_tools(options: &RunOptions) -> impl Iterator<Item = ToolSpec> {
    options.tools.iter().map(|tool| ToolSpec {
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
    let options = task.wishes.as_deref()?;
    if !options.tool_choice.allows(tool) {
        return Some(Json::string(&format!("'{tool}' may not be called in this request. Continue without it.")));
    }
    let max_calls = options.max_tool_calls?;
    let started_calls = task.run.as_ref().map_or(0, |run| run.begun);
    (started_calls >= max_calls).then(|| {
        let calls = if max_calls == 1 { "one tool call".to_owned() } else { format!("{max_calls} tool calls") };
        Json::string(&format!(
            "This request allows {calls}, and the limit is reached. Answer with the information you have."
        ))
    })
}
