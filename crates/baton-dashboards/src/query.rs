//! Pieces of TraceQL that several dashboards share.

use baton_telemetry::names::{self, operation};

/// What stands in queries for the agent that was chosen.
pub const AGENT_VARIABLE: &str = "$agent";
/// What the variable is while no agent is chosen: a pattern that every agent meets.
pub const ANY_AGENT: &str = ".*";
/// What stands in queries for the project that was chosen.
pub const PROJECT_VARIABLE: &str = "$project";
/// What the variable is while no project is chosen: spans that name none count, too.
pub const ANY_PROJECT: &str = ".*";

/// An attribute of a span, by its name.
pub(crate) fn span(name: &str) -> String {
    format!("span.{name}")
}

/// Spans of the chosen project for which all of this is true.
pub(crate) fn spans(conditions: &[String]) -> String {
    format!("{{ {} && {} }}", conditions.join(" && "), of_project())
}

/// An attribute is this text.
pub(crate) fn is(name: &str, text: &str) -> String {
    // A name of a model may hold anything.
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{} = \"{text}\"", span(name))
}

/// The attribute names the chosen agent.
pub(crate) fn chosen(name: &str) -> String {
    format!("{} =~ \"{AGENT_VARIABLE}\"", span(name))
}

/// The attribute that names a project, wherever it is: a span may say it, or its resource.
pub(crate) fn project() -> String {
    format!(".{}", names::PROJECT_ID)
}

/// Of the chosen project. A pattern finds nothing where there is no attribute, so that all projects are told apart from
/// one by the variable itself.
fn of_project() -> String {
    format!("(\"{PROJECT_VARIABLE}\" = \"{ANY_PROJECT}\" || {} =~ \"{PROJECT_VARIABLE}\")", project())
}

/// Runs of the chosen agent. Who asks an agent elsewhere has a span of that run, too, which is of kind `client`.
pub(crate) fn runs(more: &[String]) -> String {
    let run = [is(names::GEN_AI_OPERATION_NAME, operation::INVOKE_AGENT), "kind != client".to_owned()];
    of_agent(&run, more)
}

/// Model calls of the chosen agent, whichever way its model is asked.
pub(crate) fn chats(more: &[String]) -> String {
    let ways = operation::MODEL_CALLS.join("|");
    of_agent(&[format!("{} =~ \"{ways}\"", span(names::GEN_AI_OPERATION_NAME))], more)
}

/// Tool calls of the chosen agent.
pub(crate) fn tools(more: &[String]) -> String {
    of_agent(&[is(names::GEN_AI_OPERATION_NAME, operation::EXECUTE_TOOL)], more)
}

/// Handoffs by the chosen agent.
pub(crate) fn handoffs(more: &[String]) -> String {
    let handoff = [is(names::GEN_AI_OPERATION_NAME, operation::HANDOFF_REQUEST), chosen(names::HANDOFF_FROM_AGENT)];
    spans(&[&handoff, more].concat())
}

/// Requests to the chosen agent.
pub(crate) fn requests(more: &[String]) -> String {
    of_agent(&["kind = server".to_owned()], more)
}

/// Only those that went wrong.
pub(crate) fn failed() -> [String; 1] {
    ["status = error".to_owned()]
}

/// How many of a hundred of these go wrong, from how the spans are chosen.
pub(crate) fn failed_share(of: fn(&[String]) -> String) -> String {
    format!("({} | count_over_time()) / ({} | count_over_time()) * 100", of(&failed()), of(&[]))
}

/// The end of a metrics query that groups by these attributes.
pub(crate) fn by(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| span(name)).collect();
    format!("by ({})", names.join(", "))
}

/// The end of a search that shows these attributes.
pub(crate) fn select(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| span(name)).collect();
    format!("select({})", names.join(", "))
}

fn of_agent(first: &[String], more: &[String]) -> String {
    spans(&[first, &[chosen(names::GEN_AI_AGENT_NAME)], more].concat())
}
