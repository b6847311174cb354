//! Checks the agents and their definitions.

use super::check::CheckResult;
use crate::{
    commands::{agents::list_known_agents, trace::formatting::counted},
    config::BatonSettings,
    connect::{BatonConnection, client_failure},
    failure::diagnostic_json,
};
use baton_document::Diagnostic;
use serde_json::json;

const NAME: &str = "agents";
/// Maximum number of names that are listed.
const MAX_NAMES: usize = 8;

/// Checks that there are agents and that their definitions have no errors.
pub(super) async fn check(settings: Option<&BatonSettings>, session: Option<&BatonConnection>) -> CheckResult {
    let served = match session.filter(|session| session.url.is_some()) {
        Some(session) => match session.client.agents().await {
            Ok(agents) => Some(agents.into_iter().map(|agent| agent.name).collect::<Vec<_>>()),
            Err(error) => return CheckResult::from_failure(NAME, &client_failure(error)),
        },
        None => None,
    };
    let known = settings.map(list_known_agents);
    let (names, verb) = match (served, &known) {
        (Some(names), _) => (names, "served"),
        (None, Some(Ok(loaded))) => (loaded.agents.iter().map(|agent| agent.name.to_string()).collect(), "found"),
        (None, Some(Err(failure))) => {
            return CheckResult::note(NAME, failure.message(), failure.advice().unwrap_or_default());
        }
        (None, None) => (Vec::new(), "found"),
    };
    let problems: Vec<&Diagnostic> = match &known {
        Some(Ok(loaded)) => loaded.diagnostics.iter().collect(),
        _ => Vec::new(),
    };
    let facts =
        json!({ "agents": names, "diagnostics": problems.iter().map(|it| diagnostic_json(it)).collect::<Vec<_>>() });
    let message = format!("{} {verb}{}", counted(names.len() as u64, "agent"), listed(&names));
    let broken = problems.iter().find(|problem| problem.is_error());
    let check = match (broken, problems.first()) {
        (Some(problem), _) => {
            let location = format!("{}:{}:{}: {}", problem.file, problem.line, problem.column, problem.message);
            CheckResult::failed(NAME, format!("{message}; some definitions have errors"), location)
        }
        (None, Some(problem)) => {
            let location = format!("{}:{}:{}: {}", problem.file, problem.line, problem.column, problem.message);
            CheckResult::note(NAME, format!("{message}, with warnings"), location)
        }
        (None, None) if names.is_empty() => {
            CheckResult::note(NAME, message, "Create one with `baton new helper`, and serve it with `baton up helper`.")
        }
        (None, None) => CheckResult::passed(NAME, message),
    };
    check.with_data(facts)
}

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => String::new(),
        many if many > MAX_NAMES => format!(": {shown} and others"),
        _ => format!(": {shown}"),
    }
}
