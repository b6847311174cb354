//! Checks the models of the agents.

use super::check::Check;
use crate::{
    config::Settings,
    wiring::{self, Asks},
};
use serde_json::json;

/// Checks that a model is available and that all configured providers respond.
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
            "Test a key with `baton models check PROVIDER`. For the sources of keys, see docs/models.md.",
        )
    } else if report.model == "playbook" {
        let next = "To use an AI model, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or start Ollama; see `baton models`.";
        Check::remark("models", "using the built-in playbook, which is not an AI model", next)
    } else {
        let why = report.why.map(|why| format!(" ({why})")).unwrap_or_default();
        Check::good("models", format!("using {}{why}", report.model))
    };
    check.with(data)
}
