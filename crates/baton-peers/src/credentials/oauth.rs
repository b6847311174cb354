//! Access tokens from authorization servers, cached until shortly before they expire.

use super::{ClientCredentials, ClientSecretLocation, Secret};
use crate::CallError;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use baton_outbound::{GuardedClient, OutboundError, OutboundReply};
use baton_ports::BoxFuture;
use bytes::Bytes;
use http::{HeaderValue, Request, header};
use serde::Deserialize;
use std::{sync::Arc, time::Duration};
use tokio::{sync::Mutex, time::Instant};

/// How long before its expiry a token is discarded.
const RENEWAL_WINDOW: Duration = Duration::from_secs(30);

/// Lifetime of a token whose server states none.
const DEFAULT_TOKEN_TTL: Duration = Duration::from_secs(300);

/// Maximum size of an authorization server's reply.
const MAX_TOKEN_REPLY_BYTES: usize = 64 * 1024;

/// Connection to a token endpoint.
pub trait TokenEndpoint: Send + Sync + 'static {
    /// Sends one request.
    fn post(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<OutboundReply, OutboundError>>;
}

impl TokenEndpoint for GuardedClient {
    fn post(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<OutboundReply, OutboundError>> {
        Box::pin(self.send_bounded(request, MAX_TOKEN_REPLY_BYTES))
    }
}

/// Token cache of one client at one server.
pub(super) struct TokenCache {
    grant: ClientCredentials,
    endpoint: Arc<dyn TokenEndpoint>,
    /// Held while a token is requested, so that concurrent callers share it.
    cached: Mutex<Option<CachedToken>>,
}

struct CachedToken {
    token: Secret,
    until: Instant,
}

#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    #[serde(default)]
    token_type: Option<String>,
    #[serde(default)]
    expires_in: Option<f64>,
}

#[derive(Deserialize)]
struct TokenErrorResponse {
    error: String,
}

impl TokenCache {
    pub(super) fn new(grant: ClientCredentials, endpoint: Arc<dyn TokenEndpoint>) -> Self {
        Self { grant, endpoint, cached: Mutex::new(None) }
    }

    pub(super) async fn token(&self) -> Result<Secret, CallError> {
        let mut cached = self.cached.lock().await;
        if let Some(cached) = cached.as_ref().filter(|cached| cached.until > Instant::now()) {
            return Ok(cached.token.clone());
        }
        let requested_at = Instant::now();
        let response = self.request_token().await?;
        let life = response
            .expires_in
            .map_or(Some(DEFAULT_TOKEN_TTL), |seconds| Duration::try_from_secs_f64(seconds.min(1e9)).ok());
        let until = requested_at + life.unwrap_or_default().saturating_sub(RENEWAL_WINDOW);
        let token = Secret::new(response.access_token);
        *cached = Some(CachedToken { token: token.clone(), until });
        Ok(token)
    }

    /// Discards a token that the peer rejected; returns whether there was one, so that a new one can be tried.
    pub(super) async fn discard_token(&self) -> bool {
        self.cached.lock().await.take().is_some()
    }

    async fn request_token(&self) -> Result<TokenResponse, CallError> {
        let reply = match self.endpoint.post(self.build_request()?).await {
            Ok(reply) => reply,
            Err(error) if error.is_forbidden() => {
                return Err(CallError::Forbidden(format!("no token can be requested: {error}")));
            }
            // Nothing was sent to the peer, so a retry is safe.
            Err(error) => return Err(CallError::NotSent(format!("no token was issued: {error}"))),
        };
        if !reply.status.is_success() {
            let reason = serde_json::from_slice(&reply.body).map(|refused: TokenErrorResponse| refused.error);
            let reason = reason.ok().filter(|reason| reason.len() <= 64).unwrap_or_default();
            let text = format!("no token was issued: the server answered {} {reason}", reply.status.as_u16());
            let temporary = reply.status.is_server_error() || reply.status.as_u16() == 429;
            let text = text.trim_end().to_owned();
            return Err(if temporary { CallError::NotSent(text) } else { CallError::Forbidden(text) });
        }
        let response: Result<TokenResponse, _> = serde_json::from_slice(&reply.body);
        let bearer = |response: &TokenResponse| {
            response.token_type.as_ref().is_none_or(|kind| kind.eq_ignore_ascii_case("bearer"))
        };
        match response {
            Ok(response) if bearer(&response) && !response.access_token.is_empty() => Ok(response),
            // The reply is not quoted, because it may contain a token.
            _ => Err(CallError::Forbidden("no token was issued: the server's answer has no bearer token".to_owned())),
        }
    }

    fn build_request(&self) -> Result<Request<Bytes>, CallError> {
        let grant = &self.grant;
        let secret = grant.secret.resolve()?;
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        if !grant.scopes.is_empty() {
            form.append_pair("scope", &grant.scopes.join(" "));
        }
        if let Some(audience) = &grant.audience {
            form.append_pair("audience", audience);
        }
        let mut request = Request::post(&grant.token_url)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::ACCEPT, "application/json");
        match grant.secret_place {
            ClientSecretLocation::Form => {
                form.append_pair("client_id", &grant.client_id).append_pair("client_secret", secret.expose());
            }
            ClientSecretLocation::Header => {
                let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
                let pair = format!("{}:{}", encoded(&grant.client_id), encoded(secret.expose()));
                let value = HeaderValue::try_from(format!("Basic {}", BASE64_STANDARD.encode(pair)));
                let mut value = value.map_err(|_| malformed_address())?;
                value.set_sensitive(true);
                request = request.header(header::AUTHORIZATION, value);
            }
        }
        request.body(Bytes::from(form.finish())).map_err(|_| malformed_address())
    }
}

fn malformed_address() -> CallError {
    CallError::Forbidden("no token can be requested: the address of the server is malformed".to_owned())
}
