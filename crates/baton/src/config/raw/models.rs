//! The keys `model`, `fallbacks`, `providers`, `embeddings` and `production`.

use baton_agentdir::provider;
use baton_document::{DocumentReader, Fields, LocatedValue};
use baton_types::ProviderEntry;

/// Maximum entries of `fallbacks`.
pub(in crate::config) const MAX_FALLBACKS: usize = 8;

/// The keys as written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawModels {
    pub(in crate::config) model: Option<String>,
    pub(in crate::config) fallbacks: Vec<String>,
    pub(in crate::config) providers: Vec<ProviderEntry>,
    pub(in crate::config) embeddings: Option<String>,
    pub(in crate::config) production: Option<bool>,
}

impl RawModels {
    pub(super) fn read(reader: &mut DocumentReader, fields: &mut Fields) -> Self {
        let model = fields.text(reader, "model").and_then(|text| check_model_name(reader, "model", text));
        let fallbacks = fields.take("fallbacks");
        let location = fallbacks.as_ref().map(|node| node.location);
        let mut fallbacks: Vec<String> = fallbacks
            .map(|node| reader.texts("fallbacks", node))
            .unwrap_or_default()
            .into_iter()
            .filter_map(|text| check_model_name(reader, "a fallback", text))
            .collect();
        if let Some(location) = location.filter(|_| fallbacks.len() > MAX_FALLBACKS) {
            reader.error(location, "fallbacks has too many entries", format!("keep it to {MAX_FALLBACKS}"));
            fallbacks.truncate(MAX_FALLBACKS);
        }
        let providers = provider::read_all(reader, fields.take("providers"));
        let embeddings =
            fields.text(reader, "embeddings").and_then(|text| check_model_name(reader, "embeddings", text));
        let production = fields.take("production").and_then(|node| reader.boolean("production", &node));
        Self { model, fallbacks, providers, embeddings, production }
    }
}

/// Accepts `playbook` or `provider:model`.
fn check_model_name(reader: &mut DocumentReader, subject: &str, text: LocatedValue<String>) -> Option<String> {
    if is_model_name(&text.value) {
        return Some(text.value);
    }
    let hint = "write it as provider:model, such as openai:gpt-5-mini, or playbook";
    reader.error(text.location, format!("{subject} is not a model name"), hint);
    None
}

/// Whether a text is a valid model name.
pub(in crate::config) fn is_model_name(text: &str) -> bool {
    let is_word = |part: &str| !part.is_empty() && part.trim() == part && !part.contains(char::is_control);
    text == "playbook"
        || (text.len() <= 256 && text.split_once(':').is_some_and(|(id, model)| is_word(id) && is_word(model)))
}
