//! The client: requests go out, redirects are judged, replies come back in bounds.

use crate::{
    AddressPolicy, Options, OutboundError, Reply, Resolver, SetupError, SystemResolver, Target,
    connect::GuardedConnector, kept::KeptHosts, redirect, reply::read_body, resolve::GuardedResolver, tls,
};
use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioTimer},
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, timeout, timeout_at};

/// The head of a reply, and what is buffered of a body.
const MAX_BUFFER: usize = 64 * 1024;

/// HTTP/1.1 to addresses that the policy allows; cheap to clone, clones share connections.
///
/// Each request is bounded in time and size; how many there are at once is its caller's to bound. Proxies of the
/// environment are not used, because they would connect to what nobody judged.
#[derive(Clone)]
pub struct GuardedClient {
    policy: Arc<AddressPolicy>,
    resolver: GuardedResolver,
    http: Client<GuardedConnector, Full<Bytes>>,
    kept: Arc<KeptHosts>,
    bounds: Bounds,
}

#[derive(Clone, Copy)]
struct Bounds {
    connect: Duration,
    request: Duration,
    body: Duration,
    redirects: usize,
    reply: usize,
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
        let tls = tls::config(&options.extra_roots)?;
        let connector = GuardedConnector::new(Arc::clone(&policy), resolver.clone(), tls, options.connect_timeout);
        let http = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(options.idle_timeout)
            .pool_max_idle_per_host(options.idle_per_host)
            .http1_max_buf_size(MAX_BUFFER)
            .build(connector);
        let bounds = Bounds {
            connect: options.connect_timeout,
            request: options.request_timeout,
            body: options.body_timeout,
            redirects: options.max_redirects,
            reply: options.max_reply,
        };
        let kept = Arc::new(KeptHosts::new(options.idle_hosts, options.request_timeout + options.idle_timeout));
        Ok(Self { policy, resolver, http, kept, bounds })
    }

    /// Whether the URL could be called now: its form, its address, and where its name leads.
    ///
    /// A yes is no promise: [`GuardedClient::send`] judges again, by what is then true.
    pub async fn admit(&self, url: &str) -> Result<(), OutboundError> {
        let target = Target::parse(url)?;
        target.check(&self.policy)?;
        let Some(name) = target.name() else { return Ok(()) };
        match timeout(self.bounds.connect, self.resolver.addresses(name)).await {
            Ok(found) => found.map(|_| ()),
            Err(_) => {
                let reason = format!("no answer within {} ms", self.bounds.connect.as_millis());
                Err(OutboundError::Unresolved { name: name.to_owned(), reason })
            }
        }
    }

    /// Sends a request and reads its reply, following redirects that keep the request as it is.
    ///
    /// When a redirect leads to another origin, `Authorization`, cookies and every header value marked sensitive are
    /// left behind. A body that is too long or too late is cut; the status counts all the same.
    pub async fn send(&self, request: Request<Bytes>) -> Result<Reply, OutboundError> {
        let deadline = Instant::now() + self.bounds.request;
        let target = Target::of(request.uri().clone())?;
        let late = OutboundError::Timeout { target: target.to_string(), limit: self.bounds.request };
        let (head, body) = match timeout_at(deadline, self.follow(target, request)).await {
            Ok(followed) => followed?.into_parts(),
            Err(_) => return Err(late),
        };
        let mut read = Vec::new();
        let deadline = deadline.min(Instant::now() + self.bounds.body);
        let ended = timeout_at(deadline, read_body(body, self.bounds.reply, &mut read)).await.unwrap_or(false);
        Ok(Reply { status: head.status, headers: head.headers, body: read.into(), complete: ended })
    }

    async fn follow(&self, first: Target, request: Request<Bytes>) -> Result<Response<Incoming>, OutboundError> {
        let (head, body) = request.into_parts();
        let (mut target, mut headers) = (first, head.headers);
        // The host is the URL's, whatever the caller says.
        headers.remove(header::HOST);
        let mut followed = 0;
        loop {
            target.check(&self.policy)?;
            let mut request = Request::new(Full::new(body.clone()));
            *request.method_mut() = head.method.clone();
            *request.uri_mut() = target.uri().clone();
            *request.headers_mut() = headers.clone();
            if !self.kept.keeps(target.origin()) {
                request.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            let response = self.http.request(request).await;
            let response = response.map_err(|error| OutboundError::of_request(&error, target.to_string()))?;
            let status = response.status();
            let Some(next) = redirect::next(&target, status, response.headers())? else { return Ok(response) };
            if followed == self.bounds.redirects {
                let reason = format!("comes after {followed} others");
                return Err(OutboundError::Redirect { target: target.to_string(), status: status.as_u16(), reason });
            }
            if next.origin() != target.origin() {
                redirect::drop_secrets(&mut headers);
            }
            target = next;
            followed += 1;
        }
    }
}
