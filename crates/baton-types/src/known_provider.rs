//! Built-in model providers and their settings.

/// API protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProviderKind {
    /// OpenAI chat completions, and compatible servers.
    OpenAi,
    /// Anthropic Messages.
    Anthropic,
    /// Google `generateContent`.
    Gemini,
    /// Amazon Bedrock Converse.
    Bedrock,
    /// Native Ollama API.
    Ollama,
    /// No API: the built-in playbook.
    Playbook,
    /// No API: weight files that another program must serve.
    Local,
}

/// Meaning of a provider key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProviderSetting {
    /// API key or bearer token.
    ApiKey,
    /// Base URL of the service.
    BaseUrl,
    /// Access key id of a key pair.
    AccessKeyId,
    /// Secret of a key pair.
    SecretAccessKey,
    /// Session token of temporary credentials.
    SessionToken,
    /// Region.
    Region,
    /// Named profile with credentials on this machine.
    Profile,
    /// Directory of weight files.
    Directory,
    /// Protocol of a custom provider.
    Kind,
    /// Concurrent calls.
    Concurrency,
    /// Calls per minute.
    PerMinute,
    /// Timeout until the first byte of a response.
    FirstByteTimeout,
    /// Timeout between two chunks of a response.
    IdleTimeout,
    /// Timeout for the connection.
    ConnectTimeout,
}

impl ProviderSetting {
    /// Whether the value is secret and must never be shown.
    pub fn is_secret(self) -> bool {
        matches!(self, Self::ApiKey | Self::AccessKeyId | Self::SecretAccessKey | Self::SessionToken)
    }
}

/// Configuration key of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderKey {
    /// Name as written in configuration.
    pub name: &'static str,
    /// Meaning of the key.
    pub setting: ProviderSetting,
    /// Whether an environment variable of this name is read as well.
    pub is_variable: bool,
}

/// A built-in provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownProvider {
    /// Provider id.
    pub id: &'static str,
    /// Other ids of the same provider.
    pub aliases: &'static [&'static str],
    /// Display name.
    pub title: &'static str,
    /// API protocol.
    pub kind: ProviderKind,
    /// Provider-specific keys, in order of precedence.
    pub keys: &'static [ProviderKey],
    /// Default base URL.
    pub base_url: Option<&'static str>,
    /// Default model.
    pub model: Option<&'static str>,
}

const fn variable_key(name: &'static str, setting: ProviderSetting) -> ProviderKey {
    ProviderKey { name, setting, is_variable: true }
}

/// A key whose name is too generic for an environment variable.
const fn config_key(name: &'static str, setting: ProviderSetting) -> ProviderKey {
    ProviderKey { name, setting, is_variable: false }
}

