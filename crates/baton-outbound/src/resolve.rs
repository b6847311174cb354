//! Resolution of names to allowed addresses.

use crate::{AddressPolicy, AddressRefusal, OutboundError};
use futures_core::future::BoxFuture;
use hyper_util::client::legacy::connect::dns::Name;
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    task::{Context, Poll},
};
use tokio::sync::Semaphore;
use tower::Service;

/// Maximum number of addresses considered per name.
const MAX_ADDRESSES: usize = 32;

/// Resolves host names.
pub trait Resolver: Send + Sync + 'static {
    /// All current addresses of the name.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect()) })
    }
}

/// Resolver that returns only allowed addresses.
///
/// Connections are made to exactly these addresses, so a name cannot change between check and use (DNS rebinding). If a
/// name has both allowed and forbidden addresses, only the allowed ones are used; if none is allowed, the name is
/// refused.
#[derive(Clone)]
pub(crate) struct GuardedResolver {
    policy: Arc<AddressPolicy>,
    resolver: Arc<dyn Resolver>,
    lookups: Arc<Semaphore>,
}

impl GuardedResolver {
    pub(crate) fn new(policy: Arc<AddressPolicy>, resolver: Arc<dyn Resolver>, lookups: usize) -> Self {
        Self { policy, resolver, lookups: Arc::new(Semaphore::new(lookups.max(1))) }
    }

    /// The same resolver, with the same lookup limit, under another policy.
    pub(crate) fn with_policy(&self, policy: Arc<AddressPolicy>) -> Self {
        Self { policy, ..self.clone() }
    }

    /// Looks a name up. The system's resolver blocks a thread until the name server replies, even if the caller has
    /// given up, so a lookup counts against the limit until it ends.
    async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let turn = Arc::clone(&self.lookups).acquire_owned().await.map_err(io::Error::other)?;
        let (resolver, name) = (Arc::clone(&self.resolver), name.to_owned());
        let lookup = tokio::spawn(async move {
            let found = resolver.resolve(&name).await;
            drop(turn);
            found
        });
        lookup.await.map_err(io::Error::other)?
    }

    /// The allowed addresses of a name; never empty.
    pub(crate) async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, OutboundError> {
        let unresolved = |reason: String| OutboundError::Unresolved { name: name.to_owned(), reason };
        let mut addresses = self.look_up(name).await.map_err(|error| unresolved(error.to_string()))?;
        addresses.truncate(MAX_ADDRESSES);
        if self.policy.allows_name(name) && !addresses.is_empty() {
            return Ok(addresses);
        }
        let mut refused = None;
        addresses.retain(|address| match self.policy.check(*address) {
            Ok(()) => true,
            Err(range) => {
                tracing::debug!(name, %address, %range, "an address of a name is not used");
                refused.get_or_insert(range);
                false
            }
        });
        match (addresses.is_empty(), refused) {
            (false, _) => Ok(addresses),
            (true, Some(range)) => Err(AddressRefusal::Name { name: name.to_owned(), range }.into()),
            (true, None) => Err(unresolved("it has no addresses".to_owned())),
        }
    }
}

impl Service<Name> for GuardedResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = OutboundError;
    type Future = BoxFuture<'static, Result<Self::Response, OutboundError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OutboundError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            let addresses = this.addresses(name.as_str()).await?;
            // The connector sets the port.
            let sockets: Vec<SocketAddr> = addresses.into_iter().map(|address| (address, 0).into()).collect();
            Ok(sockets.into_iter())
        })
    }
}
