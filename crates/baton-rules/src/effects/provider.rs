//! Effects of model providers, including those configured by the agent's own variables.

use super::{
    DefinitionEffects, Destination, ValueSource,
    address::{fill_in, origin},
};
use baton_types::{
    AgentVariables, COMMON_PROVIDER_KEYS, KnownProvider, PROVIDERS, ProviderEntry, ProviderKey, ProviderSetting,
};

/// Effect of a provider setting.
enum SettingEffect {
    /// Sent to the provider.
    Sent,
    /// Determines the address of the provider.
    Address,
    /// Names a file or profile on this machine that is read.
    MachineFile,
    /// A number or duration that is not sent.
    Local,
}

fn setting_effect(setting: ProviderSetting, value: &str) -> SettingEffect {
    match setting {
        ProviderSetting::ApiKey
        | ProviderSetting::AccessKeyId
        | ProviderSetting::SecretAccessKey
        | ProviderSetting::SessionToken => SettingEffect::Sent,
        // Every protocol has its own default address.
        ProviderSetting::BaseUrl | ProviderSetting::Kind => SettingEffect::Address,
        // The region is part of the host name; a plain region selects another host of the same service.
        ProviderSetting::Region if is_plain_region(value) => SettingEffect::Local,
        ProviderSetting::Region => SettingEffect::Address,
        ProviderSetting::Profile | ProviderSetting::Directory => SettingEffect::MachineFile,
        ProviderSetting::Concurrency
        | ProviderSetting::PerMinute
        | ProviderSetting::FirstByteTimeout
        | ProviderSetting::IdleTimeout
        | ProviderSetting::ConnectTimeout => SettingEffect::Local,
    }
}

fn is_plain_region(value: &str) -> bool {
    !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

pub(super) fn collect(effects: &mut DefinitionEffects, entries: &[ProviderEntry], variables: &AgentVariables) {
    for entry in entries {
        collect_entry(effects, entry, variables);
    }
    for provider in &PROVIDERS {
        let entry = entries.iter().find(|entry| entry.id == provider.id);
        collect_variables(effects, provider, entry, variables);
    }
}

fn collect_entry(effects: &mut DefinitionEffects, entry: &ProviderEntry, variables: &AgentVariables) {
    let ProviderEntry { id, keys } = entry;
    let destination = destination(id, Some(entry), variables);
    for (name, value) in keys {
        let place = format!("the key '{name}' of the provider '{id}'");
        let setting = setting(id, name);
        if setting == Some(ProviderSetting::BaseUrl) {
            effects.add_address(&format!("the provider '{id}'"), value);
        }
        // Headers have custom names and are sent.
        match setting.map_or(SettingEffect::Sent, |setting| setting_effect(setting, value)) {
            SettingEffect::Sent => effects.add_text(place, value, &destination),
            SettingEffect::MachineFile => effects.add_value(place, value, ValueSource::MachineFile, &destination),
            SettingEffect::Address | SettingEffect::Local => effects.add_reference(place, value, &destination),
        }
    }
}

/// The agent's own variables configure providers even without an entry.
fn collect_variables(
    effects: &mut DefinitionEffects,
    provider: &KnownProvider,
    entry: Option<&ProviderEntry>,
    variables: &AgentVariables,
) {
    let destination = destination(provider.id, entry, variables);
    for (key, value) in own_variables(provider, variables) {
        let place = format!("the variable {} for the provider '{}'", key.name, provider.id);
        match setting_effect(key.setting, value) {
            SettingEffect::Sent => effects.add_value(place, value, ValueSource::Literal, &destination),
            SettingEffect::MachineFile => effects.add_value(place, value, ValueSource::MachineFile, &destination),
            SettingEffect::Address if key.setting == ProviderSetting::BaseUrl => effects.add_address(&place, value),
            SettingEffect::Address | SettingEffect::Local => {}
        }
    }
}

fn own_variables<'a>(
    provider: &'a KnownProvider,
    variables: &'a AgentVariables,
) -> impl Iterator<Item = (&'a ProviderKey, &'a str)> {
    let own = |key: &'a ProviderKey| variables.0.get(key.name).map(|value| (key, value.as_str()));
    provider.keys.iter().filter(|key| key.is_variable).filter_map(own).filter(|(_, value)| !value.is_empty())
}

/// All settings of the definition that determine the address of a provider. Settings from other sources do not change
/// with the definition.
fn destination(id: &str, entry: Option<&ProviderEntry>, variables: &AgentVariables) -> Destination {
    let mut parts = Vec::new();
    let mut add = |name: &str, is: ProviderSetting, value: &str| {
        let value = fill_in(value, variables);
        if matches!(setting_effect(is, &value), SettingEffect::Address) {
            let value = if is == ProviderSetting::BaseUrl { origin(&value) } else { value };
            parts.push(format!("{name}={value}"));
        }
    };
    for (name, value) in entry.into_iter().flat_map(|entry| &entry.keys) {
        if let Some(is) = setting(id, name) {
            add(name, is, value);
        }
    }
    for (key, value) in KnownProvider::find(id).into_iter().flat_map(|provider| own_variables(provider, variables)) {
        add(key.name, key.setting, value);
    }
    Destination::Service { transport: format!("provider {id}"), origin: parts.join(" ") }
}

/// Meaning of a provider key; custom providers use the keys of compatible servers.
fn setting(id: &str, name: &str) -> Option<ProviderSetting> {
    let provider = KnownProvider::find(id).or_else(|| KnownProvider::find("docker"));
    let own = provider.map_or(&[][..], |provider| provider.keys);
    own.iter().chain(&COMMON_PROVIDER_KEYS).find(|key| key.name == name).map(|key| key.setting)
}
