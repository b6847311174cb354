//! Who answers for agents that name nobody.

use super::raw::{RawModels, is_model};
use crate::failure::Failure;
use baton_lineup::ModelSettings;
use baton_types::ErrorCode;

/// What flags and variables say about models.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChosenModels {
    /// `--model`, or `BATON_MODEL`.
    pub(crate) model: Option<String>,
    /// `--production`, or `BATON_PRODUCTION`.
    pub(crate) production: Option<bool>,
}

impl ChosenModels {
    /// What holds; a model that a flag names comes without the fallbacks of the file's.
    pub(super) fn over(
        self,
        raw: RawModels,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<ModelSettings, Failure> {
        if let Some(wrong) = self.model.as_deref().filter(|model| !is_model(model)) {
            let shown: String = wrong.chars().take(60).collect();
            return Err(Failure::new(ErrorCode::USAGE, format!("--model: {shown:?} names no model"))
                .hint("Write it as provider:model, such as openai:gpt-5-mini, or playbook."));
        }
        // For tests and for those who want no surprises: nothing is looked for.
        let detects = environment("BATON_DETECT").is_none_or(|word| !matches!(word.as_str(), "off" | "0" | "false"));
        Ok(ModelSettings {
            fallbacks: if self.model.is_some() { Vec::new() } else { raw.fallbacks },
            model: self.model.or(raw.model),
            providers: raw.providers,
            embeddings: raw.embeddings,
            production: self.production.or(raw.production).unwrap_or_default(),
            detects,
        })
    }
}
