//! A remote server: its address, headers and login.

use super::{RemoteError, stream_readiness::StreamReadiness};
use crate::{
    ServerLog,
    oauth::{Authorizer, Challenge, LoginError},
};
use baton_outbound::{GuardedBody, GuardedClient, OutboundError, RequestAuthenticator};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Maximum retries of one request with another token: one for a new token, one for more scopes.
const MAX_RENEWALS: usize = 2;

/// A remote server; clones share its login and connections.
#[derive(Clone)]
pub struct RemoteServer {
    url: Arc<str>,
    /// The parsed address, if it is valid.
    uri: Option<Uri>,
    headers: Arc<HeaderMap>,
    client: GuardedClient,
    auth: Option<Arc<Authorizer>>,
    authenticator: Option<Arc<dyn RequestAuthenticator>>,
    log: ServerLog,
    listening_stopped: Arc<AtomicBool>,
    stream_readiness: StreamReadiness,
}

/// Shows the address without its query, which may contain keys.
impl fmt::Debug for RemoteServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.url.split('?').next().unwrap_or_default();
        f.debug_struct("RemoteServer").field("url", &address).finish_non_exhaustive()
    }
}

impl RemoteServer {
    /// A server at this address. The headers are sent with every request; the client checks addresses.
    pub fn new(url: impl Into<Arc<str>>, headers: HeaderMap, client: GuardedClient) -> Self {
        let url = url.into();
        Self {
            uri: url.parse().ok(),
            url,
            headers: Arc::new(headers),
            client,
            auth: None,
            authenticator: None,
            log: ServerLog::default(),
            listening_stopped: Arc::default(),
            stream_readiness: StreamReadiness::default(),
        }
    }

    /// Adds a login.
    #[must_use]
    pub fn with_login(mut self, auth: Arc<Authorizer>) -> Self {
        self.auth = Some(auth);
        self
    }

    /// Adds caller authentication.
    #[must_use]
    pub fn with_authenticator(mut self, introduce: Arc<dyn RequestAuthenticator>) -> Self {
        self.authenticator = Some(introduce);
        self
    }

    /// Sets the log for connection problems.
    #[must_use]
    pub fn with_log(mut self, log: ServerLog) -> Self {
        self.log = log;
        self
    }

    pub(crate) fn url(&self) -> Arc<str> {
        Arc::clone(&self.url)
    }

    pub(crate) fn log(&self) -> &ServerLog {
        &self.log
    }

    /// Stops listening for unsolicited messages, because they are unreadable.
    pub(crate) fn stop_listening(&self) {
        self.listening_stopped.store(true, Ordering::Relaxed);
    }

    pub(super) fn stream_readiness(&self) -> &StreamReadiness {
        &self.stream_readiness
    }

    pub(crate) fn is_listening(&self) -> bool {
        !self.listening_stopped.load(Ordering::Relaxed)
    }

    fn parse(&self, url: &str) -> Result<Uri, RemoteError> {
        match &self.uri {
            Some(uri) if *url == *self.url => Ok(uri.clone()),
            _ => Ok(url.parse().map_err(|_| OutboundError::Url("is malformed"))?),
        }
    }

    /// Sends a request, with a token if available, and retries with a better token when the server requires one.
    pub(crate) async fn exchange(
        &self,
        method: Method,
        url: &str,
        more: &HeaderMap,
        body: &Bytes,
    ) -> Result<Response<GuardedBody>, RemoteError> {
        let mut token = match &self.auth {
            Some(auth) => Box::pin(auth.token()).await?,
            None => None,
        };
        for renewals in 0.. {
            let mut request = Request::new(body.clone());
            *request.method_mut() = method.clone();
            *request.uri_mut() = self.parse(url)?;
            *request.headers_mut() = more.clone();
            for (name, value) in &*self.headers {
                if !more.contains_key(name) {
                    request.headers_mut().append(name, value.clone());
                }
            }
            if let Some(token) = &token {
                request.headers_mut().insert(header::AUTHORIZATION, bearer(token)?);
            }
            let request = match &self.authenticator {
                Some(introduce) => authenticate(request, &**introduce).await?,
                None => request,
            };
            let response = match method {
                Method::GET => Box::pin(self.client.open(request)).await?,
                _ => Box::pin(self.client.open_keep_alive(request)).await?,
            };
            if let Some(introduce) = &self.authenticator {
                let is_refused = response.status() == StatusCode::UNAUTHORIZED;
                if is_refused && renewals == 0 && introduce.handle_rejection().await {
                    continue;
                }
                return Ok(response);
            }
            let Some(auth) = &self.auth else { return Ok(response) };
            let Some(challenge) = Challenge::from_response(response.status(), response.headers()) else {
                return Ok(response);
            };
            if renewals >= MAX_RENEWALS {
                return Err(LoginError::failed("the server rejects the token that it requested").into());
            }
            drop(response);
            token = Some(Box::pin(auth.satisfy_challenge(token.as_deref(), &challenge)).await?);
        }
        Err(RemoteError::Closed)
    }
}

async fn authenticate(
    request: Request<Bytes>,
    introduce: &dyn RequestAuthenticator,
) -> Result<Request<Bytes>, RemoteError> {
    let (mut parts, body) = request.into_parts();
    introduce.apply(&mut parts).await.map_err(RemoteError::Credential)?;
    Ok(Request::from_parts(parts, body))
}

fn bearer(token: &str) -> Result<HeaderValue, RemoteError> {
    let value = HeaderValue::try_from(format!("Bearer {token}"));
    let mut value = value.map_err(|_| LoginError::failed("the token cannot be sent in a header"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Content type class of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentClass {
    Json,
    Events,
    Other,
}

/// Content type class by the headers of a response.
pub(crate) fn content_class(headers: &HeaderMap) -> ContentClass {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "application/json" => ContentClass::Json,
        "text/event-stream" => ContentClass::Events,
        _ => ContentClass::Other,
    }
}

/// Error for an unexpected status.
pub(crate) fn unexpected(status: StatusCode) -> RemoteError {
    RemoteError::Status { status: status.as_u16() }
}
