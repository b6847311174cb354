//! Built-in model providers and their settings.

/// API protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProviderKind {
    /// OpenAI Chat Completions.
    OpenAi,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Google `generateContent`.
    Gemini,
    /// Amazon Bedrock Converse.
    Bedrock,
    /// Native Ollama API.
    Ollama,
    /// Any server compatible with OpenAI Chat Completions.
    Compatible,
}

/// Credentials that a protocol requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialRule {
    /// A key, unless the address or a header is configured.
    Key,
    /// A key, or a key pair that signs the requests.
    KeyOrKeyPair,
    /// None.
    Optional,
}

/// Rules for the settings of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolRules {
    /// Value of the setting `kind`.
    pub name: &'static str,
    /// Provider name in the OpenTelemetry GenAI conventions; `None` for the id of the provider.
    pub convention: Option<&'static str>,
    /// Required credentials.
    pub credentials: CredentialRule,
    /// Whether there is no default address.
    pub needs_address: bool,
}

impl ProviderKind {
    /// All protocols.
    pub const ALL: [Self; 7] = [
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Bedrock,
        Self::Ollama,
        Self::Compatible,
    ];

    /// Rules for the settings of this protocol.
    pub const fn rules(self) -> ProtocolRules {
        use CredentialRule::{Key, KeyOrKeyPair, Optional};
        let (name, convention, credentials, needs_address) = match self {
            Self::OpenAi => ("openai", Some("openai"), Key, false),
            Self::OpenAiResponses => ("openai-responses", Some("openai"), Key, false),
            Self::Anthropic => ("anthropic", Some("anthropic"), Key, false),
            Self::Gemini => ("gemini", Some("gcp.gemini"), Key, false),
            Self::Bedrock => ("bedrock", Some("aws.bedrock"), KeyOrKeyPair, false),
            Self::Ollama => ("ollama", Some("ollama"), Optional, false),
            Self::Compatible => ("openai", None, Optional, true),
        };
        ProtocolRules { name, convention, credentials, needs_address }
    }

    /// Protocol for a value of the setting `kind`. A name shared by several protocols means that of the provider, if
    /// it is one of them.
    pub fn parse(name: &str, own: Option<Self>) -> Option<Self> {
        own.into_iter().chain(PROVIDER_KINDS).find(|kind| kind.rules().name == name)
    }

    /// Environment variables with the key of the provider that this protocol belongs to.
    pub fn key_variables(self) -> impl Iterator<Item = &'static str> {
        let provider = PROVIDERS.iter().find(move |known| known.backend == ProviderBackend::Api(self));
        provider.into_iter().flat_map(|known| known.variables(ProviderSetting::ApiKey))
    }
}

/// Implementation of the models of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderBackend {
    /// A service with this protocol.
    Api(ProviderKind),
    /// The built-in playbook.
    Playbook,
    /// Weight files that another program must serve.
    WeightFiles,
}

