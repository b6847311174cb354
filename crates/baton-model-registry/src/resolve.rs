//! Settings of a provider: the agent entry, then `baton.yaml`, then environment variables.

use crate::{EnvironmentVariables, ModelRegistryError, keys::ProviderCredentials};
use baton_document::duration;
use baton_types::{
    AgentResources, COMMON_PROVIDER_KEYS, CredentialRule, KnownProvider, PROVIDER_HEADER_PREFIX, ProviderBackend,
    ProviderEntry, ProviderKind, ProviderSetting,
};
use std::{collections::BTreeMap, fmt, time::Duration};

/// Maximum length of a region name.
const MAX_REGION: usize = 64;

/// A value and its source.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SettingValue {
    /// The value; may be a secret.
    pub value: String,
    /// Name of the variable or key that holds it, for errors.
    pub source: String,
}

/// Omits the value, which may be a secret.
impl fmt::Debug for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SettingValue").field("source", &self.source).finish_non_exhaustive()
    }
}

/// Access key id, secret access key and optional session token.
pub(crate) type SettingKeyPair = (SettingValue, SettingValue, Option<SettingValue>);

/// Complete settings of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProviderSettings {
    /// Provider id.
    pub id: String,
    /// Protocol.
    pub kind: ProviderKind,
    /// Address, if not the default.
    pub base_url: Option<SettingValue>,
    /// API key or bearer token.
    pub key: Option<SettingValue>,
    /// Access key id, secret access key and optional session token; never together with a key.
    pub pair: Option<(SettingValue, SettingValue, Option<SettingValue>)>,
    /// Cloud region.
    pub region: Option<String>,
    /// Headers of every request.
    pub headers: BTreeMap<String, SettingValue>,
    /// Maximum number of concurrent calls.
    pub concurrency: Option<u32>,
    /// Maximum number of calls per minute.
    pub per_minute: Option<u32>,
    /// Timeout for the first piece of an answer.
    pub first_byte: Option<Duration>,
    /// Timeout between two pieces.
    pub idle: Option<Duration>,
    /// Connection timeout.
    pub connect: Option<Duration>,
}

/// Sources of settings, in order of precedence.
pub(crate) struct SettingSources<'a> {
    pub(crate) known: Option<&'static KnownProvider>,
    pub(crate) agent: Option<&'a ProviderEntry>,
    pub(crate) baton_yaml: Option<&'a ProviderEntry>,
    pub(crate) resources: &'a AgentResources,
    pub(crate) environment: &'a EnvironmentVariables,
    pub(crate) uses_environment: bool,
}

/// Source of a setting.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingSource {
    /// The agent entry.
    Agent,
    /// The entry in `baton.yaml`.
    BatonYaml,
    /// The variables of the agent.
    AgentVariables,
    /// The environment variables of the process.
    Environment,
}

impl SettingSource {
    /// All sources, highest precedence first.
    pub(crate) const ALL: [Self; 4] = [Self::Agent, Self::BatonYaml, Self::AgentVariables, Self::Environment];
}

/// Resolves the settings of a provider for an agent with these resources; `baton_yaml` are the entries of `baton.yaml`.
pub fn resolve_provider(
    id: &str,
    resources: &AgentResources,
    baton_yaml: &[ProviderEntry],
    environment: &EnvironmentVariables,
) -> Result<ProviderSettings, ModelRegistryError> {
    let known = KnownProvider::find(id);
    let id = known.map_or(id, |known| known.id);
    let of = |entries: &'_ [ProviderEntry]| entries.iter().position(|entry| entry.id == id);
    let agent = of(&resources.providers).and_then(|index| resources.providers.get(index));
    let baton_yaml = of(baton_yaml).and_then(|index| baton_yaml.get(index));
    if known.is_none() && agent.is_none() && baton_yaml.is_none() {
        return Err(ModelRegistryError::UnknownProvider(id.chars().take(60).collect()));
    }
    let sources = SettingSources { known, agent, baton_yaml, resources, environment, uses_environment: true };
    let kind = match (sources.find(ProviderSetting::Kind)?, known.map(|known| known.backend)) {
        (Some(found), backend) => {
            ProviderKind::parse(&found.value, backend.and_then(ProviderBackend::protocol)).ok_or(
                ModelRegistryError::InvalidSetting { setting: found.source, problem: "is not a supported protocol" },
            )?
        }
        (None, Some(ProviderBackend::Api(kind))) => kind,
        (None, Some(ProviderBackend::WeightFiles)) => return Err(ModelRegistryError::LocalWeights),
        (None, Some(ProviderBackend::Playbook)) => return Err(ModelRegistryError::UnknownProvider(id.to_owned())),
        (None, None) => ProviderKind::Compatible,
    };
    let base_url = sources.find(ProviderSetting::BaseUrl)?;
    // A key is never sent to an address chosen by a party that does not own the key: an agent that sets the address of
    // its provider, or a protocol with a default address of its own, must also supply the key.
    let keys = match sources.is_set_by_agent(ProviderSetting::BaseUrl) || sources.is_set_by_agent(ProviderSetting::Kind)
    {
        true => SettingSources { baton_yaml: None, uses_environment: false, ..sources.copied() },
        false => sources.copied(),
    };
    let ProviderCredentials { key, pair } = keys.keys(kind)?;
    let settings = ProviderSettings {
        id: id.to_owned(),
        kind,
        key,
        pair,
        region: sources.region()?,
        headers: keys.headers()?,
        concurrency: sources.count(ProviderSetting::Concurrency)?,
        per_minute: sources.count(ProviderSetting::PerMinute)?,
        first_byte: sources.time(ProviderSetting::FirstByteTimeout)?,
        idle: sources.time(ProviderSetting::IdleTimeout)?,
        connect: sources.time(ProviderSetting::ConnectTimeout)?,
        base_url,
    };
    settings.check_complete()
}

