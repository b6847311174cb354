//! Services that Baton knows how to reach, and what has to be said about each.

/// The protocol that a service speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProviderKind {
    /// OpenAI's chat completions, also of every server that speaks them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's `generateContent`.
    Gemini,
    /// Amazon Bedrock's Converse.
    Bedrock,
    /// Ollama's own.
    Ollama,
    /// None: the built-in playbook answers.
    Playbook,
    /// None: files of weights that another program has to serve.
    Local,
}

/// What a key of a provider is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProviderSetting {
    /// The key, or a bearer token.
    ApiKey,
    /// Where the service is.
    BaseUrl,
    /// The first half of a pair of keys.
    AccessKeyId,
    /// The second half.
    SecretAccessKey,
    /// What makes a pair of keys temporary.
    SessionToken,
    /// Where in the world.
    Region,
    /// A named set of keys of this machine.
    Profile,
    /// A folder of weights.
    Directory,
    /// The protocol, for names of the author's own.
    Kind,
    /// Calls at the same time.
    Concurrency,
    /// Calls in a minute.
    PerMinute,
    /// Until the first byte of an answer.
    FirstByteTimeout,
    /// Between two pieces of an answer.
    IdleTimeout,
    /// For the connection.
    ConnectTimeout,
}

impl ProviderSetting {
    /// Whether nobody may see its value.
    pub fn is_secret(self) -> bool {
        matches!(self, Self::ApiKey | Self::AccessKeyId | Self::SecretAccessKey | Self::SessionToken)
    }
}

/// A key by which something is said about a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderKey {
    /// As it is written.
    pub name: &'static str,
    /// What it is for.
    pub setting: ProviderSetting,
    /// Whether a variable of the environment of this name says the same.
    pub is_variable: bool,
}

/// A service that Baton knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownProvider {
    /// Its id.
    pub id: &'static str,
    /// Other ids that mean the same.
    pub aliases: &'static [&'static str],
    /// Its name for people.
    pub title: &'static str,
    /// What it speaks.
    pub kind: ProviderKind,
    /// Keys of its own; earlier ones count first.
    pub keys: &'static [ProviderKey],
    /// Where it is unless somebody says otherwise.
    pub base_url: Option<&'static str>,
    /// Its model unless somebody says otherwise.
    pub model: Option<&'static str>,
}

const fn key(name: &'static str, setting: ProviderSetting) -> ProviderKey {
    ProviderKey { name, setting, is_variable: true }
}

/// A key whose name says too little to be looked for in the environment.
const fn written(name: &'static str, setting: ProviderSetting) -> ProviderKey {
    ProviderKey { name, setting, is_variable: false }
}

