//! The default model for agents that name none.

use super::raw::{RawModels, is_model_name};
use crate::{error_codes, failure::CliError};
use baton_server::ModelSettings;

/// Values of flags and environment variables about models.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelOverrides {
    /// `--model`, or `BATON_MODEL`.
    pub(crate) model: Option<String>,
    /// `--production`, or `BATON_PRODUCTION`.
    pub(crate) production: Option<bool>,
}

impl ModelOverrides {
    /// The effective settings. A model given by a flag does not use the fallbacks of the file.
    pub(super) fn merge(
        self,
        raw: RawModels,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<ModelSettings, CliError> {
        if let Some(wrong) = self.model.as_deref().filter(|model| !is_model_name(model)) {
            let shown: String = wrong.chars().take(60).collect();
            return Err(CliError::new(error_codes::USAGE, format!("--model: {shown:?} is not a model name"))
                .hint("Write it as provider:model, such as openai:gpt-5-mini, or playbook."));
        }
        // `BATON_DETECT=off` disables model detection, for tests and reproducible setups.
        let detects = environment("BATON_DETECT").is_none_or(|value| !matches!(value.as_str(), "off" | "0" | "false"));
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
