//! Protocols of providers.

/// Protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProviderKind {
    /// OpenAI Chat Completions.
    OpenAi,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Google Gemini.
    Gemini,
    /// Amazon Bedrock Converse API.
    Bedrock,
    /// Native Ollama API.
    Ollama,
    /// Any server compatible with OpenAI Chat Completions.
    Compatible,
}

impl ProviderKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Bedrock,
        Self::Ollama,
        Self::Compatible,
    ];

    /// Provider name in the OpenTelemetry GenAI conventions; `None` for a compatible server, which uses its configured
    /// name.
    pub fn convention(self) -> Option<&'static str> {
        match self {
            Self::OpenAi | Self::OpenAiResponses => Some("openai"),
            Self::Anthropic => Some("anthropic"),
            Self::Gemini => Some("gcp.gemini"),
            Self::Bedrock => Some("aws.bedrock"),
            Self::Ollama => Some("ollama"),
            Self::Compatible => None,
        }
    }

    /// Usual environment variables for the key, the most common first.
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi | Self::OpenAiResponses => &["OPENAI_API_KEY"],
            Self::Anthropic => &["ANTHROPIC_API_KEY"],
            Self::Gemini => &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            Self::Bedrock => &["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"],
            Self::Ollama => &["OLLAMA_API_KEY"],
            Self::Compatible => &[],
        }
    }

    /// Whether it supports embeddings.
    pub fn embeds(self) -> bool {
        !matches!(self, Self::Anthropic | Self::Bedrock)
    }

    pub(crate) fn is_openai_chat(self) -> bool {
        matches!(self, Self::OpenAi | Self::Compatible)
    }

    /// Whether the default address requires a key.
    pub(crate) fn needs_key(self) -> bool {
        !matches!(self, Self::Ollama | Self::Compatible)
    }
}
