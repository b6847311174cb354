//! Settings of a provider: the agent entry, then `baton.yaml`, then environment variables.

use crate::{Environment, LineupError, keys::Keys};
use baton_agentdir::document::duration;
use baton_types::{
    AgentResources, COMMON_PROVIDER_KEYS, KnownProvider, PROVIDER_HEADER_PREFIX, PROVIDER_KINDS, ProviderEntry,
    ProviderKind, ProviderSetting,
};
use std::{collections::BTreeMap, fmt, time::Duration};

/// Maximum length of a region name.
const MAX_REGION: usize = 64;

/// A value and its source.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Asked {
    /// The value; may be a secret.
    pub value: String,
    /// Name of the variable or key that holds it, for errors.
    pub from: String,
}

/// Omits the value, which may be a secret.
impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SettingValue").field("source", &self.from).finish_non_exhaustive()
    }
}

/// Access key id, secret access key and optional session token.
pub(crate) type Pair = (Asked, Asked, Option<Asked>);

/// Complete settings of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProviderSettings {
    /// Provider id.
    pub id: String,
    /// Protocol.
    pub kind: ProviderKind,
    /// Address, if not the default.
    pub base_url: Option<Asked>,
    /// API key or bearer token.
    pub key: Option<Asked>,
    /// Access key id, secret access key and optional session token; never together with a key.
    pub pair: Option<(Asked, Asked, Option<Asked>)>,
    /// Cloud region.
    pub region: Option<String>,
    /// Headers of every request.
    pub headers: BTreeMap<String, Asked>,
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
pub(crate) struct Sources<'a> {
    pub(crate) known: Option<&'static KnownProvider>,
    pub(crate) agent: Option<&'a ProviderEntry>,
    pub(crate) house: Option<&'a ProviderEntry>,
    pub(crate) kit: &'a AgentResources,
    pub(crate) environment: &'a Environment,
    pub(crate) detects: bool,
}

/// Source of a setting.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The agent entry.
    Agent,
    /// The entry in `baton.yaml`.
    House,
    /// The variables of the agent.
    AgentVariables,
    /// The environment variables of the process.
    Environment,
}

impl Place {
    /// All sources, highest precedence first.
    pub(crate) const ALL: [Self; 4] = [Self::Agent, Self::House, Self::AgentVariables, Self::Environment];
}

/// Resolves the settings of a provider for an agent with these resources; `house` are the entries of `baton.yaml`.
pub fn resolve(
    id: &str,
    kit: &AgentResources,
    house: &[ProviderEntry],
    environment: &Environment,
) -> Result<ProviderSettings, LineupError> {
    let known = KnownProvider::find(id);
    let id = known.map_or(id, |known| known.id);
    let of = |entries: &'_ [ProviderEntry]| entries.iter().position(|entry| entry.id == id);
    let agent = of(&kit.providers).and_then(|index| kit.providers.get(index));
    let house = of(house).and_then(|index| house.get(index));
    if known.is_none() && agent.is_none() && house.is_none() {
        return Err(LineupError::Unknown(id.chars().take(60).collect()));
    }
    let sources = Sources { known, agent, house, kit, environment, detects: true };
    let kind = match sources.find(ProviderSetting::Kind)? {
        Some(asked) => PROVIDER_KINDS
            .iter()
            .find(|(word, _)| *word == asked.value)
            .map(|(_, kind)| *kind)
            .ok_or(LineupError::Unusable { asked: asked.from, problem: "is not a supported protocol" })?,
        None => known.map_or(ProviderKind::OpenAi, |known| known.kind),
    };
    if kind == ProviderKind::Local {
        return Err(LineupError::Weights);
    }
    let base_url = sources.find(ProviderSetting::BaseUrl)?;
    // A key is never sent to an address chosen by a party that does not own the key: an agent that sets the address of
    // its provider, or a protocol with a default address of its own, must also supply the key.
    let keys = match sources.is_agents(ProviderSetting::BaseUrl) || sources.is_agents(ProviderSetting::Kind) {
        true => Sources { house: None, detects: false, ..sources.copied() },
        false => sources.copied(),
    };
    let Keys { key, pair } = keys.keys(kind)?;
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
    settings.complete()
}

impl ProviderSettings {
    /// Returns the settings, or an error if a required one is missing.
    fn complete(self) -> Result<Self, LineupError> {
        let known = KnownProvider::find(&self.id);
        let incomplete =
            |needed, remedy: String| Err(LineupError::Incomplete { provider: self.id.clone(), needed, remedy });
        let variables = |setting| known.into_iter().flat_map(move |known| known.variables(setting)).collect::<Vec<_>>();
        let is_elsewhere = self.base_url.is_some();
        match self.kind {
            ProviderKind::OpenAi if known.is_none_or(|known| known.id == "docker") && !is_elsewhere => {
                incomplete("an address", "base_url (or BASE_URL) under providers".to_owned())
            }
            // A custom server may require no key.
            ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Gemini
                if self.key.is_none() && !is_elsewhere && self.headers.is_empty() =>
            {
                incomplete(
                    "a key",
                    format!("{} or api_key under providers", variables(ProviderSetting::ApiKey).join(" or ")),
                )
            }
            ProviderKind::Bedrock if self.key.is_none() && self.pair.is_none() => {
                let remedy = match known {
                    Some(_) => "AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                    None => "api_key, or access_key_id and secret_access_key, under providers",
                };
                incomplete("a key", remedy.to_owned())
            }
            _ => Ok(self),
        }
    }
}

