//! The webhook sender port.

use crate::{headers, render, span};
use baton_outbound::{GuardedClient, OutboundError, SetupError, Target};
use baton_ports::{BoxFuture, NotificationOutcome, TaskNotification, WebhookError, WebhookSender};
use baton_telemetry::Tracer;
use baton_types::{A2aSettings, PushConfig};
use bytes::Bytes;
use http::{Method, Request};
use std::sync::LazyLock;

/// Maximum number of characters quoted from a receiver's error reply.
const MAX_EXCERPT: usize = 200;

type ClientResult = Result<GuardedClient, SetupError>;

/// The [`WebhookSender`] port on a [`GuardedClient`].
pub struct PushSender {
    client: LazyLock<ClientResult, Box<dyn FnOnce() -> ClientResult + Send>>,
    tracer: Tracer,
    a2a: A2aSettings,
}

impl PushSender {
    /// Creates a sender that builds its client with `client` on the first notification: loading the system's
    /// certificates takes longer than the rest of startup, and most processes send no notification.
    pub fn new(client: impl FnOnce() -> Result<GuardedClient, SetupError> + Send + 'static) -> Self {
        Self { client: LazyLock::new(Box::new(client)), tracer: Tracer::off(), a2a: A2aSettings::default() }
    }

    /// Records a span for every notification.
    #[must_use]
    pub fn with_tracer(mut self, tracer: Tracer) -> Self {
        self.tracer = tracer;
        self
    }

    /// Sets the default presentation of answers, used where the agent has no setting.
    #[must_use]
    pub fn with_a2a(mut self, a2a: A2aSettings) -> Self {
        self.a2a = a2a;
        self
    }

    fn client(&self) -> Result<&GuardedClient, WebhookError> {
        self.client.as_ref().map_err(|error| WebhookError::Failed(error.to_string()))
    }

    async fn check_config(&self, config: &PushConfig) -> Result<(), WebhookError> {
        headers::build_headers(config)?;
        // A name that does not resolve is probably misspelt, so it is reported at registration.
        self.client()?.check_url(&config.url).await.map_err(|error| WebhookError::Forbidden(error.to_string()))
    }

    async fn notify(
        &self,
        config: &PushConfig,
        notice: TaskNotification<'_>,
    ) -> Result<NotificationOutcome, WebhookError> {
        let Some(body) = render::render_body(config.dialect, notice, self.a2a)? else {
            return Ok(NotificationOutcome::NotApplicable);
        };
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = Method::POST;
        let target = Target::parse(&config.url).map_err(|error| webhook_error(&error))?;
        *request.uri_mut() = target.uri().clone();
        *request.headers_mut() = headers::build_headers(config)?;
        let span = span::begin(&self.tracer, notice, &target, request.headers_mut());
        let reply = self.client()?.send(request).await;
        span::end(span, reply.as_ref());
        let reply = reply.map_err(|error| webhook_error(&error))?;
        if reply.status.is_success() {
            return Ok(NotificationOutcome::Delivered);
        }
        let (status, excerpt) = (reply.status.as_u16(), without_secrets(reply.excerpt(MAX_EXCERPT), config));
        let detail = if excerpt.is_empty() { String::new() } else { format!(": {excerpt}") };
        Err(WebhookError::Failed(format!("the receiver answered {status}{detail}")))
    }
}

/// Removes secrets from a receiver's reply, which is logged: some receivers echo the request. A truncated secret at the
/// end is removed as well.
fn without_secrets(mut text: String, config: &PushConfig) -> String {
    let credentials = config.authentication.as_ref().and_then(|shown| shown.credentials.as_deref());
    for secret in [config.token.as_deref(), credentials].into_iter().flatten().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret, "...");
        let cut = text.char_indices().find(|(at, _)| text.len() - at >= 4 && secret.starts_with(&text[*at..]));
        if let Some((at, _)) = cut {
            text.replace_range(at.., "...");
        }
    }
    text
}

fn webhook_error(error: &OutboundError) -> WebhookError {
    if error.is_forbidden() {
        WebhookError::Forbidden(error.to_string())
    } else {
        WebhookError::Failed(error.to_string())
    }
}

impl WebhookSender for PushSender {
    fn check_receiver<'a>(&'a self, config: &'a PushConfig) -> BoxFuture<'a, Result<(), WebhookError>> {
        Box::pin(self.check_config(config))
    }

    fn notify<'a>(
        &'a self,
        config: &'a PushConfig,
        notice: TaskNotification<'a>,
    ) -> BoxFuture<'a, Result<NotificationOutcome, WebhookError>> {
        Box::pin(self.notify(config, notice))
    }
}