impl ProviderSettings {
    /// Returns the settings, or an error if a required one is missing.
    fn check_complete(self) -> Result<Self, ModelRegistryError> {
        let known = KnownProvider::find(&self.id);
        let incomplete =
            |needed, remedy: String| Err(ModelRegistryError::Incomplete { provider: self.id.clone(), needed, remedy });
        let variables = |setting| known.into_iter().flat_map(move |known| known.variables(setting)).collect::<Vec<_>>();
        let is_elsewhere = self.base_url.is_some();
        let rules = self.kind.rules();
        if rules.needs_address && !is_elsewhere {
            return incomplete("an address", "base_url (or BASE_URL) under providers".to_owned());
        }
        match rules.credentials {
            // A custom server may require no key.
            CredentialRule::Key if self.key.is_none() && !is_elsewhere && self.headers.is_empty() => {
                let own = variables(ProviderSetting::ApiKey).into_iter().chain(["api_key under providers"]);
                incomplete("a key", own.collect::<Vec<_>>().join(" or "))
            }
            CredentialRule::KeyOrKeyPair if self.key.is_none() && self.pair.is_none() => {
                let first = |setting| variables(setting).into_iter().next();
                let (key, pair) = (first(ProviderSetting::ApiKey), first(ProviderSetting::AccessKeyId));
                incomplete(
                    "a key",
                    match (key, pair.zip(first(ProviderSetting::SecretAccessKey))) {
                        (Some(key), Some((id, secret))) => format!("{key}, or {id} and {secret}"),
                        _ => "api_key, or access_key_id and secret_access_key, under providers".to_owned(),
                    },
                )
            }
            _ => Ok(self),
        }
    }
}

