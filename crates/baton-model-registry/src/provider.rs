//! Conversion of provider settings to a provider client.

use crate::{ProviderSettings, keys::pair_sources};
use baton_providers::{KeyPair, Provider, ProviderTimeouts, Secret};
use baton_types::Clock;
use std::sync::Arc;

/// The provider for these settings; the clock dates request signatures.
pub(crate) fn build_provider(settings: &ProviderSettings, clock: &Arc<dyn Clock>) -> Provider {
    let mut provider = Provider::new(settings.kind, settings.id.as_str());
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
    provider.with_timeouts(timeouts)
}
