//! Connections to the Environments of peers.

use crate::{
    BoxedTransport, ConnectAttempt, ConnectError, ConnectTarget, RemoteConnector, RemoteServer, ServerConnector,
};
use baton_outbound::EnvironmentRegistry;
use baton_ports::BoxFuture;
use baton_types::{McpServer, McpTransport};
use http::HeaderMap;
use rmcp::service::ClientInitializeError;
use std::sync::Arc;

/// Opens HTTP connections. Environments of registered peers use the credentials and limits of their peer; all other
/// targets use the default connector.
pub struct PeerConnect {
    registry: Arc<dyn EnvironmentRegistry>,
    fallback: Arc<RemoteConnector>,
}

impl PeerConnect {
    /// A connector for the peers of this registry.
    pub fn new(registry: Arc<dyn EnvironmentRegistry>, fallback: Arc<RemoteConnector>) -> Self {
        Self { registry, fallback }
    }

    /// The target's address, if the target is the peer's Environment: a local agent may have the name of a peer and its
    /// own server.
    fn environment<'a>(&self, target: ConnectTarget<'a>) -> Option<&'a str> {
        let McpTransport::Http { url, .. } = &target.server.transport else { return None };
        let is_environment = target.server.name == McpServer::ENVIRONMENT;
        (is_environment && self.registry.environment_url(target.agent).as_ref() == Some(url)).then_some(url)
    }

    fn remote(&self, target: ConnectTarget<'_>, url: &str) -> Result<RemoteServer, ConnectError> {
        let access = self.registry.environment_access(target.agent, target.server.timeouts.total).map_err(|error| {
            let hint = format!("check the configuration of the remote agent '{}'", target.agent);
            ConnectError::Failed { reason: error.to_string(), hint }
        })?;
        let remote = RemoteServer::new(url, HeaderMap::new(), access.client).with_log(target.log.clone());
        Ok(remote.with_authenticator(access.authenticator))
    }
}

impl ServerConnector for PeerConnect {
    fn open<'a>(
        &'a self,
        target: ConnectTarget<'a>,
        attempt: ConnectAttempt,
    ) -> BoxFuture<'a, Result<BoxedTransport, ConnectError>> {
        match self.environment(target) {
            Some(url) => Box::pin(async move { Ok(BoxedTransport::streamable(self.remote(target, url)?)) }),
            None => self.fallback.open(target, attempt),
        }
    }

    fn has_older_transport(&self, target: ConnectTarget<'_>, failure: &ClientInitializeError) -> bool {
        self.environment(target).is_none() && self.fallback.has_older_transport(target, failure)
    }

    fn explain(&self, target: ConnectTarget<'_>, failure: &ClientInitializeError) -> Option<ConnectError> {
        let explained = self.fallback.explain(target, failure);
        let Some(url) = self.environment(target) else { return explained };
        let (ConnectError::Failed { reason, .. } | ConnectError::NeedsLogin { reason, .. }) = explained?;
        let hint = format!(
            "the agent delegates its tools to its caller, at {url}: check that its Environment is available, or have it run \
             its tools itself"
        );
        Some(ConnectError::Failed { reason, hint })
    }
}
