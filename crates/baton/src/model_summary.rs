//! The start-up summary of models in use; never contains a key.

use crate::screen::{Paint, escape_for_terminal};
use baton_server::ModelSummary;
use serde_json::{Value, json};

const PROVIDER_SETUP_HINT: &str =
    "export OPENAI_API_KEY=... | ANTHROPIC_API_KEY=... | GEMINI_API_KEY=..., or start Ollama (no restart needed)";

/// Text lines, printed below the agents.
pub(crate) fn lines(summary: &ModelSummary, paint: Paint) -> Vec<String> {
    let label = |text: &str| paint.faint(&format!("{text:<8}"));
    let mut lines = Vec::new();
    let is_playbook = summary.model == "playbook";
    lines.push(match (is_playbook, &summary.source) {
        (true, _) => format!(
            "  {}  {} {}",
            label("model"),
            paint.strong("playbook"),
            paint.warn("(built in, no network, scripted answers: not an AI model)")
        ),
        (false, Some(source)) => {
            format!(
                "  {}  {} ({})",
                label("model"),
                paint.strong(&escape_for_terminal(&summary.model)),
                escape_for_terminal(source)
            )
        }
        (false, None) => format!("  {}  {}", label("model"), paint.strong(&escape_for_terminal(&summary.model))),
    });
    for model in &summary.others {
        lines.push(format!(
            "  {}  {} ({})",
            label("found"),
            escape_for_terminal(&model.model),
            escape_for_terminal(&model.source)
        ));
    }
    for own in summary.agent_models.iter().filter(|own| own.problem.is_none()) {
        lines.push(format!("  {}  {} for {}", label(""), escape_for_terminal(&own.model), paint.name(&own.agent)));
    }
    if is_playbook && summary.agent_models.is_empty() {
        if let Some(agent) = &summary.sample_agent {
            lines.push(format!("  {}  baton run {agent} \"Hello\"", label("try")));
        }
        lines.push(format!("  {}  {PROVIDER_SETUP_HINT}", label("real AI")));
    }
    for own in &summary.agent_models {
        if let Some(problem) = &own.problem {
            let warning = paint.warn("warning");
            let model = escape_for_terminal(&own.model);
            lines.push(format!(
                "{warning}: {model} cannot be used for {}: {}",
                own.agent,
                escape_for_terminal(problem)
            ));
        }
    }
    lines
}

/// JSON form.
pub(crate) fn to_json(summary: &ModelSummary) -> Value {
    let found: Vec<_> =
        summary.others.iter().map(|model| json!({ "model": model.model, "found": model.source })).collect();
    let own: Vec<_> = summary
        .agent_models
        .iter()
        .map(|own| json!({ "agent": own.agent, "model": own.model, "trouble": own.problem }))
        .collect();
    json!({ "model": summary.model, "found": summary.source, "others": found, "agents": own })
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_server::{AgentModel, DetectedModel};

    fn playbook() -> ModelSummary {
        ModelSummary {
            model: "playbook".to_owned(),
            source: None,
            others: Vec::new(),
            agent_models: Vec::new(),
            sample_agent: Some("weather".to_owned()),
        }
    }

    #[test]
    fn summary_of_the_first_run() {
        insta::assert_snapshot!(lines(&playbook(), Paint::PLAIN).join("\n"), @r#"
          model     playbook (built in, no network, scripted answers: not an AI model)
          try       baton run weather "Hello"
          real AI   export OPENAI_API_KEY=... | ANTHROPIC_API_KEY=... | GEMINI_API_KEY=..., or start Ollama (no restart needed)
        "#);
    }

    #[test]
    fn summary_lists_candidates_and_problems() {
        let finding = |model: &str, why: &str| DetectedModel { model: model.to_owned(), source: why.to_owned() };
        let own = |agent: &str, model: &str, trouble: Option<&str>| AgentModel {
            agent: agent.to_owned(),
            model: model.to_owned(),
            problem: trouble.map(str::to_owned),
        };
        let found = ModelSummary {
            model: "openai:gpt-5-mini".to_owned(),
            source: Some("OPENAI_API_KEY".to_owned()),
            others: vec![finding("ollama:qwen3:8b", "Ollama answers at http://127.0.0.1:11434")],
            agent_models: vec![
                own("poet", "claude:claude-sonnet-4-5", None),
                own("clerk", "gemini:gemini-2.5-flash", Some("gemini needs a key; set GEMINI_API_KEY")),
            ],
            sample_agent: Some("poet".to_owned()),
        };
        insta::assert_snapshot!(lines(&found, Paint::PLAIN).join("\n"), @r"
          model     openai:gpt-5-mini (OPENAI_API_KEY)
          found     ollama:qwen3:8b (Ollama answers at http://127.0.0.1:11434)
                    claude:claude-sonnet-4-5 for poet
        warning: gemini:gemini-2.5-flash cannot be used for clerk: gemini needs a key; set GEMINI_API_KEY
        ");
    }
}
