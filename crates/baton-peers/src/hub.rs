//! Access to peers for the engine.

use crate::{LocalPeerRegistry, PeerClient, client::truncate_error, push::PushInbox};
use baton_ports::{BoxFuture, PeerError, PeerGateway, PeerRequest, PeerStream};
use baton_telemetry::Tracer;
use baton_types::{AgentName, ErrorCode};
use std::sync::Arc;

/// [`PeerGateway`] port over a peer registry.
pub struct PeerHub {
    registry: Arc<LocalPeerRegistry>,
    push_inbox: Option<PushInbox>,
    tracer: Tracer,
}

impl PeerHub {
    /// `public_url` is the URL of this Baton as seen by peers; without it no push notifications are requested.
    pub fn new(registry: Arc<LocalPeerRegistry>, public_url: Option<&str>) -> Self {
        Self { registry, push_inbox: public_url.map(PushInbox::new), tracer: Tracer::off() }
    }

    /// Records a span for every request.
    #[must_use]
    pub fn with_tracer(mut self, tracer: Tracer) -> Self {
        self.tracer = tracer;
        self
    }

    async fn client(&self, name: &AgentName) -> Result<PeerClient, PeerError> {
        let client = self.registry.client(name).await;
        let (client, config) = client
            .map_err(|error| PeerError::Unreachable { code: error.code, detail: truncate_error(&error.detail) })?;
        let secret = config.credential.check();
        secret.map_err(|error| PeerError::Unreachable { code: error.code(), detail: error.to_string() })?;
        let client = client.traced(&self.tracer, name);
        Ok(match &self.push_inbox {
            Some(inbox) if config.push => client.with_push_inbox(inbox.clone()),
            _ => client,
        })
    }
}

impl PeerGateway for PeerHub {
    fn send_message<'a>(
        &'a self,
        peer: &'a AgentName,
        ask: PeerRequest,
    ) -> BoxFuture<'a, Result<PeerStream, PeerError>> {
        Box::pin(async move { Ok(self.client(peer).await?.send(&ask).await?.into_peer_stream()) })
    }

    fn resume<'a>(
        &'a self,
        peer: &'a AgentName,
        ask: PeerRequest,
        task: Option<String>,
    ) -> BoxFuture<'a, Result<PeerStream, PeerError>> {
        Box::pin(async move {
            // The message may have been sent: an unreachable peer does not prove that it was not.
            let client = self.client(peer).await.map_err(|error| match error {
                PeerError::Unreachable { code, detail } if code != ErrorCode::AGENT_NOT_FOUND && task.is_none() => {
                    PeerError::InDoubt(detail)
                }
                PeerError::Unreachable { detail, .. } => PeerError::Lost(detail),
                other => other,
            })?;
            Ok(client.resume(&ask, task.as_deref()).await?.into_peer_stream())
        })
    }

    fn find_task<'a>(
        &'a self,
        peer: &'a AgentName,
        ask: PeerRequest,
    ) -> BoxFuture<'a, Result<Option<String>, PeerError>> {
        Box::pin(async move { Ok(self.client(peer).await?.find_task(&ask).await) })
    }

    fn cancel<'a>(&'a self, peer: &'a AgentName, task: &'a str) -> BoxFuture<'a, Result<(), PeerError>> {
        Box::pin(async move { self.client(peer).await?.cancel(task).await })
    }

    fn handle_notification<'a>(&'a self, registration: &'a str, token: Option<&'a str>) -> BoxFuture<'a, bool> {
        let known = self.push_inbox.as_ref().is_some_and(|inbox| inbox.handle_notification(registration, token));
        Box::pin(std::future::ready(known))
    }
}
