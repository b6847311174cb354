//! The credential for a peer; at most one.

use super::super::{
    auth::{MAX_SCOPES, check_web_url},
    lists::checked_texts,
    secret::{self, resolve_secret_path},
};
use baton_document::{DocumentNode, DocumentReader, Fields};
use baton_peers::{ApiKeyLocation, ClientCredentials, ClientSecretLocation, Credential};
use std::path::Path;

/// Names of API key locations in the file, as in OpenAPI.
pub(in crate::config) const KEY_PLACES: [(&str, ApiKeyLocation); 3] =
    [("header", ApiKeyLocation::Header), ("query", ApiKeyLocation::Query), ("cookie", ApiKeyLocation::Cookie)];

/// The credential from one of the keys `bearer`, `api_key`, `basic` and `oauth2`.
pub(super) fn read(reader: &mut DocumentReader, fields: &mut Fields) -> Credential {
    let location = fields.location;
    let nodes = ["bearer", "api_key", "basic", "oauth2"].map(|key| fields.take(key));
    if nodes.iter().flatten().count() > 1 {
        let message = "a peer has several of bearer, api_key, basic and oauth2";
        reader.error(location, message, "keep the one that the peer requires");
    }
    let [bearer, api_key, basic, oauth2] = nodes;
    let all = [
        bearer.and_then(|node| self::bearer(reader, &node)),
        api_key.and_then(|node| self::api_key(reader, node)),
        basic.and_then(|node| self::basic(reader, node)),
        oauth2.and_then(|node| self::oauth2(reader, node)),
    ];
    all.into_iter().flatten().next().unwrap_or_default()
}

fn bearer(reader: &mut DocumentReader, node: &DocumentNode) -> Option<Credential> {
    let text = reader.text("bearer", node)?;
    secret::read(reader, "bearer", &text).map(Credential::Bearer)
}

fn api_key(reader: &mut DocumentReader, node: DocumentNode) -> Option<Credential> {
    let mut fields = Fields::open(reader, "api_key", node)?;
    let key_location = fields.take("in").map(|node| reader.choice("in", &node, &KEY_PLACES));
    let name = fields.required_text(reader, "name", "write the header, query parameter or cookie, such as X-API-Key");
    let secret = secret::required(reader, &mut fields, "secret");
    fields.finish(reader);
    Some(Credential::ApiKey {
        place: key_location.unwrap_or(Some(ApiKeyLocation::Header))?,
        name: name?.value,
        secret: secret?,
    })
}

fn basic(reader: &mut DocumentReader, node: DocumentNode) -> Option<Credential> {
    let mut fields = Fields::open(reader, "basic", node)?;
    let user = fields.required_text(reader, "user", "write the user name for the peer");
    let secret = secret::required(reader, &mut fields, "secret");
    fields.finish(reader);
    Some(Credential::Basic { user: user?.value, secret: secret? })
}

fn oauth2(reader: &mut DocumentReader, node: DocumentNode) -> Option<Credential> {
    let mut fields = Fields::open(reader, "oauth2", node)?;
    let token_url = fields.required_text(reader, "token_url", "write the token endpoint of the authorization server");
    let client_id = fields.required_text(reader, "client_id", "write the OAuth client id of this server");
    let secret = secret::required(reader, &mut fields, "secret");
    let scopes = checked_texts(reader, &mut fields, "scopes", MAX_SCOPES, |_| Ok(()));
    let audience = fields.text(reader, "audience").map(|text| text.value);
    fields.finish(reader);
    let token_url = token_url?;
    if let Err(hint) = check_web_url(&token_url.value) {
        reader.error(token_url.location, format!("'{}' is not a web address", token_url.value.escape_debug()), hint);
    }
    Some(Credential::OAuth2(ClientCredentials {
        token_url: token_url.value,
        client_id: client_id?.value,
        secret: secret?,
        scopes,
        audience,
        secret_place: ClientSecretLocation::default(),
    }))
}

/// The credential with a relative secret path resolved against `base`.
pub(super) fn below(mut credential: Credential, base: &Path) -> Credential {
    let secret = match &mut credential {
        Credential::None => return credential,
        Credential::Bearer(secret) | Credential::ApiKey { secret, .. } | Credential::Basic { secret, .. } => secret,
        Credential::OAuth2(grant) => &mut grant.secret,
    };
    *secret = resolve_secret_path(secret, base);
    credential
}
