//! The client: what it is made of, and whether it would call an address.

use crate::{
    AddressPolicy, ClientIdentity, Options, OutboundError, Resolver, SetupError, SystemResolver, Target,
    connect::{GuardedConnector, Protocol},
    kept::KeptHosts,
    resolve::GuardedResolver,
    tls,
};
use bytes::Bytes;
use http_body_util::Full;
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioTimer},
};
use rustls::RootCertStore;
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// The head of a reply, and what is buffered of a body.
const MAX_BUFFER: usize = 64 * 1024;

/// HTTP to addresses that the policy allows; cheap to clone, clones share connections.
///
/// Each request is bounded in time and size; how many there are at once is its caller's to bound. Proxies of the
/// environment are not used, because they would connect to what nobody judged.
#[derive(Clone)]
pub struct GuardedClient {
    pub(crate) policy: Arc<AddressPolicy>,
    pub(crate) resolver: GuardedResolver,
    pub(crate) http: Client<GuardedConnector, Full<Bytes>>,
    pub(crate) kept: Arc<KeptHosts>,
    pub(crate) roots: Arc<RootCertStore>,
    pub(crate) options: Arc<Options>,
}

impl GuardedClient {
    /// A client that finds names as the system does.
    pub fn new(policy: AddressPolicy, options: &Options) -> Result<Self, SetupError> {
        Self::with_resolver(policy, Arc::new(SystemResolver), options)
    }

    /// A client that finds names in its own way.
    pub fn with_resolver(
        policy: AddressPolicy,
        resolver: Arc<dyn Resolver>,
        options: &Options,
    ) -> Result<Self, SetupError> {
        let policy = Arc::new(policy);
        let resolver = GuardedResolver::new(Arc::clone(&policy), resolver, options.lookups);
        Self::made(policy, resolver, tls::roots(&options.extra_roots)?, options.clone())
    }

    /// The same client with a certificate of its own; connections are not shared between the two.
    pub fn with_identity(&self, identity: ClientIdentity) -> Result<Self, SetupError> {
        let options = Options { client_identity: Some(identity), ..Options::clone(&self.options) };
        Self::made(Arc::clone(&self.policy), self.resolver.clone(), Arc::clone(&self.roots), options)
    }

    /// The same client with other bounds and the same authorities; connections are not shared between the two.
    pub fn with_options(&self, options: Options) -> Result<Self, SetupError> {
        Self::made(Arc::clone(&self.policy), self.resolver.clone(), Arc::clone(&self.roots), options)
    }

    /// The same client with other bounds, for which these may be called as well; entries are as in
    /// [`AddressPolicy::allowing`]. Connections are not shared between the two.
    pub fn also_allowing<T: AsRef<str>>(
        &self,
        entries: impl IntoIterator<Item = T>,
        options: Options,
    ) -> Result<Self, SetupError> {
        let policy = self.policy.and(entries).map_err(|error| SetupError::Allow(error.to_string()))?;
        let policy = Arc::new(policy);
        let resolver = self.resolver.judging_by(Arc::clone(&policy));
        Self::made(policy, resolver, Arc::clone(&self.roots), options)
    }

    fn made(
        policy: Arc<AddressPolicy>,
        resolver: GuardedResolver,
        roots: Arc<RootCertStore>,
        options: Options,
    ) -> Result<Self, SetupError> {
        let tls = tls::config(&roots, options.client_identity.as_ref())?;
        let limit = options.connect_timeout;
        let connector = GuardedConnector::new(Arc::clone(&policy), resolver.clone(), tls, Protocol::Http1, limit);
        let http = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(options.idle_timeout)
            .pool_max_idle_per_host(options.idle_per_host)
            .http1_max_buf_size(MAX_BUFFER)
            .build(connector);
        let kept = Arc::new(KeptHosts::new(options.idle_hosts, options.request_timeout + options.idle_timeout));
        Ok(Self { policy, resolver, http, kept, roots, options: Arc::new(options) })
    }

    /// The time for a whole request whose reply is read at once.
    pub fn request_timeout(&self) -> Duration {
        self.options.request_timeout
    }

    /// The time until the head of a reply is there.
    pub fn head_timeout(&self) -> Duration {
        self.options.head_timeout
    }

    /// Whether the URL could be called now: its form, its address, and where its name leads.
    ///
    /// A yes is no promise: [`GuardedClient::send`] judges again, by what is then true.
    pub async fn admit(&self, url: &str) -> Result<(), OutboundError> {
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
