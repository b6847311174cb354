//! Why no model could be made.

/// What is missing or wrong, in words that name a setting and never its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineupError {
    /// A text is neither `playbook` nor `provider:model`.
    #[error("{0:?} names no model; write it as provider:model, or playbook")]
    NoModel(String),
    /// Nobody knows this provider.
    #[error(
        "there is no provider {0:?}; name one of openai, claude, gemini, bedrock, ollama and docker, or add it under providers with its base_url"
    )]
    Unknown(String),
    /// A variable is asked for and not set.
    #[error("the variable {variable} is not set, and {asked} asks for it")]
    Unset {
        /// Its name.
        variable: String,
        /// Who asks.
        asked: String,
    },
    /// A provider needs something that nobody says.
    #[error("{provider} needs {needed}; set {remedy}")]
    Incomplete {
        /// Which.
        provider: String,
        /// What it needs.
        needed: &'static str,
        /// How that is said.
        remedy: String,
    },
    /// A value cannot be used.
    #[error("{asked} {problem}")]
    Unusable {
        /// Where it stands.
        asked: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Weights that nobody serves.
    #[error(
        "Baton runs no weights in its own process; serve them with llama-server and name it under docker with its BASE_URL"
    )]
    Weights,
    /// Nothing answers, and the playbook may not.
    #[error(
        "there is no model for '{0}', and the playbook does not answer in production; set model in baton.yaml, give --model, or set a key such as OPENAI_API_KEY"
    )]
    Production(String),
}