impl SettingSources<'_> {
    fn copied(&self) -> SettingSources<'_> {
        SettingSources { ..*self }
    }

    /// Names of a setting.
    pub(crate) fn names(&self, setting: ProviderSetting) -> Vec<&'static str> {
        let docker = KnownProvider::find("docker");
        let own = self.known.or(docker).map_or(&[][..], |known| known.keys);
        let all = own.iter().chain(&COMMON_PROVIDER_KEYS);
        all.filter(|key| key.setting == setting).map(|key| key.name).collect()
    }

    /// Provider id.
    pub(crate) fn id(&self) -> &str {
        self.known
            .map_or_else(|| self.agent.or(self.baton_yaml).map_or("", |entry| entry.id.as_str()), |known| known.id)
    }

    pub(crate) fn find(&self, setting: ProviderSetting) -> Result<Option<SettingValue>, ModelRegistryError> {
        for source in [SettingSource::Agent, SettingSource::BatonYaml] {
            if let Some(found) = self.first_value(source, setting)? {
                return Ok(Some(found));
            }
        }
        for name in self.names(setting) {
            for source in [SettingSource::AgentVariables, SettingSource::Environment] {
                if let Some(found) = self.value_at(source, name)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// First value of a setting in a source.
    pub(crate) fn first_value(
        &self,
        source: SettingSource,
        setting: ProviderSetting,
    ) -> Result<Option<SettingValue>, ModelRegistryError> {
        for name in self.names(setting) {
            if let Some(found) = self.value_at(source, name)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Value of a name in a source.
    pub(crate) fn value_at(
        &self,
        source: SettingSource,
        name: &str,
    ) -> Result<Option<SettingValue>, ModelRegistryError> {
        let written = |entry: Option<&ProviderEntry>, owner: &str| {
            let value = entry.and_then(|entry| entry.keys.get(name));
            value.map(|value| self.expand(value, &format!("{owner} providers.{}.{name}", self.id()))).transpose()
        };
        let is_variable =
            self.known.is_some_and(|known| known.keys.iter().any(|key| key.is_variable && key.name == name));
        let value = match source {
            SettingSource::Agent => return written(self.agent, "the agent's"),
            SettingSource::BatonYaml => return written(self.baton_yaml, "baton.yaml's"),
            _ if !is_variable => None,
            SettingSource::AgentVariables => {
                self.resources.variables.0.get(name).filter(|value| !value.is_empty()).cloned()
            }
            SettingSource::Environment => self.environment.get(name).filter(|_| self.uses_environment),
        };
        Ok(value.map(|value| SettingValue { value, source: name.to_owned() }))
    }

    /// Whether the setting comes from the agent.
    fn is_set_by_agent(&self, setting: ProviderSetting) -> bool {
        let says = |name: &&str| self.agent.is_some_and(|entry| entry.keys.contains_key(*name));
        let has = |name: &str| self.resources.variables.0.contains_key(name);
        let names = self.names(setting);
        let in_baton_yaml =
            names.iter().any(|name| self.baton_yaml.is_some_and(|entry| entry.keys.contains_key(*name)));
        names.iter().any(says) || (!in_baton_yaml && self.known.is_some_and(|known| known.variables(setting).any(has)))
    }

    /// Returns a literal unchanged; resolves `env://NAME` from the variables of the agent, then from the process.
    fn expand(&self, value: &str, setting: &str) -> Result<SettingValue, ModelRegistryError> {
        let unusable = |problem| ModelRegistryError::InvalidSetting { setting: setting.to_owned(), problem };
        if value.starts_with("op://") {
            return Err(unusable(
                "refers to a vault, which Baton does not support; set a variable and write env://NAME",
            ));
        }
        let Some(name) = value.strip_prefix("env://") else {
            return match value.trim() {
                "" => Err(unusable("is empty")),
                value => Ok(SettingValue { value: value.to_owned(), source: setting.to_owned() }),
            };
        };
        let own = self.resources.variables.0.get(name).filter(|value| !value.is_empty()).cloned();
        match own.or_else(|| self.environment.get(name)) {
            Some(value) => Ok(SettingValue { value, source: name.to_owned() }),
            None => Err(ModelRegistryError::UnsetVariable { variable: name.to_owned(), setting: setting.to_owned() }),
        }
    }

    fn headers(&self) -> Result<BTreeMap<String, SettingValue>, ModelRegistryError> {
        let mut headers = BTreeMap::new();
        for (entry, owner) in [(self.baton_yaml, "baton.yaml's"), (self.agent, "the agent's")] {
            let Some(entry) = entry else { continue };
            for (key, value) in &entry.keys {
                let Some(name) = key.strip_prefix(PROVIDER_HEADER_PREFIX) else { continue };
                let setting = format!("{owner} providers.{}.headers.{name}", entry.id);
                headers.insert(name.to_owned(), self.expand(value, &setting)?);
            }
        }
        Ok(headers)
    }

    /// The region is part of the host that keys are sent to, so only letters, digits and hyphens are allowed.
    fn region(&self) -> Result<Option<String>, ModelRegistryError> {
        let Some(SettingValue { value, source: from }) = self.find(ProviderSetting::Region)? else { return Ok(None) };
        let is_region = value.len() <= MAX_REGION && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let problem = "is not a region such as eu-west-1";
        if is_region { Ok(Some(value)) } else { Err(ModelRegistryError::InvalidSetting { setting: from, problem }) }
    }

    fn count(&self, setting: ProviderSetting) -> Result<Option<u32>, ModelRegistryError> {
        let Some(found) = self.find(setting)? else { return Ok(None) };
        let count = found.value.parse().ok().filter(|count| *count > 0);
        let problem = "is not a positive number";
        count.map(Some).ok_or(ModelRegistryError::InvalidSetting { setting: found.source, problem })
    }

    fn time(&self, setting: ProviderSetting) -> Result<Option<Duration>, ModelRegistryError> {
        let Some(found) = self.find(setting)? else { return Ok(None) };
        let problem = "is not a duration such as 30s";
        duration(&found.value).map(Some).ok_or(ModelRegistryError::InvalidSetting { setting: found.source, problem })
    }
}