impl ProviderBackend {
    /// Protocol of the service, if it is one.
    pub fn protocol(self) -> Option<ProviderKind> {
        match self {
            Self::Api(kind) => Some(kind),
            Self::Playbook | Self::WeightFiles => None,
        }
    }
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
    /// Implementation of its models.
    pub backend: ProviderBackend,
    /// Provider-specific keys, in order of precedence.
    pub keys: &'static [ProviderKey],
    /// Default base URL.
    pub base_url: Option<&'static str>,
    /// Default model.
    pub model: Option<&'static str>,
    /// Id in the price data; `None` if its models cost nothing.
    pub price_id: Option<&'static str>,
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
        backend: ProviderBackend::Api(ProviderKind::OpenAi),
        keys: &[
            variable_key("OPENAI_API_KEY", ProviderSetting::ApiKey),
            variable_key("OPENAI_BASE_URL", ProviderSetting::BaseUrl),
        ],
        base_url: None,
        model: Some("gpt-5-mini"),
        price_id: Some("openai"),
    },
    KnownProvider {
        id: "claude",
        aliases: &["anthropic"],
        title: "Anthropic Claude",
        backend: ProviderBackend::Api(ProviderKind::Anthropic),
        keys: &[
            variable_key("ANTHROPIC_API_KEY", ProviderSetting::ApiKey),
            variable_key("ANTHROPIC_BASE_URL", ProviderSetting::BaseUrl),
        ],
        base_url: None,
        model: Some("claude-sonnet-4-5"),
        price_id: Some("anthropic"),
    },
    KnownProvider {
        id: "gemini",
        aliases: &["google"],
        title: "Google Gemini",
        backend: ProviderBackend::Api(ProviderKind::Gemini),
        keys: &[
            variable_key("GEMINI_API_KEY", ProviderSetting::ApiKey),
            variable_key("GOOGLE_API_KEY", ProviderSetting::ApiKey),
            variable_key("GEMINI_BASE_URL", ProviderSetting::BaseUrl),
        ],
        base_url: None,
        model: Some("gemini-2.5-flash"),
        price_id: Some("google"),
    },
    KnownProvider {
        id: "bedrock",
        aliases: &["aws", "amazon"],
        title: "Amazon Bedrock",
        backend: ProviderBackend::Api(ProviderKind::Bedrock),
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
        price_id: Some("aws"),
    },
    KnownProvider {
        id: "ollama",
        aliases: &[],
        title: "Ollama",
        backend: ProviderBackend::Api(ProviderKind::Ollama),
        keys: &[variable_key("OLLAMA_HOST", ProviderSetting::BaseUrl)],
        base_url: Some("http://127.0.0.1:11434"),
        model: Some("llama3.2"),
        price_id: None,
    },
    KnownProvider {
        id: "docker",
        aliases: &["compatible"],
        title: "OpenAI-compatible server",
        backend: ProviderBackend::Api(ProviderKind::Compatible),
        keys: &[config_key("BASE_URL", ProviderSetting::BaseUrl), config_key("API_KEY", ProviderSetting::ApiKey)],
        base_url: None,
        model: None,
        price_id: None,
    },
    KnownProvider {
        id: "local",
        aliases: &[],
        title: "local weight files",
        backend: ProviderBackend::WeightFiles,
        keys: &[config_key("MODEL_DIRECTORY", ProviderSetting::Directory)],
        base_url: None,
        model: None,
        price_id: None,
    },
    KnownProvider {
        id: "test",
        aliases: &[],
        title: "built-in playbook",
        backend: ProviderBackend::Playbook,
        keys: &[],
        base_url: None,
        model: Some("frosty1.0"),
        price_id: None,
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

/// Protocols of custom providers.
pub const PROVIDER_KINDS: [ProviderKind; 6] = [
    ProviderKind::Compatible,
    ProviderKind::OpenAiResponses,
    ProviderKind::Anthropic,
    ProviderKind::Gemini,
    ProviderKind::Bedrock,
    ProviderKind::Ollama,
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

    /// Name in the OpenTelemetry GenAI conventions of the provider with this id or alias.
    pub fn convention(name: &str) -> &str {
        let kind = Self::find(name).and_then(|provider| provider.backend.protocol());
        kind.and_then(|kind| kind.rules().convention).unwrap_or(name)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_protocols_are_parsed() {
        for kind in ProviderKind::ALL {
            assert_eq!(ProviderKind::parse(kind.rules().name, Some(kind)), Some(kind), "{kind:?}");
        }
        let custom = PROVIDER_KINDS.map(|kind| ProviderKind::parse(kind.rules().name, None));
        assert_eq!(custom, PROVIDER_KINDS.map(Some), "names of custom providers are unique");
        assert_eq!(ProviderKind::parse("openai", Some(ProviderKind::Gemini)), Some(ProviderKind::Compatible));
        assert_eq!(ProviderKind::parse("other", Some(ProviderKind::OpenAi)), None);
    }

    #[test]
    fn protocols_name_the_variables_and_conventions_of_their_provider() {
        let variables = |kind: ProviderKind| kind.key_variables().collect::<Vec<_>>();
        assert_eq!(variables(ProviderKind::Gemini), ["GEMINI_API_KEY", "GOOGLE_API_KEY"]);
        assert_eq!(variables(ProviderKind::Ollama), [""; 0]);
        for (id, name) in [
            ("claude", "anthropic"),
            ("google", "gcp.gemini"),
            ("aws", "aws.bedrock"),
            ("docker", "docker"),
            ("house", "house"),
        ] {
            assert_eq!(KnownProvider::convention(id), name, "{id}");
        }
    }
}
