//! Requests whose reply is read at once.

use crate::{
    GuardedClient, OutboundError, OutboundReply, Target,
    follow::{ConnectionReuse, CrossOriginPolicy, FinalTarget},
    reply::read_body,
};
use bytes::Bytes;
use http::Request;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

impl GuardedClient {
    /// Sends a request and reads its reply, following redirects that preserve the request.
    ///
    /// On a redirect to another origin, `Authorization`, cookies and all header values marked sensitive are removed. A
    /// body that is too long or too late is truncated; the status is still returned.
    pub async fn send(&self, request: Request<Bytes>) -> Result<OutboundReply, OutboundError> {
        self.exchange(request, CrossOriginPolicy::StripSecrets, self.options.max_reply, self.options.body_timeout).await
    }

    /// Sends a request and reads up to `most` bytes of its reply within the request timeout.
    ///
    /// A request with credentials (`Authorization`, cookies, a header value marked sensitive, a client certificate) is
    /// not redirected to another origin. A truncated body is marked as in [`GuardedClient::send`].
    pub async fn send_bounded(
        &self,
        request: Request<Bytes>,
        max_bytes: usize,
    ) -> Result<OutboundReply, OutboundError> {
        self.exchange(request, CrossOriginPolicy::Refuse, max_bytes, self.options.request_timeout).await
    }

    async fn exchange(
        &self,
        request: Request<Bytes>,
        secrets: CrossOriginPolicy,
        max_bytes: usize,
        body_timeout: Duration,
    ) -> Result<OutboundReply, OutboundError> {
        let deadline = Instant::now() + self.options.request_timeout;
        let target = Target::from_uri(request.uri().clone())?;
        let late = OutboundError::Timeout { target: target.to_string(), limit: self.options.request_timeout };
        let followed = Box::pin(self.follow_redirects(target.clone(), request, secrets, ConnectionReuse::Keep));
        let (head, body) = match timeout_at(deadline, followed).await {
            Ok(followed) => followed?.into_parts(),
            Err(_) => return Err(late),
        };
        let mut read = Vec::new();
        let deadline = deadline.min(Instant::now() + body_timeout);
        let ended = timeout_at(deadline, read_body(body, max_bytes, &mut read)).await.unwrap_or(false);
        let landed = head.extensions.get::<FinalTarget>().map_or(target, |landed| landed.0.clone());
        Ok(OutboundReply {
            status: head.status,
            headers: head.headers,
            body: read.into(),
            complete: ended,
            final_target: landed,
        })
    }
}
