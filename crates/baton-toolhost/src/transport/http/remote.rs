//! One server on the network: its address, what is sent with every request, and how to log in.

use super::{RemoteError, ears::Ears};
use crate::{
    ServerLog,
    oauth::{Authorizer, Challenge, LoginError},
};
use baton_outbound::{GuardedBody, GuardedClient};
use baton_ports::BoxFuture;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Shows a server who is calling, when that is not a matter of logging in.
pub trait Introduce: Send + Sync + 'static {
    /// Puts what is shown on a request that is about to leave; its URI tells for which origin. The error says why
    /// nothing may be shown there, and the request does not leave then.
    fn apply<'a>(&'a self, request: &'a mut Parts) -> BoxFuture<'a, Result<(), String>>;

    /// The server did not accept it; `true` when something else can be tried, once.
    fn refused(&self) -> BoxFuture<'_, bool>;
}

/// How often one request is sent again with another token: once for a new one, once for more scopes.
const MAX_RENEWALS: usize = 2;

/// A server on the network; clones share its login and its connections.
#[derive(Clone)]
pub struct Remote {
    url: Arc<str>,
    headers: Arc<HeaderMap>,
    client: GuardedClient,
    auth: Option<Arc<Authorizer>>,
    introduce: Option<Arc<dyn Introduce>>,
    log: ServerLog,
    deaf: Arc<AtomicBool>,
    ears: Ears,
}

/// Only the address, and without its query: keys are written there too.
impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.url.split('?').next().unwrap_or_default();
        f.debug_struct("Remote").field("url", &address).finish_non_exhaustive()
    }
}

impl Remote {
    /// A server at this address. The headers go with every request, and the client decides where requests may go.
    pub fn new(url: impl Into<Arc<str>>, headers: HeaderMap, client: GuardedClient) -> Self {
        Self {
            url: url.into(),
            headers: Arc::new(headers),
            client,
            auth: None,
            introduce: None,
            log: ServerLog::default(),
            deaf: Arc::default(),
            ears: Ears::default(),
        }
    }

    /// The same server, where somebody can log in.
    #[must_use]
    pub fn with_login(mut self, auth: Arc<Authorizer>) -> Self {
        self.auth = Some(auth);
        self
    }

    /// The same server, which is shown who is calling.
    #[must_use]
    pub fn with_introduction(mut self, introduce: Arc<dyn Introduce>) -> Self {
        self.introduce = Some(introduce);
        self
    }

    /// The same server, whose troubles are told here.
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

    /// Gives up listening to what the server says on its own: it says what nobody can read.
    pub(crate) fn stop_listening(&self) {
        self.deaf.store(true, Ordering::Relaxed);
    }

    pub(super) fn ears(&self) -> &Ears {
        &self.ears
    }

    pub(crate) fn listens(&self) -> bool {
        !self.deaf.load(Ordering::Relaxed)
    }

    /// Sends a request, with a token when there is one, and again with a better one when the server wants that.
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
            *request.uri_mut() = url.parse().map_err(|_| baton_outbound::OutboundError::Url("is malformed"))?;
            *request.headers_mut() = HeaderMap::clone(&self.headers);
            for (name, value) in more {
                request.headers_mut().insert(name, value.clone());
            }
            if let Some(token) = &token {
                request.headers_mut().insert(header::AUTHORIZATION, bearer(token)?);
            }
            let request = match &self.introduce {
                Some(introduce) => introduced(request, &**introduce).await?,
                None => request,
            };
            let response = match method {
                Method::GET => Box::pin(self.client.open(request)).await?,
                _ => Box::pin(self.client.open_again(request)).await?,
            };
            if let Some(introduce) = &self.introduce {
                let is_refused = response.status() == StatusCode::UNAUTHORIZED;
                if is_refused && renewals == 0 && introduce.refused().await {
                    continue;
                }
                return Ok(response);
            }
            let Some(auth) = &self.auth else { return Ok(response) };
            let Some(challenge) = Challenge::of(response.status(), response.headers()) else { return Ok(response) };
            if renewals >= MAX_RENEWALS {
                return Err(LoginError::refused("the server refuses the token that it asked for").into());
            }
            drop(response);
            token = Some(Box::pin(auth.answer(token.as_deref(), &challenge)).await?);
        }
        Err(RemoteError::Closed)
    }
}

async fn introduced(request: Request<Bytes>, introduce: &dyn Introduce) -> Result<Request<Bytes>, RemoteError> {
    let (mut parts, body) = request.into_parts();
    introduce.apply(&mut parts).await.map_err(RemoteError::Credential)?;
    Ok(Request::from_parts(parts, body))
}

fn bearer(token: &str) -> Result<HeaderValue, RemoteError> {
    let value = HeaderValue::try_from(format!("Bearer {token}"));
    let mut value = value.map_err(|_| LoginError::refused("the token cannot be sent in a header"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// What a reply is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Events,
    Other,
}

/// What a reply is made of, by its headers.
pub(crate) fn kind_of(headers: &HeaderMap) -> Kind {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "application/json" => Kind::Json,
        "text/event-stream" => Kind::Events,
        _ => Kind::Other,
    }
}

/// A reply of a status that nothing else is known about.
pub(crate) fn unexpected(status: StatusCode) -> RemoteError {
    RemoteError::Status { status: status.as_u16() }
}
