//! Connections to the Environments of peers.

use baton_peers::{Authorize, Book};
use baton_ports::BoxFuture;
use baton_toolhost::{Attempt, Connect, ConnectError, Introduce, Link, Remote, RemoteConnect, Target, streamable};
use baton_types::{McpServer, McpTransport};
use http::{HeaderMap, request::Parts};
use rmcp::service::ClientInitializeError;
use std::sync::Arc;

/// Opens HTTP connections. Environments of registered peers use the credentials and limits of their peer; all other
/// targets use the default connector.
pub struct PeerConnect {
    book: Arc<Book>,
    others: Arc<RemoteConnect>,
}

impl PeerConnect {
    /// A connector for the peers of this registry.
    pub fn new(book: Arc<Book>, others: Arc<RemoteConnect>) -> Self {
        Self { book, others }
    }

    /// The target's address, if the target is the peer's Environment: a local agent may have the name of a peer and its
    /// own server.
    fn environment<'a>(&self, target: Target<'a>) -> Option<&'a str> {
        let McpTransport::Http { url, .. } = &target.server.transport else { return None };
        let is_environment = target.server.name == McpServer::ENVIRONMENT;
        (is_environment && self.book.environment(target.agent).as_ref() == Some(url)).then_some(url)
    }

    fn remote(&self, target: Target<'_>, url: &str) -> Result<Remote, ConnectError> {
        let door = self.book.door(target.agent, target.server.timeouts.total).map_err(|error| {
            let hint = format!("check what is said about the remote agent '{}'", target.agent);
            ConnectError::Failed { reason: error.to_string(), hint }
        })?;
        let remote = Remote::new(url, HeaderMap::new(), door.client).with_log(target.log.clone());
        Ok(remote.with_introduction(Arc::new(Shown(door.authorize))))
    }
}

impl Connect for PeerConnect {
    fn open<'a>(&'a self, target: Target<'a>, attempt: Attempt) -> BoxFuture<'a, Result<Link, ConnectError>> {
        match self.environment(target) {
            Some(url) => Box::pin(async move { Ok(Link::new(streamable(self.remote(target, url)?))) }),
            None => self.others.open(target, attempt),
        }
    }

    fn has_older(&self, target: Target<'_>, failure: &ClientInitializeError) -> bool {
        self.environment(target).is_none() && self.others.has_older(target, failure)
    }

    fn explain(&self, target: Target<'_>, failure: &ClientInitializeError) -> Option<ConnectError> {
        let explained = self.others.explain(target, failure);
        let Some(url) = self.environment(target) else { return explained };
        let (ConnectError::Failed { reason, .. } | ConnectError::NeedsLogin { reason, .. }) = explained?;
        let hint = format!(
            "the agent wants its caller to run its tools, at {url}: check that its Environment is there, or have it run \
             its tools itself"
        );
        Some(ConnectError::Failed { reason, hint })
    }
}

/// Credentials for requests to a peer's Environment.
struct Shown(Arc<dyn Authorize>);

impl Introduce for Shown {
    fn apply<'a>(&'a self, request: &'a mut Parts) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move { self.0.apply(request).await.map_err(|error| error.to_string()) })
    }

    fn refused(&self) -> BoxFuture<'_, bool> {
        self.0.refused()
    }
}
