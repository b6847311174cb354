//! From settings to somebody who can be asked.

use crate::{LineupError, ProviderSettings};
use baton_providers::{Patience, Provider, ProviderKind as Protocol, Secret};
use baton_types::{KnownProvider, ProviderKind};

/// The provider that these settings describe.
pub(crate) fn provider(settings: &ProviderSettings) -> Result<Provider, LineupError> {
    let is_own = |id: &str| KnownProvider::of(id).is_some_and(|known| known.id == "openai");
    let protocol = match settings.kind {
        ProviderKind::OpenAi if is_own(&settings.id) => Protocol::OpenAi,
        ProviderKind::OpenAi => Protocol::Compatible,
        ProviderKind::Anthropic => Protocol::Anthropic,
        ProviderKind::Gemini => Protocol::Gemini,
        ProviderKind::Bedrock => Protocol::Bedrock,
        ProviderKind::Ollama => Protocol::Ollama,
        ProviderKind::Local => return Err(LineupError::Weights),
        ProviderKind::Playbook => return Err(LineupError::Unknown(settings.id.clone())),
    };
    let mut provider = Provider::new(protocol, settings.id.as_str());
    if let Some(url) = &settings.base_url {
        provider = provider.with_base_url(&url.value);
    }
    match (&settings.key, &settings.pair) {
        (Some(key), _) => provider = provider.with_key(Secret::new(&key.value), key.from.as_str()),
        (None, Some((first, _, _))) if settings.kind == ProviderKind::Bedrock => {
            let problem = "is half of a pair of keys, and Baton reaches Bedrock with a bearer token; set AWS_BEARER_TOKEN_BEDROCK";
            return Err(LineupError::Unusable { asked: first.from.clone(), problem });
        }
        (None, _) => {}
    }
    if let Some(region) = &settings.region {
        provider = provider.with_region(region.as_str());
    }
    for (name, value) in &settings.headers {
        provider = provider.with_header(name.as_str(), Secret::new(&value.value));
    }
    let usual = Patience::default();
    let patience = Patience {
        first: settings.first_byte.unwrap_or(usual.first),
        next: settings.idle.unwrap_or(usual.next),
        connect: settings.connect.unwrap_or(usual.connect),
    };
    Ok(provider.with_patience(patience))
}
