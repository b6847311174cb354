//! Requests with a streamed reply.

use crate::{
    GuardedBody, GuardedClient, OutboundError, Target,
    follow::{ConnectionReuse, CrossOriginPolicy, FinalTarget},
};
use bytes::Bytes;
use http::{Request, Response, header};
use std::time::Duration;
use tokio::time::timeout;

impl GuardedClient {
    /// Sends a request and returns the head of its reply with a streamed body.
    ///
    /// Redirects are followed as by [`GuardedClient::send_bounded`]; the extensions of the reply contain
    /// [`FinalTarget`]. The connection is not reused, because a stream may stay open indefinitely.
    pub async fn open(&self, request: Request<Bytes>) -> Result<Response<GuardedBody>, OutboundError> {
        self.open_with(request, ConnectionReuse::Close).await
    }

    /// As [`GuardedClient::open`], for consecutive calls: the connection is reused once the body was read to its end.
    pub async fn open_keep_alive(&self, request: Request<Bytes>) -> Result<Response<GuardedBody>, OutboundError> {
        self.open_with(request, ConnectionReuse::Keep).await
    }

    /// As [`GuardedClient::open`], but a redirect is returned as the reply: the caller decides whether to follow it.
    pub async fn open_without_redirects(
        &self,
        request: Request<Bytes>,
    ) -> Result<Response<GuardedBody>, OutboundError> {
        let target = Target::from_uri(request.uri().clone())?;
        let (mut head, body) = request.into_parts();
        // The host is always that of the URL.
        head.headers.remove(header::HOST);
        let limit = self.options.head_timeout;
        let sent = self.send_once(&target, &head.method, &head.headers, &body, ConnectionReuse::Close);
        let response = timeout(limit, sent).await.unwrap_or_else(|_| Err(timed_out(&target, limit)))?;
        Ok(response.map(|body| GuardedBody::new(body, target, self.options.idle_body_timeout)))
    }

    async fn open_with(
        &self,
        request: Request<Bytes>,
        afterwards: ConnectionReuse,
    ) -> Result<Response<GuardedBody>, OutboundError> {
        let target = Target::from_uri(request.uri().clone())?;
        let limit = self.options.head_timeout;
        let followed = self.follow_redirects(target.clone(), request, CrossOriginPolicy::Refuse, afterwards);
        let response = timeout(limit, followed).await.unwrap_or_else(|_| Err(timed_out(&target, limit)))?;
        let from = response.extensions().get::<FinalTarget>().map_or(target, |landed| landed.0.clone());
        Ok(response.map(|body| GuardedBody::new(body, from, self.options.idle_body_timeout)))
    }
}

fn timed_out(target: &Target, limit: Duration) -> OutboundError {
    OutboundError::Timeout { target: target.to_string(), limit }
}
