//! A request whose reply is read as it comes.

use crate::{
    GuardedBody, GuardedClient, OutboundError, Target,
    follow::{Afterwards, Landed, Secrets},
};
use bytes::Bytes;
use http::{Request, Response, header};
use tokio::time::timeout;

impl GuardedClient {
    /// Sends a request and gives the head of its reply, with a body to be read as it comes.
    ///
    /// Redirects are followed as by [`GuardedClient::send_bounded`], and [`Landed`] is among the extensions of the
    /// reply. The connection serves this request only: nobody knows for how long.
    pub async fn open(&self, request: Request<Bytes>) -> Result<Response<GuardedBody>, OutboundError> {
        self.opened(request, Afterwards::Close).await
    }

    /// As [`GuardedClient::open`], for calls that follow each other: the connection is used again when the body was read
    /// to its end.
    pub async fn open_again(&self, request: Request<Bytes>) -> Result<Response<GuardedBody>, OutboundError> {
        self.opened(request, Afterwards::Keep).await
    }

    /// As [`GuardedClient::open`], but a redirect is the reply: whoever asks decides whether to follow it.
    pub async fn open_here(&self, request: Request<Bytes>) -> Result<Response<GuardedBody>, OutboundError> {
        let target = Target::of(request.uri().clone())?;
        let (mut head, body) = request.into_parts();
        // The host is the URL's, whatever the caller says.
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