/// Every service, in the order in which they are looked for.
pub const PROVIDERS: [KnownProvider; 8] = [
    KnownProvider {
        id: "openai",
        aliases: &[],
        title: "OpenAI",
        kind: ProviderKind::OpenAi,
        keys: &[key("OPENAI_API_KEY", ProviderSetting::ApiKey), key("OPENAI_BASE_URL", ProviderSetting::BaseUrl)],
        base_url: None,
        model: Some("gpt-5-mini"),
    },
    KnownProvider {
        id: "claude",
        aliases: &["anthropic"],
        title: "Anthropic Claude",
        kind: ProviderKind::Anthropic,
        keys: &[key("ANTHROPIC_API_KEY", ProviderSetting::ApiKey), key("ANTHROPIC_BASE_URL", ProviderSetting::BaseUrl)],
        base_url: None,
        model: Some("claude-sonnet-4-5"),
    },
    KnownProvider {
        id: "gemini",
        aliases: &["google"],
        title: "Google Gemini",
        kind: ProviderKind::Gemini,
        keys: &[
            key("GEMINI_API_KEY", ProviderSetting::ApiKey),
            key("GOOGLE_API_KEY", ProviderSetting::ApiKey),
            key("GEMINI_BASE_URL", ProviderSetting::BaseUrl),
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
            key("AWS_BEARER_TOKEN_BEDROCK", ProviderSetting::ApiKey),
            key("AWS_ACCESS_KEY_ID", ProviderSetting::AccessKeyId),
            key("BEDROCK_ACCESS_KEY_ID", ProviderSetting::AccessKeyId),
            key("AWS_SECRET_ACCESS_KEY", ProviderSetting::SecretAccessKey),
            key("BEDROCK_SECRET_ACCESS_KEY", ProviderSetting::SecretAccessKey),
            key("AWS_SESSION_TOKEN", ProviderSetting::SessionToken),
            key("AWS_PROFILE", ProviderSetting::Profile),
            key("AWS_REGION", ProviderSetting::Region),
            key("AWS_DEFAULT_REGION", ProviderSetting::Region),
            key("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", ProviderSetting::BaseUrl),
        ],
        base_url: None,
        model: Some("amazon.nova-pro-v1:0"),
    },
    KnownProvider {
        id: "ollama",
        aliases: &[],
        title: "Ollama",
        kind: ProviderKind::Ollama,
        keys: &[key("OLLAMA_HOST", ProviderSetting::BaseUrl)],
        base_url: Some("http://127.0.0.1:11434"),
        model: Some("llama3.2"),
    },
    KnownProvider {
        id: "docker",
        aliases: &["compatible"],
        title: "OpenAI-compatible server",
        kind: ProviderKind::OpenAi,
        keys: &[written("BASE_URL", ProviderSetting::BaseUrl), written("API_KEY", ProviderSetting::ApiKey)],
        base_url: None,
        model: None,
    },
    KnownProvider {
        id: "local",
        aliases: &[],
        title: "files of weights",
        kind: ProviderKind::Local,
        keys: &[written("MODEL_DIRECTORY", ProviderSetting::Directory)],
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

/// Keys that may be said about every provider.
pub const COMMON_PROVIDER_KEYS: [ProviderKey; 12] = [
    written("api_key", ProviderSetting::ApiKey),
    written("base_url", ProviderSetting::BaseUrl),
    written("access_key_id", ProviderSetting::AccessKeyId),
    written("secret_access_key", ProviderSetting::SecretAccessKey),
    written("session_token", ProviderSetting::SessionToken),
    written("region", ProviderSetting::Region),
    written("kind", ProviderSetting::Kind),
    written("concurrency", ProviderSetting::Concurrency),
    written("rpm", ProviderSetting::PerMinute),
    written("first_byte_timeout", ProviderSetting::FirstByteTimeout),
    written("idle_timeout", ProviderSetting::IdleTimeout),
    written("connect_timeout", ProviderSetting::ConnectTimeout),
];

/// What keys of headers begin with; the header's name follows.
pub const PROVIDER_HEADER: &str = "headers.";

/// Words by which an author says what a provider of their own speaks.
pub const PROVIDER_KINDS: [(&str, ProviderKind); 5] = [
    ("openai", ProviderKind::OpenAi),
    ("anthropic", ProviderKind::Anthropic),
    ("gemini", ProviderKind::Gemini),
    ("bedrock", ProviderKind::Bedrock),
    ("ollama", ProviderKind::Ollama),
];

impl KnownProvider {
    /// The service of this id or alias.
    pub fn of(id: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|known| known.id == id || known.aliases.contains(&id))
    }

    /// The id by which a service is known that may be written under another name.
    pub fn id_of(name: &str) -> &str {
        Self::of(name).map_or(name, |known| known.id)
    }

    /// What a key is for, of its own or one of all providers.
    pub fn setting(&self, name: &str) -> Option<ProviderSetting> {
        let all = self.keys.iter().chain(&COMMON_PROVIDER_KEYS);
        all.into_iter().find(|key| key.name == name).map(|key| key.setting)
    }

    /// The variables of the environment that say this, the first one first.
    pub fn variables(&self, setting: ProviderSetting) -> impl Iterator<Item = &'static str> {
        self.keys.iter().filter(move |key| key.is_variable && key.setting == setting).map(|key| key.name)
    }
}
