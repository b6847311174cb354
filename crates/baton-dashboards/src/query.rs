//! TraceQL fragments shared by several dashboards.

use baton_telemetry::names::{self, operation};

/// Dashboard variable of the selected agent.
pub const AGENT_VARIABLE: &str = "$agent";
/// Value of the variable when all agents are selected: a pattern that matches every name.
pub const ANY_AGENT: &str = ".*";
/// Dashboard variable of the selected project.
pub const PROJECT_VARIABLE: &str = "$project";
/// Value of the variable when all projects are selected; includes spans without a project.
pub const ANY_PROJECT: &str = ".*";

/// An attribute of a span, by its name.
pub(crate) fn span(name: &str) -> String {
    format!("span.{name}")
}

/// Spans of the selected project that meet all conditions.
pub(crate) fn spans(conditions: &[String]) -> String {
    format!("{{ {} && {} }}", conditions.join(" && "), matches_project())
}

/// Condition: the attribute equals a text.
pub(crate) fn equals(name: &str, text: &str) -> String {
    // Model names may contain any character.
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{} = \"{text}\"", span(name))
}

/// Condition: the attribute matches the selected agent.
pub(crate) fn matches_agent(name: &str) -> String {
    format!("{} =~ \"{AGENT_VARIABLE}\"", span(name))
}

/// The project attribute, in span or resource scope.
pub(crate) fn project() -> String {
    format!(".{}", names::PROJECT_ID)
}

/// Condition: the span belongs to the selected project. A pattern does not match spans without the attribute, so the
/// variable itself is compared to detect that all projects are selected.
fn matches_project() -> String {
    format!("(\"{PROJECT_VARIABLE}\" = \"{ANY_PROJECT}\" || {} =~ \"{PROJECT_VARIABLE}\")", project())
}

/// Runs of the selected agent. The caller of a remote agent has a span of that run as well, of kind `client`.
pub(crate) fn runs(more: &[String]) -> String {
    let run = [equals(names::GEN_AI_OPERATION_NAME, operation::INVOKE_AGENT), "kind != client".to_owned()];
    agent_spans(&run, more)
}

/// Model calls of the selected agent, of any operation.
pub(crate) fn chats(more: &[String]) -> String {
    let ways = operation::MODEL_CALLS.join("|");
    agent_spans(&[format!("{} =~ \"{ways}\"", span(names::GEN_AI_OPERATION_NAME))], more)
}

/// Tool calls of the selected agent.
pub(crate) fn tools(more: &[String]) -> String {
    agent_spans(&[equals(names::GEN_AI_OPERATION_NAME, operation::EXECUTE_TOOL)], more)
}

/// Handoffs by the selected agent.
pub(crate) fn handoffs(more: &[String]) -> String {
    let handoff =
        [equals(names::GEN_AI_OPERATION_NAME, operation::HANDOFF_REQUEST), matches_agent(names::HANDOFF_FROM_AGENT)];
    spans(&[&handoff, more].concat())
}

/// Requests to the selected agent.
pub(crate) fn requests(more: &[String]) -> String {
    agent_spans(&["kind = server".to_owned()], more)
}

/// Condition: the span failed.
pub(crate) fn failed_condition() -> [String; 1] {
    ["status = error".to_owned()]
}

/// Failure percentage of the selected spans.
pub(crate) fn failed_share(of: fn(&[String]) -> String) -> String {
    format!("({} | count_over_time()) / ({} | count_over_time()) * 100", of(&failed_condition()), of(&[]))
}

/// Grouping of a metrics query by these attributes.
pub(crate) fn by(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| span(name)).collect();
    format!("by ({})", names.join(", "))
}

/// Selection of these attributes in a search.
pub(crate) fn select(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| span(name)).collect();
    format!("select({})", names.join(", "))
}

fn agent_spans(first: &[String], more: &[String]) -> String {
    spans(&[first, &[matches_agent(names::GEN_AI_AGENT_NAME)], more].concat())
}
