//! The start-up summary of models in use; never contains a key.

use crate::screen::{Paint, harmless};
use serde_json::{Value, json};

/// Default model, other detected models, and models that agents name themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answering {
    /// `playbook`, or `provider:model`.
    pub(crate) model: String,
    /// How the model was detected; none if it was configured.
    pub(crate) why: Option<String>,
    /// Other models that were detected.
    pub(crate) others: Vec<Finding>,
    /// Agents that name a model.
    pub(crate) own: Vec<OwnModel>,
    /// An agent for the sample command.
    pub(crate) first: Option<String>,
}

/// A detected model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) model: String,
    pub(crate) why: String,
}

/// The model of an agent that names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnModel {
    pub(crate) agent: String,
    pub(crate) model: String,
    /// Reason why the model cannot be used.
    pub(crate) trouble: Option<String>,
}

const REAL: &str =
    "export OPENAI_API_KEY=... | ANTHROPIC_API_KEY=... | GEMINI_API_KEY=..., or start Ollama (no restart needed)";

impl Answering {
    /// Text lines, printed below the agents.
    pub(crate) fn lines(&self, paint: Paint) -> Vec<String> {
        let label = |word: &str| paint.faint(&format!("{word:<8}"));
        let mut lines = Vec::new();
        let is_playbook = self.model == "playbook";
        lines.push(match (is_playbook, &self.why) {
            (true, _) => format!(
                "  {}  {} {}",
                label("model"),
                paint.strong("playbook"),
                paint.warn("(built in, no network, scripted answers: not an AI model)")
            ),
            (false, Some(why)) => {
                format!("  {}  {} ({})", label("model"), paint.strong(&harmless(&self.model)), harmless(why))
            }
            (false, None) => format!("  {}  {}", label("model"), paint.strong(&harmless(&self.model))),
        });
        for other in &self.others {
            lines.push(format!("  {}  {} ({})", label("found"), harmless(&other.model), harmless(&other.why)));
        }
        for own in self.own.iter().filter(|own| own.trouble.is_none()) {
            lines.push(format!("  {}  {} for {}", label(""), harmless(&own.model), paint.name(&own.agent)));
        }
        if is_playbook && self.own.is_empty() {
            if let Some(agent) = &self.first {
                lines.push(format!("  {}  baton run {agent} \"Hello\"", label("try")));
            }
            lines.push(format!("  {}  {REAL}", label("real AI")));
        }
        for own in &self.own {
            if let Some(trouble) = &own.trouble {
                let warning = paint.warn("warning");
                let model = harmless(&own.model);
                lines.push(format!("{warning}: {model} cannot be used for {}: {}", own.agent, harmless(trouble)));
            }
        }
        lines
    }

    /// JSON form.
    pub(crate) fn to_json(&self) -> Value {
        let found: Vec<_> =
            self.others.iter().map(|other| json!({ "model": other.model, "found": other.why })).collect();
        let own: Vec<_> = self
            .own
            .iter()
            .map(|own| json!({ "agent": own.agent, "model": own.model, "trouble": own.trouble }))
            .collect();
        json!({ "model": self.model, "found": self.why, "others": found, "agents": own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn playbook() -> Answering {
        Answering {
            model: "playbook".to_owned(),
            why: None,
            others: Vec::new(),
            own: Vec::new(),
            first: Some("weather".to_owned()),
        }
    }

    #[test]
    fn the_first_run() {
        insta::assert_snapshot!(playbook().lines(Paint::PLAIN).join("\n"), @r#"
          model     playbook (built in, no network, scripted answers: not an AI model)
          try       baton run weather "Hello"
          real AI   export OPENAI_API_KEY=... | ANTHROPIC_API_KEY=... | GEMINI_API_KEY=..., or start Ollama (no restart needed)
        "#);
    }

    #[test]
    fn every_candidate_and_every_trouble() {
        let finding = |model: &str, why: &str| Finding { model: model.to_owned(), why: why.to_owned() };
        let own = |agent: &str, model: &str, trouble: Option<&str>| OwnModel {
            agent: agent.to_owned(),
            model: model.to_owned(),
            trouble: trouble.map(str::to_owned),
        };
        let found = Answering {
            model: "openai:gpt-5-mini".to_owned(),
            why: Some("OPENAI_API_KEY".to_owned()),
            others: vec![finding("ollama:qwen3:8b", "Ollama answers at http://127.0.0.1:11434")],
            own: vec![
                own("poet", "claude:claude-sonnet-4-5", None),
                own("clerk", "gemini:gemini-2.5-flash", Some("gemini needs a key; set GEMINI_API_KEY")),
            ],
            first: Some("poet".to_owned()),
        };
        insta::assert_snapshot!(found.lines(Paint::PLAIN).join("\n"), @r"
          model     openai:gpt-5-mini (OPENAI_API_KEY)
          found     ollama:qwen3:8b (Ollama answers at http://127.0.0.1:11434)
                    claude:claude-sonnet-4-5 for poet
        warning: gemini:gemini-2.5-flash cannot be used for clerk: gemini needs a key; set GEMINI_API_KEY
        ");
    }
}
