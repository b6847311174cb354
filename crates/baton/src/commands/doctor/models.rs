//! Who answers for the agents.

use super::check::Check;
use crate::{
    config::Settings,
    wiring::{self, Asks},
};
use serde_json::json;

/// Looks whether there is a model, and whether all that were set up answer.
pub(super) async fn check(settings: &Settings) -> Check {
    let report = match wiring::report(settings, None, None, Asks::Everybody).await {
        Ok(report) => report,
        Err(failure) => return Check::failed("models", &failure),
    };
    let failing: Vec<String> = report
        .providers
        .iter()
        .filter(|provider| provider.from.is_some() || report.model.starts_with(&format!("{}:", provider.id)))
        .filter_map(|provider| match &provider.readiness {
            wiring::Readiness::Trouble(what) => Some(format!("{}: {what}", provider.id)),
            _ => None,
        })
        .collect();
    let data = json!({ "model": report.model, "failing": failing });
    let check = if !failing.is_empty() {
        Check::bad(
            "models",
            failing.join("; "),
            "`baton models check PROVIDER` tries a key; docs/models.md says where keys come from.",
        )
    } else if report.model == "playbook" {
        let next = "Set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or start Ollama, for an AI model; `baton models` shows more.";
        Check::remark("models", "the built-in playbook answers, which is not an AI model", next)
    } else {
        let why = report.why.map(|why| format!(" ({why})")).unwrap_or_default();
        Check::good("models", format!("{} answers{why}", report.model))
    };
    check.with(data)
}
