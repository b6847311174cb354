//! Requests with a streamed reply.

use crate::{
    GuardedBody, GuardedClient, OutboundError, Target,
    follow::{Afterwards, Landed, Secrets},
};
use bytes::Bytes;
use http::{Request, Response, header};
use tokio::time::timeout;

impl GuardedClient {
    /// Sends a request and returns the head of its reply with a streamed body.
    ///
    /// Redirects are followed as by [`GuardedClient::send_bounded`]; the extensions of the reply contain [`Landed`].
    /// The connection is not reused, because a stream may stay open indefinitely.
    pub async fn open(&self, request: Request<Bytes>) -> Result<Response<GuardedBody>, OutboundError> {
        self.opened(request, Afterwards::Close).await
    }

    /// As [`GuardedClient::open`], for consecutive calls: the connection is reused once the body was read to its end.
    pub async fn open_again(&self, request: Request<Bytes>) -> Result<Response<GuardedBody>, OutboundError> {
        self.opened(request, Afterwards::Keep).await
    }

    /// As [`GuardedClient::open`], but a redirect is returned as the reply: the caller decides whether to follow it.
    pub async fn open_here(&self, request: Request<Bytes>) -> Result<Response<GuardedBody>, OutboundError> {
        let target = Target::of(request.uri().clone())?;
        let (mut head, body) = request.into_parts();
        // The host is always that of the URL.
        head.headers.remove(header::HOST);
        let limit = self.options.head_timeout;
        let late = OutboundError::Timeout { target: target.to_string(), limit };
        let sent = self.once(&target, &head.method, &head.headers, &body, Afterwards::Close);
        let response = timeout(limit, sent).await.unwrap_or(Err(late))?;
        Ok(response.map(|body| GuardedBody::new(body, target.to_string(), self.options.idle_body_timeout)))
    }

    async fn opened(
        &self,
        request: Request<Bytes>,
        afterwards: Afterwards,
    ) -> Result<Response<GuardedBody>, OutboundError> {
        let target = Target::of(request.uri().clone())?;
        let limit = self.options.head_timeout;
        let late = OutboundError::Timeout { target: target.to_string(), limit };
        let followed = self.follow(target, request, Secrets::EndTheJourney, afterwards);
        let response = timeout(limit, followed).await.unwrap_or(Err(late))?;
        let from = response.extensions().get::<Landed>().map(|landed| landed.0.to_string()).unwrap_or_default();
        Ok(response.map(|body| GuardedBody::new(body, from, self.options.idle_body_timeout)))
    }
}