/// All built-in providers, in detection order.
pub const PROVIDERS: [KnownProvider; 8] = [
    KnownProvider {
        id: "openai",
        aliases: &[],
        title: "OpenAI",
        kind: ProviderKind::OpenAi,
        keys: &[
            variable_key("OPENAI_API_KEY", ProviderSetting::ApiKey),
            variable_key("OPENAI_BASE_URL", ProviderSetting::BaseUrl),
        ],
        base_url: None,
        model: Some("gpt-5-mini"),
    },
    KnownProvider {
        id: "claude",
        aliases: &["anthropic"],
        title: "Anthropic Claude",
        kind: ProviderKind::Anthropic,
        keys: &[
            variable_key("ANTHROPIC_API_KEY", ProviderSetting::ApiKey),
            variable_key("ANTHROPIC_BASE_URL", ProviderSetting::BaseUrl),
        ],
        base_url: None,
        model: Some("claude-sonnet-4-5"),
    },
    KnownProvider {
        id: "gemini",
        aliases: &["google"],
        title: "Google Gemini",
        kind: ProviderKind::Gemini,
        keys: &[
            variable_key("GEMINI_API_KEY", ProviderSetting::ApiKey),
            variable_key("GOOGLE_API_KEY", ProviderSetting::ApiKey),
            variable_key("GEMINI_BASE_URL", ProviderSetting::BaseUrl),
        ],
        base_url: None,
        model: Some("gemini-2.5-flash"),
    },
    KnownProvider {
        id: "bedrock",
        aliases: &["aws", "amazon"],
        title: "Amazon Bedrock",
        kind: ProviderKind::Bedrock,
        keys: &[
            variable_key("AWS_BEARER_TOKEN_BEDROCK", ProviderSetting::ApiKey),
            variable_key("AWS_ACCESS_KEY_ID", ProviderSetting::AccessKeyId),
            variable_key("BEDROCK_ACCESS_KEY_ID", ProviderSetting::AccessKeyId),
            variable_key("AWS_SECRET_ACCESS_KEY", ProviderSetting::SecretAccessKey),
            variable_key("BEDROCK_SECRET_ACCESS_KEY", ProviderSetting::SecretAccessKey),
            variable_key("AWS_SESSION_TOKEN", ProviderSetting::SessionToken),
            variable_key("AWS_PROFILE", ProviderSetting::Profile),
            variable_key("AWS_REGION", ProviderSetting::Region),
            variable_key("AWS_DEFAULT_REGION", ProviderSetting::Region),
            variable_key("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", ProviderSetting::BaseUrl),
        ],
        base_url: None,
        model: Some("amazon.nova-pro-v1:0"),
    },
    KnownProvider {
        id: "ollama",
        aliases: &[],
        title: "Ollama",
        kind: ProviderKind::Ollama,
        keys: &[variable_key("OLLAMA_HOST", ProviderSetting::BaseUrl)],
        base_url: Some("http://127.0.0.1:11434"),
        model: Some("llama3.2"),
    },
    KnownProvider {
        id: "docker",
        aliases: &["compatible"],
        title: "OpenAI-compatible server",
        kind: ProviderKind::OpenAi,
        keys: &[config_key("BASE_URL", ProviderSetting::BaseUrl), config_key("API_KEY", ProviderSetting::ApiKey)],
        base_url: None,
        model: None,
    },
    KnownProvider {
        id: "local",
        aliases: &[],
        title: "local weight files",
        kind: ProviderKind::Local,
        keys: &[config_key("MODEL_DIRECTORY", ProviderSetting::Directory)],
        base_url: None,
        model: None,
    },
    KnownProvider {
        id: "test",
        aliases: &[],
        title: "built-in playbook",
        kind: ProviderKind::Playbook,
        keys: &[],
        base_url: None,
        model: Some("frosty1.0"),
    },
];

/// Keys that every provider accepts.
pub const COMMON_PROVIDER_KEYS: [ProviderKey; 12] = [
    config_key("api_key", ProviderSetting::ApiKey),
    config_key("base_url", ProviderSetting::BaseUrl),
    config_key("access_key_id", ProviderSetting::AccessKeyId),
    config_key("secret_access_key", ProviderSetting::SecretAccessKey),
    config_key("session_token", ProviderSetting::SessionToken),
    config_key("region", ProviderSetting::Region),
    config_key("kind", ProviderSetting::Kind),
    config_key("concurrency", ProviderSetting::Concurrency),
    config_key("rpm", ProviderSetting::PerMinute),
    config_key("first_byte_timeout", ProviderSetting::FirstByteTimeout),
    config_key("idle_timeout", ProviderSetting::IdleTimeout),
    config_key("connect_timeout", ProviderSetting::ConnectTimeout),
];

/// Prefix of keys that set a header; the name of the header follows.
pub const PROVIDER_HEADER_PREFIX: &str = "headers.";

/// Protocol names for custom providers.
pub const PROVIDER_KINDS: [(&str, ProviderKind); 5] = [
    ("openai", ProviderKind::OpenAi),
    ("anthropic", ProviderKind::Anthropic),
    ("gemini", ProviderKind::Gemini),
    ("bedrock", ProviderKind::Bedrock),
    ("ollama", ProviderKind::Ollama),
];

impl KnownProvider {
    /// Finds a provider by id or alias.
    pub fn find(id: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.id == id || provider.aliases.contains(&id))
    }

    /// Canonical id for a provider id or alias; unknown names are returned unchanged.
    pub fn canonical_id(name: &str) -> &str {
        Self::find(name).map_or(name, |provider| provider.id)
    }

    /// Meaning of a provider-specific or common key.
    pub fn setting(&self, name: &str) -> Option<ProviderSetting> {
        let all = self.keys.iter().chain(&COMMON_PROVIDER_KEYS);
        all.into_iter().find(|key| key.name == name).map(|key| key.setting)
    }

    /// Environment variables of a setting, in order of precedence.
    pub fn variables(&self, setting: ProviderSetting) -> impl Iterator<Item = &'static str> {
        self.keys.iter().filter(move |key| key.is_variable && key.setting == setting).map(|key| key.name)
    }
}
