//! Discovery of issuer keys.

use super::{IssuerConfig, IssuerDocuments};
use crate::jwt::KeySet;
use baton_outbound::Target;
use serde::Deserialize;

const WELL_KNOWN: &str = "/.well-known/openid-configuration";

/// OpenID Connect metadata, with the used members only.
#[derive(Deserialize)]
struct IssuerMetadata {
    issuer: String,
    jwks_uri: String,
}

/// Fetches the current keys of an issuer.
pub(super) async fn fetch_keys(config: &IssuerConfig, documents: &dyn IssuerDocuments) -> Result<KeySet, String> {
    let found;
    let url = match &config.jwks_url {
        Some(url) => url,
        None => {
            found = keys_url(config, documents).await?;
            &found
        }
    };
    KeySet::parse(&documents.get(url).await?)
}

async fn keys_url(config: &IssuerConfig, documents: &dyn IssuerDocuments) -> Result<String, String> {
    let url = format!("{}{WELL_KNOWN}", config.issuer.trim_end_matches('/'));
    let metadata: IssuerMetadata = serde_json::from_slice(&documents.get(&url).await?)
        .map_err(|error| format!("{url} is not valid issuer metadata: {error}"))?;
    // Otherwise one issuer of a shared host could impersonate another.
    if metadata.issuer != config.issuer {
        return Err(format!("{url} describes the issuer '{}'", metadata.issuer.escape_debug()));
    }
    let is_secure = |url: &str| Target::parse(url).map(|target| target.is_secure());
    let to = is_secure(&metadata.jwks_uri).map_err(|error| format!("{url} has an unusable jwks_uri: {error}"))?;
    if !to && is_secure(&config.issuer) == Ok(true) {
        return Err(format!("{url} has a jwks_uri without TLS"));
    }
    Ok(metadata.jwks_uri)
}