impl Sources<'_> {
    fn copied(&self) -> Sources<'_> {
        Sources { ..*self }
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
        self.known.map_or_else(|| self.agent.or(self.house).map_or("", |entry| entry.id.as_str()), |known| known.id)
    }

    pub(crate) fn find(&self, setting: ProviderSetting) -> Result<Option<Asked>, LineupError> {
        for place in [Place::Agent, Place::House] {
            if let Some(asked) = self.first(place, setting)? {
                return Ok(Some(asked));
            }
        }
        for name in self.names(setting) {
            for place in [Place::AgentVariables, Place::Environment] {
                if let Some(asked) = self.at(place, name)? {
                    return Ok(Some(asked));
                }
            }
        }
        Ok(None)
    }

    /// First value of a setting in a source.
    pub(crate) fn first(&self, place: Place, setting: ProviderSetting) -> Result<Option<Asked>, LineupError> {
        for name in self.names(setting) {
            if let Some(asked) = self.at(place, name)? {
                return Ok(Some(asked));
            }
        }
        Ok(None)
    }

    /// Value of a name in a source.
    pub(crate) fn at(&self, place: Place, name: &str) -> Result<Option<Asked>, LineupError> {
        let written = |entry: Option<&ProviderEntry>, whose: &str| {
            let value = entry.and_then(|entry| entry.keys.get(name));
            value.map(|value| self.expanded(value, &format!("{whose} providers.{}.{name}", self.id()))).transpose()
        };
        let is_variable =
            self.known.is_some_and(|known| known.keys.iter().any(|key| key.is_variable && key.name == name));
        let value = match place {
            Place::Agent => return written(self.agent, "the agent's"),
            Place::House => return written(self.house, "baton.yaml's"),
            _ if !is_variable => None,
            Place::AgentVariables => self.kit.variables.0.get(name).filter(|value| !value.is_empty()).cloned(),
            Place::Environment => self.environment.get(name).filter(|_| self.detects),
        };
        Ok(value.map(|value| Asked { value, from: name.to_owned() }))
    }

    /// Whether the setting comes from the agent.
    fn is_agents(&self, setting: ProviderSetting) -> bool {
        let says = |name: &&str| self.agent.is_some_and(|entry| entry.keys.contains_key(*name));
        let has = |name: &str| self.kit.variables.0.contains_key(name);
        let names = self.names(setting);
        let house = names.iter().any(|name| self.house.is_some_and(|entry| entry.keys.contains_key(*name)));
        names.iter().any(says) || (!house && self.known.is_some_and(|known| known.variables(setting).any(has)))
    }

    /// Returns a literal unchanged; resolves `env://NAME` from the variables of the agent, then from the process.
    fn expanded(&self, value: &str, asked: &str) -> Result<Asked, LineupError> {
        let unusable = |problem| LineupError::Unusable { asked: asked.to_owned(), problem };
        if value.starts_with("op://") {
            return Err(unusable(
                "refers to a vault, which Baton does not support; set a variable and write env://NAME",
            ));
        }
        let Some(name) = value.strip_prefix("env://") else {
            return match value.trim() {
                "" => Err(unusable("is empty")),
                value => Ok(Asked { value: value.to_owned(), from: asked.to_owned() }),
            };
        };
        let own = self.kit.variables.0.get(name).filter(|value| !value.is_empty()).cloned();
        match own.or_else(|| self.environment.get(name)) {
            Some(value) => Ok(Asked { value, from: name.to_owned() }),
            None => Err(LineupError::Unset { variable: name.to_owned(), asked: asked.to_owned() }),
        }
    }

    fn headers(&self) -> Result<BTreeMap<String, Asked>, LineupError> {
        let mut headers = BTreeMap::new();
        for (entry, place) in [(self.house, "baton.yaml's"), (self.agent, "the agent's")] {
            let Some(entry) = entry else { continue };
            for (key, value) in &entry.keys {
                let Some(name) = key.strip_prefix(PROVIDER_HEADER_PREFIX) else { continue };
                let asked = format!("{place} providers.{}.headers.{name}", entry.id);
                headers.insert(name.to_owned(), self.expanded(value, &asked)?);
            }
        }
        Ok(headers)
    }

    /// The region is part of the host that keys are sent to, so only letters, digits and hyphens are allowed.
    fn region(&self) -> Result<Option<String>, LineupError> {
        let Some(Asked { value, from }) = self.find(ProviderSetting::Region)? else { return Ok(None) };
        let is_region = value.len() <= MAX_REGION && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let problem = "is not a region such as eu-west-1";
        if is_region { Ok(Some(value)) } else { Err(LineupError::Unusable { asked: from, problem }) }
    }

    fn count(&self, setting: ProviderSetting) -> Result<Option<u32>, LineupError> {
        let Some(asked) = self.find(setting)? else { return Ok(None) };
        let count = asked.value.parse().ok().filter(|count| *count > 0);
        let problem = "is not a positive number";
        count.map(Some).ok_or(LineupError::Unusable { asked: asked.from, problem })
    }

    fn time(&self, setting: ProviderSetting) -> Result<Option<Duration>, LineupError> {
        let Some(asked) = self.find(setting)? else { return Ok(None) };
        let problem = "is not a duration such as 30s";
        duration(&asked.value).map(Some).ok_or(LineupError::Unusable { asked: asked.from, problem })
    }
}
