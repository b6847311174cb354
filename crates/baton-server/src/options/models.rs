//! Options of the models.

use baton_model_registry::{EnvironmentVariables, ModelSettings, no_environment};
use baton_models::TokenRates;

/// Models of all agents.
pub struct ModelOptions {
    /// Default model, fallbacks and providers.
    pub settings: ModelSettings,
    /// Own prices by model, before the built-in ones.
    pub prices: Vec<(String, TokenRates)>,
    /// Variables with keys and addresses of providers.
    pub environment: EnvironmentVariables,
    /// Messages that no playbook rule matches.
    pub playbook: PlaybookMode,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            settings: ModelSettings::default(),
            prices: Vec::new(),
            environment: no_environment(),
            playbook: PlaybookMode::Lenient,
        }
    }
}

/// Treatment of messages that no playbook rule matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlaybookMode {
    /// Answer with a default text.
    #[default]
    Lenient,
    /// Fail the call, and count it in the report.
    Strict,
}
