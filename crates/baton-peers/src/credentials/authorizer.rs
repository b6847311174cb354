//! Adds a credential to requests to the peer's own hosts.

use super::{
    ApiKeyLocation, Credential, SecretError, SecretRef,
    oauth::{TokenCache, TokenEndpoint},
};
use crate::{
    Authorize, CallError, PeerConfig,
    discover::{is_own_host, with_scheme},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use baton_outbound::Target;
use baton_ports::BoxFuture;
use http::{HeaderName, HeaderValue, Uri, header, request::Parts};
use std::{fmt, sync::Arc};

/// A credential and the hosts that may receive it.
pub struct Authorizer {
    method: AuthMethod,
    own: Option<Target>,
    hosts: Vec<String>,
}

enum AuthMethod {
    Nothing,
    Bearer(SecretRef),
    Key(ApiKeyLocation, String, SecretRef),
    Basic(String, SecretRef),
    Token(TokenCache),
}

impl Authorizer {
    /// The credential of a configured peer; `tokens` connects to authorization servers.
    pub fn from_config(config: &PeerConfig, tokens: Arc<dyn TokenEndpoint>) -> Self {
        let method = match config.credential.clone() {
            Credential::None => AuthMethod::Nothing,
            Credential::Bearer(secret) => AuthMethod::Bearer(secret),
            Credential::ApiKey { place: location, name, secret } => AuthMethod::Key(location, name, secret),
            Credential::Basic { user, secret } => AuthMethod::Basic(user, secret),
            Credential::OAuth2(grant) => AuthMethod::Token(TokenCache::new(grant, tokens)),
        };
        Self { method, own: Target::parse(&with_scheme(config.url.trim())).ok(), hosts: config.hosts.clone() }
    }

    /// Refuses origins that may not receive the credential: a card may point anywhere.
    fn check(&self, uri: &Uri) -> Result<(), CallError> {
        let forbidden = |message: String| Err(CallError::Forbidden(message));
        let target = Target::from_uri(uri.clone()).map_err(|error| CallError::Forbidden(error.to_string()))?;
        let host = target.host();
        let Some(own) = &self.own else { return forbidden("this remote agent has no valid address".to_owned()) };
        let is_named = is_own_host(&target, "", &self.hosts);
        let is_own = is_own_host(&target, &own.host(), &[]) && is_own_port(own, &target);
        if !(is_named || is_own) {
            let port = target.port();
            return forbidden(format!(
                "the credential of this remote agent is not for {host}:{port}; add {host}:{port} under hosts to allow it"
            ));
        }
        if own.is_secure() && !target.is_secure() {
            return forbidden(format!("the credential of this remote agent is not sent to {host} without encryption"));
        }
        Ok(())
    }

    async fn add_credential(&self, request: &mut Parts) -> Result<(), CallError> {
        if matches!(self.method, AuthMethod::Nothing) {
            return Ok(());
        }
        self.check(&request.uri)?;
        match &self.method {
            AuthMethod::Nothing => Ok(()),
            AuthMethod::Bearer(secret) => authorization(request, &format!("Bearer {}", secret.resolve()?.expose())),
            AuthMethod::Basic(user, secret) => {
                let pair = BASE64_STANDARD.encode(format!("{user}:{}", secret.resolve()?.expose()));
                authorization(request, &format!("Basic {pair}"))
            }
            AuthMethod::Key(location, name, secret) => {
                let secret = secret.resolve()?;
                match location {
                    ApiKeyLocation::Header => set(request, header_name(name)?, secret.expose()),
                    ApiKeyLocation::Cookie => {
                        let before = request.headers.get(header::COOKIE).and_then(|cookies| cookies.to_str().ok());
                        let before = before.map(|cookies| format!("{cookies}; ")).unwrap_or_default();
                        set(request, header::COOKIE, &format!("{before}{name}={}", secret.expose()))
                    }
                    ApiKeyLocation::Query => query(request, name, secret.expose()),
                }
            }
            AuthMethod::Token(tokens) => authorization(request, &format!("Bearer {}", tokens.token().await?.expose())),
        }
    }
}

/// Another port of the same host may be another program, so it is another origin. The default ports of http and https
/// are equivalent, because the upgrade to https is safe.
fn is_own_port(own: &Target, target: &Target) -> bool {
    let is_upgrade = !own.is_secure() && own.port() == 80 && target.is_secure() && target.port() == 443;
    own.port() == target.port() || is_upgrade
}

impl Authorize for Authorizer {
    fn apply<'a>(&'a self, request: &'a mut Parts) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(self.add_credential(request))
    }

    fn refused(&self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            match &self.method {
                AuthMethod::Token(tokens) => tokens.discard_token().await,
                _ => false,
            }
        })
    }
}

impl From<SecretError> for CallError {
    fn from(error: SecretError) -> Self {
        Self::Forbidden(error.to_string())
    }
}

impl fmt::Debug for Authorizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorizer").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

fn authorization(request: &mut Parts, value: &str) -> Result<(), CallError> {
    set(request, header::AUTHORIZATION, value)
}

fn set(request: &mut Parts, name: HeaderName, value: &str) -> Result<(), CallError> {
    let mut value = HeaderValue::from_str(value).map_err(|_| {
        CallError::Forbidden(format!("the secret for {name} contains characters that are invalid in a header"))
    })?;
    value.set_sensitive(true);
    request.headers.insert(name, value);
    Ok(())
}

fn header_name(name: &str) -> Result<HeaderName, CallError> {
    name.parse().map_err(|_| CallError::Forbidden(format!("'{name}' is not a valid header name")))
}

fn query(request: &mut Parts, name: &str, value: &str) -> Result<(), CallError> {
    let uri = &request.uri;
    let pair = form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
    let path = match uri.query() {
        Some(before) if !before.is_empty() => format!("{}?{before}&{pair}", uri.path()),
        _ => format!("{}?{pair}", uri.path()),
    };
    let unfit = || CallError::Forbidden("the key cannot be added to the URL".to_owned());
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path.parse().map_err(|_| unfit())?);
    request.uri = Uri::from_parts(parts).map_err(|_| unfit())?;
    Ok(())
}
