//! Text output of providers and models.

use crate::screen::{Paint, columns, escape_for_terminal, one_line};
use baton_server::{ModelReport, ModelsReport, ProviderReport, Readiness};

/// Number of models shown per provider when all providers are listed.
const MAX_LISTED_MODELS: usize = 5;

/// Lines of the report.
pub(super) fn lines(report: &ModelsReport, is_complete: bool, paint: Paint) -> Vec<String> {
    let source = report.source.as_ref().map(|source| format!(" ({})", escape_for_terminal(source))).unwrap_or_default();
    let mut lines = vec![format!("current model: {}{source}", paint.strong(&escape_for_terminal(&report.model)))];
    for provider in &report.providers {
        lines.push(String::new());
        lines.push(head(provider, paint));
        let limit = if is_complete { usize::MAX } else { MAX_LISTED_MODELS };
        let shown = provider.models.iter().take(limit);
        let rows: Vec<[String; 5]> = shown.map(|model| row(&provider.id, model)).collect();
        if !rows.is_empty() {
            let titles = ["  MODEL", "WINDOW", "OUTPUT", "$/M IN", "$/M OUT"].map(str::to_owned);
            let rows: Vec<_> = std::iter::once(titles).chain(rows).collect();
            lines.extend(columns(&rows));
        }
        let more = provider.models.len().saturating_sub(limit);
        if more > 0 {
            lines.push(format!("  … and {more} more: baton models --provider {}", provider.id));
        }
    }
    lines
}

fn head(provider: &ProviderReport, paint: Paint) -> String {
    let name = paint.strong(&format!("{:<9}", provider.id));
    let from = provider.from.as_ref().map(|from| format!(" ({})", escape_for_terminal(from))).unwrap_or_default();
    match &provider.readiness {
        Readiness::Ready { live: true } => format!("{name} {}  {}{from}", paint.good("ready"), provider.title),
        Readiness::Ready { live: false } => format!("{name} {}  {}{from}", paint.good("configured"), provider.title),
        Readiness::Missing(problem) => {
            format!("{name} {}  {}: {}", paint.faint("not set"), provider.title, escape_for_terminal(problem))
        }
        Readiness::Failing(problem) => {
            format!("{name} {}  {}{from}: {}", paint.bad("FAILS"), provider.title, escape_for_terminal(problem))
        }
    }
}

fn row(provider: &str, model: &ModelReport) -> [String; 5] {
    let count = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), tokens);
    let dollars = |part: Option<f64>| part.map_or_else(|| "-".to_owned(), |dollars| format!("{dollars:.2}"));
    [
        format!("  {}", one_line(&format!("{provider}:{}", model.id), 60)),
        count(model.window),
        count(model.max_output),
        dollars(model.input),
        dollars(model.output),
    ]
}

fn tokens(count: u64) -> String {
    match count {
        count if count >= 1_000_000 => format!("{}M", count / 1_000_000),
        count if count >= 1_000 => format!("{}k", count / 1_000),
        count => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider(id: &str, title: &'static str, readiness: Readiness, models: usize) -> ProviderReport {
        let models = (0..models).map(|number| ModelReport {
            id: format!("model-{number}"),
            window: Some(128_000),
            max_output: (number > 0).then_some(8_192),
            input: Some(0.25),
            output: (number == 0).then_some(2.0),
        });
        let from =
            matches!(readiness, Readiness::Ready { .. } | Readiness::Failing(_)).then(|| "OPENAI_API_KEY".to_owned());
        ProviderReport { id: id.to_owned(), title: title.to_owned(), readiness, from, models: models.collect() }
    }

    #[test]
    fn all_providers() {
        let report = ModelsReport {
            model: "openai:model-0".to_owned(),
            source: Some("OPENAI_API_KEY".to_owned()),
            providers: vec![
                provider("openai", "OpenAI", Readiness::Ready { live: true }, 7),
                provider(
                    "claude",
                    "Anthropic Claude",
                    Readiness::Missing("claude needs a key; set ANTHROPIC_API_KEY".to_owned()),
                    0,
                ),
                provider(
                    "gemini",
                    "Google Gemini",
                    Readiness::Failing("the key of GEMINI_API_KEY is refused".to_owned()),
                    0,
                ),
                provider("ollama", "Ollama", Readiness::Ready { live: false }, 1),
            ],
        };
        insta::assert_snapshot!(lines(&report, false, Paint::PLAIN).join("\n"));
    }
}
