//! Errors of model resolution.

/// A missing or invalid setting; messages contain its name and never its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineupError {
    /// A text is neither `playbook` nor `provider:model`.
    #[error("{0:?} names no model; write it as provider:model, or playbook")]
    NoModel(String),
    /// The provider is unknown.
    #[error(
        "there is no provider {0:?}; name one of openai, claude, gemini, bedrock, ollama and docker, or add it under providers with its base_url"
    )]
    Unknown(String),
    /// A referenced variable is not set.
    #[error("the variable {variable} is not set, and {asked} asks for it")]
    Unset {
        /// Name of the variable.
        variable: String,
        /// The setting that references it.
        asked: String,
    },
    /// A required setting of a provider is missing.
    #[error("{provider} needs {needed}; set {remedy}")]
    Incomplete {
        /// Id of the provider.
        provider: String,
        /// The missing setting.
        needed: &'static str,
        /// How to set it.
        remedy: String,
    },
    /// The value of a setting is invalid.
    #[error("{asked} {problem}")]
    Unusable {
        /// Name of the setting.
        asked: String,
        /// Description of the problem.
        problem: &'static str,
    },
    /// Local weights are not supported.
    #[error(
        "Baton runs no weights in its own process; serve them with llama-server and name it under docker with its BASE_URL"
    )]
    Weights,
    /// No model is available, and the playbook is not allowed in production.
    #[error(
        "there is no model for '{0}', and the playbook does not answer in production; set model in baton.yaml, give --model, or set a key such as OPENAI_API_KEY"
    )]
    Production(String),
}
