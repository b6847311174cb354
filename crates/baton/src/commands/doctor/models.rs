//! Checks the models of the agents.

use super::check::CheckResult;
use crate::{commands::models::report_providers, config::BatonSettings};
use baton_server::{ProviderQuery, Readiness};
use serde_json::json;

/// Checks that a model is available and that all configured providers respond.
pub(super) async fn check(settings: &BatonSettings) -> CheckResult {
    let report = match report_providers(settings, None, None, ProviderQuery::All).await {
        Ok(report) => report,
        Err(failure) => return CheckResult::from_failure("models", &failure),
    };
    let failing: Vec<String> = report
        .providers
        .iter()
        .filter(|provider| provider.from.is_some() || report.model.starts_with(&format!("{}:", provider.id)))
        .filter_map(|provider| match &provider.readiness {
            Readiness::Failing(problem) => Some(format!("{}: {problem}", provider.id)),
            _ => None,
        })
        .collect();
    let data = json!({ "model": report.model, "failing": failing });
    let check = if !failing.is_empty() {
        CheckResult::failed(
            "models",
            failing.join("; "),
            "Test a key with `baton models check PROVIDER`. For the sources of keys, see docs/models.md.",
        )
    } else if report.model == "playbook" {
        let next = "To use an AI model, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or start Ollama; see `baton models`.";
        CheckResult::note("models", "using the built-in playbook, which is not an AI model", next)
    } else {
        let source = report.source.map(|source| format!(" ({source})")).unwrap_or_default();
        CheckResult::passed("models", format!("using {}{source}", report.model))
    };
    check.with_data(data)
}
