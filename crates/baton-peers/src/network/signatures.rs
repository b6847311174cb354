//! Verification of card signatures against the operator's trusted signers.

use super::refusal;
use crate::{DiscoveredCard, PeerConfig, discover::is_own_host, error_codes};
use baton_identity::{TrustedKeys, signature_headers, verify_card};
use baton_outbound::{GuardedClient, Target};
use baton_ports::PeerRegistryError;
use baton_types::{ErrorCode, Json};
use baton_wire::a2a::v1::AgentCard;
use bytes::Bytes;
use http::{Request, StatusCode, header};

/// Maximum size of a key set in bytes.
const MAX_KEYS: usize = 256 * 1024;

/// Maximum number of key sets read per card.
const MAX_SETS: usize = 4;

/// The trusted part of the card, and the id of the key that signed it.
pub(super) async fn verify_signature(
    client: &GuardedClient,
    config: &PeerConfig,
    found: &DiscoveredCard,
) -> Result<(AgentCard, Option<String>), PeerRegistryError> {
    if config.signers.is_empty() {
        if config.require_signature {
            let detail = "a signature is required, but no key is trusted; add keys under signers".to_owned();
            return Err(refusal(ErrorCode::CONFIG_INVALID, detail));
        }
        return Ok((found.card.clone(), None));
    }
    let untrusted = |reason: String| refusal(error_codes::PEER_UNTRUSTED, format!("{}: {reason}", found.url));
    let trusted = trusted_keys(client, config, found).await;
    match verify_card(found.raw.as_str(), &trusted) {
        Ok(verified) => {
            let signed: AgentCard = verified.card.read().map_err(|error| untrusted(error.to_string()))?;
            // The URL member of old cards is not covered by signatures.
            if signed.supported_interfaces.is_empty() {
                return Err(untrusted("the signed card has no interface".to_owned()));
            }
            let (supported_interfaces, signatures) = (found.interfaces.clone(), found.card.signatures.clone());
            let card = AgentCard { supported_interfaces, signatures, ..signed };
            Ok((card, Some(verified.kid)))
        }
        Err(distrust) if config.require_signature => Err(untrusted(distrust.to_string())),
        Err(distrust) => {
            tracing::info!(url = found.url, %distrust, "the card of a remote agent has no trusted signature");
            Ok((found.card.clone(), None))
        }
    }
}

/// The trusted keys: those of the configured key sets, and those of the peer's key sets with a configured thumbprint.
async fn trusted_keys(client: &GuardedClient, config: &PeerConfig, found: &DiscoveredCard) -> TrustedKeys {
    let (sets, thumbprints): (Vec<&String>, Vec<&String>) =
        config.signers.iter().partition(|signer| signer.contains("://"));
    let any_thumbprint = !thumbprints.is_empty();
    let mut trusted = TrustedKeys::from_thumbprints(thumbprints);
    for url in sets {
        match fetch_keys(client, url).await.map(|set| trusted.trust_jwks(&set).map_err(|error| error.to_string())) {
            Ok(Ok(())) => {}
            Ok(Err(error)) | Err(error) => tracing::warn!(url, error, "the keys of trusted signers cannot be read"),
        }
    }
    if any_thumbprint {
        for url in key_set_urls(config, found) {
            match fetch_keys(client, &url).await.map(|set| trusted.admit(&set).map_err(|error| error.to_string())) {
                Ok(Ok(_)) => {}
                Ok(Err(error)) | Err(error) => tracing::debug!(url, error, "the keys of a remote agent cannot be read"),
            }
        }
    }
    trusted
}

/// URLs of the peer's key sets on its own or configured hosts.
fn key_set_urls(config: &PeerConfig, found: &DiscoveredCard) -> Vec<String> {
    let Ok(home) = Target::parse(&found.url) else { return Vec::new() };
    let named = signature_headers(found.raw.as_str()).unwrap_or_default().into_iter().filter_map(|header| header.jku);
    let scheme = if home.is_secure() { "https" } else { "http" };
    let usual = home.uri().authority().map(|authority| format!("{scheme}://{authority}/.well-known/jwks.json"));
    let mut urls: Vec<String> = Vec::new();
    for url in named.chain(usual) {
        let target = Target::parse(&url).ok().filter(|target| is_own_host(target, &home.host(), &config.hosts));
        if target.is_some() && !urls.contains(&url) && urls.len() < MAX_SETS {
            urls.push(url);
        }
    }
    urls
}

async fn fetch_keys(client: &GuardedClient, url: &str) -> Result<Json, String> {
    let request = Request::get(url).header(header::ACCEPT, "application/json").body(Bytes::new());
    let request = request.map_err(|error| error.to_string())?;
    let reply = client.send_bounded(request, MAX_KEYS).await.map_err(|error| error.to_string())?;
    if reply.status != StatusCode::OK || !reply.complete {
        return Err(format!("answered {}", reply.status.as_u16()));
    }
    let text = std::str::from_utf8(&reply.body).map_err(|error| error.to_string())?;
    Json::parse(text).map_err(|error| error.to_string())
}
