//! Construction of the client, and the check of an address without a request.

use crate::{
    AddressPolicy, ClientIdentity, OutboundError, OutboundOptions, Resolver, SetupError, SystemResolver, Target,
    connect::{GuardedConnector, HttpProtocol},
    keep_alive::KeepAliveHosts,
    pool::ConnectionPool,
    resolve::GuardedResolver,
    tls,
};
use rustls::RootCertStore;
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// HTTP client that connects only to addresses allowed by the policy; cheap to clone, clones share connections.
///
/// Each request is bounded in time and size; the caller bounds the number of concurrent requests. Proxy environment
/// variables are ignored, because a proxy would connect to unchecked addresses.
#[derive(Clone)]
pub struct GuardedClient {
    pub(crate) policy: Arc<AddressPolicy>,
    pub(crate) resolver: GuardedResolver,
    pub(crate) connections: ConnectionPool,
    pub(crate) keep_alive_hosts: Arc<KeepAliveHosts>,
    pub(crate) roots: Arc<RootCertStore>,
    pub(crate) options: Arc<OutboundOptions>,
}

impl GuardedClient {
    /// Creates a client that uses the system's resolver.
    pub fn new(policy: AddressPolicy, options: &OutboundOptions) -> Result<Self, SetupError> {
        Self::with_resolver(policy, Arc::new(SystemResolver), options)
    }

    /// Creates a client that uses the given resolver.
    pub fn with_resolver(
        policy: AddressPolicy,
        resolver: Arc<dyn Resolver>,
        options: &OutboundOptions,
    ) -> Result<Self, SetupError> {
        let policy = Arc::new(policy);
        let resolver = GuardedResolver::new(Arc::clone(&policy), resolver, options.lookups);
        Self::build(policy, resolver, tls::roots(&options.extra_roots)?, options.clone())
    }

    /// The same client with a client certificate; the two do not share connections.
    pub fn with_identity(&self, identity: ClientIdentity) -> Result<Self, SetupError> {
        let options = OutboundOptions { client_identity: Some(identity), ..OutboundOptions::clone(&self.options) };
        Self::build(Arc::clone(&self.policy), self.resolver.clone(), Arc::clone(&self.roots), options)
    }

    /// The same client with other options and the same root certificates; the two do not share connections.
    pub fn with_options(&self, options: OutboundOptions) -> Result<Self, SetupError> {
        Self::build(Arc::clone(&self.policy), self.resolver.clone(), Arc::clone(&self.roots), options)
    }

    /// The same client with other options and additional allowed entries, written as in [`AddressPolicy::allowing`].
    /// The two do not share connections.
    pub fn with_allowed<T: AsRef<str>>(
        &self,
        entries: impl IntoIterator<Item = T>,
        options: OutboundOptions,
    ) -> Result<Self, SetupError> {
        let policy = self.policy.with_allowed(entries).map_err(|error| SetupError::Allow(error.to_string()))?;
        let policy = Arc::new(policy);
        let resolver = self.resolver.with_policy(Arc::clone(&policy));
        Self::build(policy, resolver, Arc::clone(&self.roots), options)
    }

    fn build(
        policy: Arc<AddressPolicy>,
        resolver: GuardedResolver,
        roots: Arc<RootCertStore>,
        options: OutboundOptions,
    ) -> Result<Self, SetupError> {
        let tls = tls::config(&roots, options.client_identity.as_ref())?;
        let limit = options.connect_timeout;
        let connector = GuardedConnector::new(Arc::clone(&policy), resolver.clone(), tls, HttpProtocol::Http1, limit);
        let connections = ConnectionPool::new(connector, options.idle_per_host, options.idle_timeout);
        let keep_alive_hosts =
            Arc::new(KeepAliveHosts::new(options.idle_hosts, options.request_timeout + options.idle_timeout));
        Ok(Self { policy, resolver, connections, keep_alive_hosts, roots, options: Arc::new(options) })
    }

    /// Timeout of a whole request whose reply is read at once.
    pub fn request_timeout(&self) -> Duration {
        self.options.request_timeout
    }

    /// Timeout until the head of a reply arrives.
    pub fn head_timeout(&self) -> Duration {
        self.options.head_timeout
    }

    /// Checks whether the URL could be called now: its syntax, its address and the addresses its name resolves to.
    ///
    /// Success is no guarantee: [`GuardedClient::send`] checks again at the time of the request.
    pub async fn check_url(&self, url: &str) -> Result<(), OutboundError> {
        let target = Target::parse(url)?;
        target.check(&self.policy)?;
        let Some(name) = target.name() else { return Ok(()) };
        match timeout(self.options.connect_timeout, self.resolver.addresses(name)).await {
            Ok(found) => found.map(|_| ()),
            Err(_) => {
                let reason = format!("no answer within {} ms", self.options.connect_timeout.as_millis());
                Err(OutboundError::Unresolved { name: name.to_owned(), reason })
            }
        }
    }
}
