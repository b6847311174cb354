//! Notifications about tasks, as their receivers read them.

mod headers;
mod render;
mod span;

use crate::{GuardedClient, OutboundError, SetupError};
use baton_ports::{BoxFuture, Notice, Notified, WebhookError, Webhooks};
use baton_telemetry::Tracer;
use baton_types::{A2aSettings, PushConfig};
use bytes::Bytes;
use http::{Method, Request};
use std::sync::LazyLock;

/// Characters of a receiver's refusal that are told.
const MAX_EXCERPT: usize = 200;

type Made = Result<GuardedClient, SetupError>;

/// The [`Webhooks`] port on a [`GuardedClient`].
pub struct PushSender {
    client: LazyLock<Made, Box<dyn FnOnce() -> Made + Send>>,
    tracer: Tracer,
    a2a: A2aSettings,
}

impl PushSender {
    /// Sends by the client that `client` makes when the first notification is due: reading the system's certificates
    /// takes longer than all the rest of a start, and most starts push nothing.
    pub fn new(client: impl FnOnce() -> Result<GuardedClient, SetupError> + Send + 'static) -> Self {
        Self { client: LazyLock::new(Box::new(client)), tracer: Tracer::off(), a2a: A2aSettings::default() }
    }

    /// Makes a span of every notification.
    #[must_use]
    pub fn with_tracer(mut self, tracer: Tracer) -> Self {
        self.tracer = tracer;
        self
    }

    /// Shows answers in this form, where their agents do not say.
    #[must_use]
    pub fn with_a2a(mut self, a2a: A2aSettings) -> Self {
        self.a2a = a2a;
        self
    }

    fn client(&self) -> Result<&GuardedClient, WebhookError> {
        self.client.as_ref().map_err(|error| WebhookError::Failed(error.to_string()))
    }

    async fn admit(&self, config: &PushConfig) -> Result<(), WebhookError> {
        headers::of(config)?;
        // A name that leads nowhere is most likely misspelt, and now there is somebody to tell.
        self.client()?.admit(&config.url).await.map_err(|error| WebhookError::Forbidden(error.to_string()))
    }

    async fn notify(&self, config: &PushConfig, notice: Notice<'_>) -> Result<Notified, WebhookError> {
        let Some(body) = render::body(config.dialect, notice, self.a2a)? else { return Ok(Notified::NothingToSay) };
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = Method::POST;
        let target = crate::Target::parse(&config.url)?;
        *request.uri_mut() = target.uri().clone();
        *request.headers_mut() = headers::of(config)?;
        let span = span::begin(&self.tracer, notice, &target, request.headers_mut());
        let reply = self.client()?.send(request).await;
        span::end(span, reply.as_ref());
        let reply = reply?;
        if reply.status.is_success() {
            return Ok(Notified::Delivered);
        }
        let (status, excerpt) = (reply.status.as_u16(), without_secrets(reply.excerpt(MAX_EXCERPT), config));
        let said = if excerpt.is_empty() { String::new() } else { format!(": {excerpt}") };
        Err(WebhookError::Failed(format!("the receiver answered {status}{said}")))
    }
}

/// What a receiver says is logged, and some repeat what they were sent. The beginning of a secret that was cut off counts
/// as well.
fn without_secrets(mut said: String, config: &PushConfig) -> String {
    let credentials = config.authentication.as_ref().and_then(|shown| shown.credentials.as_deref());
    for secret in [config.token.as_deref(), credentials].into_iter().flatten().filter(|secret| !secret.is_empty()) {
        said = said.replace(secret, "...");
        let cut = said.char_indices().find(|(at, _)| said.len() - at >= 4 && secret.starts_with(&said[*at..]));
        if let Some((at, _)) = cut {
            said.replace_range(at.., "...");
        }
    }
    said
}

impl From<OutboundError> for WebhookError {
    fn from(error: OutboundError) -> Self {
        if error.is_forbidden() { Self::Forbidden(error.to_string()) } else { Self::Failed(error.to_string()) }
    }
}

impl Webhooks for PushSender {
    fn admit<'a>(&'a self, config: &'a PushConfig) -> BoxFuture<'a, Result<(), WebhookError>> {
        Box::pin(self.admit(config))
    }

    fn notify<'a>(
        &'a self,
        config: &'a PushConfig,
        notice: Notice<'a>,
    ) -> BoxFuture<'a, Result<Notified, WebhookError>> {
        Box::pin(self.notify(config, notice))
    }
}
