//! OAuth requests of rmcp, sent through the client that checks addresses.

use baton_outbound::GuardedClient;
use bytes::Bytes;
use http::{Request, header};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest};
use std::time::Duration;

const MAX_BODY: usize = 1024 * 1024;
const OAUTH_REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

pub(super) struct GuardedOauthClient(pub(super) GuardedClient);

impl OAuthHttpClient for GuardedOauthClient {
    fn execute(&self, oauth_request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let (head, body) = oauth_request.request.into_parts();
            let request = Request::from_parts(head, Bytes::from(body));
            let response = match oauth_request.redirect_policy {
                OAuthHttpRedirectPolicy::Follow => self.0.open(request).await?,
                _ => self.0.open_without_redirects(request).await?,
            };
            let (head, body) = response.into_parts();
            let kind = head.headers.get(header::CONTENT_TYPE).map(http::HeaderValue::as_bytes);
            // Discovery also calls the server itself, which may respond with an endless stream.
            let body = match kind {
                Some(kind) if kind.starts_with(b"text/event-stream") => Bytes::new(),
                _ => {
                    body.within(oauth_request.timeout.unwrap_or(OAUTH_REQUEST_TIMEOUT).min(OAUTH_REQUEST_TIMEOUT))
                        .read(MAX_BODY)
                        .await?
                }
            };
            Ok(http::Response::from_parts(head, body.to_vec()))
        })
    }
}
