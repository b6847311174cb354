//! Effects of the model providers of a definition, also of those that its own variables are about.

use super::{
    DefinitionEffects, Destination, ValueSource,
    address::{fill_in, origin},
};
use baton_types::{
    AgentVariables, COMMON_PROVIDER_KEYS, KnownProvider, PROVIDERS, ProviderEntry, ProviderKey, ProviderSetting,
};

/// What a setting means for effects.
enum SettingEffect {
    /// It is sent to the provider.
    Sent,
    /// It decides who the provider is.
    Address,
    /// It names something on this machine that is read.
    MachineFile,
    /// It is a number or a time, and is not sent.
    Local,
}

fn setting_effect(setting: ProviderSetting, value: &str) -> SettingEffect {
    match setting {
        ProviderSetting::ApiKey
        | ProviderSetting::AccessKeyId
        | ProviderSetting::SecretAccessKey
        | ProviderSetting::SessionToken => SettingEffect::Sent,
        // Every protocol has a usual address of its own.
        ProviderSetting::BaseUrl | ProviderSetting::Kind => SettingEffect::Address,
        // The region is part of the host; a plain one names another host of the same service.
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
    for known in &PROVIDERS {
        let entry = entries.iter().find(|entry| entry.id == known.id);
        collect_variables(effects, known, entry, variables);
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
        // Headers have names of the author's own, and are sent.
        match setting.map_or(SettingEffect::Sent, |setting| setting_effect(setting, value)) {
            SettingEffect::Sent => effects.add_text(place, value, &destination),
            SettingEffect::MachineFile => effects.add_value(place, value, ValueSource::MachineFile, &destination),
            SettingEffect::Address | SettingEffect::Local => effects.add_reference(place, value, &destination),
        }
    }
}

/// The agent's own variables say things about providers, whether or not it has an entry for them.
fn collect_variables(
    effects: &mut DefinitionEffects,
    known: &KnownProvider,
    entry: Option<&ProviderEntry>,
    variables: &AgentVariables,
) {
    let destination = destination(known.id, entry, variables);
    for (key, value) in own_variables(known, variables) {
        let place = format!("the variable {} for the provider '{}'", key.name, known.id);
        match setting_effect(key.setting, value) {
            SettingEffect::Sent => effects.add_value(place, value, ValueSource::Literal, &destination),
            SettingEffect::MachineFile => effects.add_value(place, value, ValueSource::MachineFile, &destination),
            SettingEffect::Address if key.setting == ProviderSetting::BaseUrl => effects.add_address(&place, value),
            SettingEffect::Address | SettingEffect::Local => {}
        }
    }
}

fn own_variables<'a>(
    known: &'a KnownProvider,
    variables: &'a AgentVariables,
) -> impl Iterator<Item = (&'a ProviderKey, &'a str)> {
    let own = |key: &'a ProviderKey| variables.0.get(key.name).map(|value| (key, value.as_str()));
    known.keys.iter().filter(|key| key.is_variable).filter_map(own).filter(|(_, value)| !value.is_empty())
}

/// Everything that is said about where a provider is; what others say is not the definition's, and stays the same.
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
    for (key, value) in KnownProvider::of(id).into_iter().flat_map(|known| own_variables(known, variables)) {
        add(key.name, key.setting, value);
    }
    Destination::Service { transport: format!("provider {id}"), origin: parts.join(" ") }
}

/// What a key of a provider is for; providers of the author's own have the keys of compatible servers.
fn setting(id: &str, name: &str) -> Option<ProviderSetting> {
    let known = KnownProvider::of(id).or_else(|| KnownProvider::of("docker"));
    let own = known.map_or(&[][..], |known| known.keys);
    own.iter().chain(&COMMON_PROVIDER_KEYS).find(|key| key.name == name).map(|key| key.setting)
}
