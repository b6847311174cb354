//! The protocols that providers speak.

/// How a provider is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProviderKind {
    /// OpenAI's chat completions.
    OpenAi,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// The Converse API of Amazon Bedrock.
    Bedrock,
    /// Ollama's own API.
    Ollama,
    /// Any server with chat completions like OpenAI's.
    Compatible,
}

impl ProviderKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Bedrock,
        Self::Ollama,
        Self::Compatible,
    ];

    /// The provider as the GenAI conventions name it; a compatible server goes by the name its user gave it.
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

    /// The variables that people keep its key in, the usual one first.
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

    /// Whether it turns texts into vectors.
    pub fn embeds(self) -> bool {
        !matches!(self, Self::Anthropic | Self::Bedrock)
    }

    pub(crate) fn is_openai_chat(self) -> bool {
        matches!(self, Self::OpenAi | Self::Compatible)
    }

    /// Whether a request without a key is worth sending to the provider's own address.
    pub(crate) fn needs_key(self) -> bool {
        !matches!(self, Self::Ollama | Self::Compatible)
    }
}
