//! Errors of model resolution.

/// A missing or invalid setting; messages contain its name and never its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelRegistryError {
    /// A text is neither `playbook` nor `provider:model`.
    #[error("{0:?} is not a model; write provider:model or playbook")]
    InvalidModelName(String),
    /// The provider is unknown.
    #[error(
        "there is no provider {0:?}; use one of openai, claude, gemini, bedrock, ollama and docker, or add it under providers with its base_url"
    )]
    UnknownProvider(String),
    /// A referenced variable is not set.
    #[error("the variable {variable} is not set; {setting} refers to it")]
    UnsetVariable {
        /// Name of the variable.
        variable: String,
        /// The setting that references it.
        setting: String,
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
    #[error("{setting} {problem}")]
    InvalidSetting {
        /// Name of the setting.
        setting: String,
        /// Description of the problem.
        problem: &'static str,
    },
    /// Local weights are not supported.
    #[error("Baton cannot load model weights itself; serve them with llama-server and set its BASE_URL under docker")]
    LocalWeights,
    /// No model is available, and the playbook is not allowed in production.
    #[error(
        "there is no model for '{0}', and the playbook does not answer in production; set model in baton.yaml, pass --model, or set a key such as OPENAI_API_KEY"
    )]
    NoProductionModel(String),
}
