//! Conversion of provider settings to a provider client.

use crate::{ModelRegistryError, ProviderSettings, keys::pair_sources};
use baton_providers::{KeyPair, Provider, ProviderKind as Protocol, ProviderTimeouts, Secret};
use baton_types::Clock;
use baton_types::{KnownProvider, ProviderKind};
use std::sync::Arc;

/// The provider for these settings; the clock dates request signatures.
pub(crate) fn build_provider(
    settings: &ProviderSettings,
    clock: &Arc<dyn Clock>,
) -> Result<Provider, ModelRegistryError> {
    let is_own = |id: &str| KnownProvider::find(id).is_some_and(|known| known.id == "openai");
    let protocol = match settings.kind {
        ProviderKind::OpenAi if is_own(&settings.id) => Protocol::OpenAi,
        ProviderKind::OpenAi => Protocol::Compatible,
        ProviderKind::Anthropic => Protocol::Anthropic,
        ProviderKind::Gemini => Protocol::Gemini,
        ProviderKind::Bedrock => Protocol::Bedrock,
        ProviderKind::Ollama => Protocol::Ollama,
        ProviderKind::Local => return Err(ModelRegistryError::LocalWeights),
        ProviderKind::Playbook => return Err(ModelRegistryError::UnknownProvider(settings.id.clone())),
    };
    let mut provider = Provider::new(protocol, settings.id.as_str());
    if let Some(url) = &settings.base_url {
        provider = provider.with_base_url(&url.value);
    }
    match (&settings.key, &settings.pair) {
        (Some(key), _) => provider = provider.with_key(Secret::new(&key.value), key.source.as_str()),
        (None, Some(pair)) => {
            let from = pair_sources(pair).join(" and ");
            let (first, second, token) = pair;
            let mut keys = KeyPair::new(Secret::new(&first.value), Secret::new(&second.value));
            if let Some(token) = token {
                keys = keys.with_token(Secret::new(&token.value));
            }
            provider = provider.with_key_pair(keys, from, Arc::clone(clock));
        }
        (None, None) => {}
    }
    if let Some(region) = &settings.region {
        provider = provider.with_region(region.as_str());
    }
    for (name, value) in &settings.headers {
        provider = provider.with_header(name.as_str(), Secret::new(&value.value));
    }
    let defaults = ProviderTimeouts::default();
    let timeouts = ProviderTimeouts {
        first_byte: settings.first_byte.unwrap_or(defaults.first_byte),
        idle: settings.idle.unwrap_or(defaults.idle),
        connect: settings.connect.unwrap_or(defaults.connect),
    };
    Ok(provider.with_timeouts(timeouts))
}
