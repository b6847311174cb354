//! Redirect loop of a request.

use crate::{GuardedClient, OutboundError, Target, pooled_body::PooledBody, redirect};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, header};
use http_body_util::Full;

/// Final target of a request after redirects; an extension of the response of [`GuardedClient::open`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalTarget(pub Target);

/// Handling of secrets on a redirect to another origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CrossOriginPolicy {
    /// The redirect is followed without them.
    StripSecrets,
    /// The redirect is refused: without credentials the request would be rejected there, and its body would be
    /// disclosed.
    Refuse,
}

/// Handling of the connection after the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionReuse {
    /// It may be reused.
    Keep,
    /// It is closed.
    Close,
}

impl GuardedClient {
    pub(crate) async fn follow_redirects(
        &self,
        first: Target,
        request: Request<Bytes>,
        secrets: CrossOriginPolicy,
        afterwards: ConnectionReuse,
    ) -> Result<Response<PooledBody>, OutboundError> {
        let (head, body) = request.into_parts();
        let (mut target, mut headers) = (first, head.headers);
        // The host is always that of the URL.
        headers.remove(header::HOST);
        let mut followed = 0;
        loop {
            let mut response = self.send_once(&target, &head.method, &headers, &body, afterwards).await?;
            let status = response.status();
            let Some(next) = redirect::next_target(&target, &head.method, status, response.headers())? else {
                response.extensions_mut().insert(FinalTarget(target));
                return Ok(response);
            };
            let refuse = |reason: String| {
                Err(OutboundError::Redirect { target: target.to_string(), status: status.as_u16(), reason })
            };
            if followed == self.options.max_redirects {
                return refuse(format!("exceeds the limit of {followed} redirects"));
            }
            if next.origin() != target.origin() {
                if self.options.same_origin {
                    return refuse(format!("leads to {next}, another origin"));
                }
                let known = self.options.client_identity.is_some() || redirect::has_secrets(&headers);
                if secrets == CrossOriginPolicy::Refuse && known {
                    return refuse(format!("leads to {next}, where the credentials must not be sent"));
                }
                redirect::drop_secrets(&mut headers);
            }
            target = next;
            followed += 1;
        }
    }

    /// Sends one request to one target, without following redirects.
    pub(crate) async fn send_once(
        &self,
        target: &Target,
        method: &Method,
        headers: &HeaderMap,
        body: &Bytes,
        afterwards: ConnectionReuse,
    ) -> Result<Response<PooledBody>, OutboundError> {
        target.check(&self.policy)?;
        let mut request = Request::new(Full::new(body.clone()));
        *request.method_mut() = method.clone();
        *request.uri_mut() = target.uri().clone();
        *request.headers_mut() = headers.clone();
        if afterwards == ConnectionReuse::Close || !self.keep_alive_hosts.may_keep_alive(target.origin()) {
            request.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let response = self.connections.send(target.origin(), request).await;
        response.map_err(|error| error.into_outbound(target))
    }
}
