//! Fetches one candidate URL.

use super::DiscoveryOptions;
use crate::CallError;
use baton_outbound::{GuardedClient, Target};
use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode, Uri, header};

/// Maximum size of a card in bytes.
const MAX_CARD: usize = 1024 * 1024;
const ACCEPT: HeaderValue = HeaderValue::from_static("application/json, application/a2a-agent-card+json;q=0.9");
const USER_AGENT: HeaderValue = HeaderValue::from_static(concat!("baton/", env!("CARGO_PKG_VERSION")));

pub(super) enum FetchOutcome {
    Found { body: Bytes, etag: Option<String>, target: Target },
    Unchanged,
}

/// Fetches the document at a URL; any other reply is an error.
pub(super) async fn fetch(
    client: &GuardedClient,
    url: &str,
    etag: Option<&str>,
    looking: &DiscoveryOptions,
) -> Result<FetchOutcome, CallError> {
    let mut again = false;
    let reply = loop {
        let request = request(url, etag, looking).await?;
        let reply = client.send_bounded(request, MAX_CARD).await?;
        if reply.status != StatusCode::UNAUTHORIZED || again || !looking.authorize.refused().await {
            break reply;
        }
        again = true;
    };
    match reply.status {
        StatusCode::NOT_MODIFIED => Ok(FetchOutcome::Unchanged),
        StatusCode::OK if reply.complete => {
            let etag = reply.headers.get(header::ETAG).and_then(|value| value.to_str().ok()).map(str::to_owned);
            Ok(FetchOutcome::Found { body: reply.body, etag, target: reply.final_target })
        }
        StatusCode::OK if reply.body.len() >= MAX_CARD => {
            Err(CallError::InvalidReply("it is larger than 1 MB".to_owned()))
        }
        StatusCode::OK => Err(CallError::ConnectionLost("it was cut off".to_owned())),
        status => Err(CallError::Refused {
            code: baton_wire::a2a::v1::ErrorKind::PageNotFound.rpc_code(),
            status: status.as_u16(),
            message: format!("answered {}", status.as_u16()),
            retry_after: None,
        }),
    }
}

async fn request(url: &str, etag: Option<&str>, looking: &DiscoveryOptions) -> Result<Request<Bytes>, CallError> {
    let uri: Uri = url.parse().map_err(|_| CallError::Forbidden("the URL is malformed".to_owned()))?;
    let mut request = Request::new(Bytes::new());
    *request.uri_mut() = uri;
    request.headers_mut().insert(header::ACCEPT, ACCEPT);
    request.headers_mut().insert(header::USER_AGENT, USER_AGENT);
    if let Some(etag) = etag.and_then(|etag| HeaderValue::from_str(etag).ok()) {
        request.headers_mut().insert(header::IF_NONE_MATCH, etag);
    }
    let (mut parts, body) = request.into_parts();
    let before = parts.headers.clone();
    looking.authorize.apply(&mut parts).await?;
    crate::authorize::mark_sensitive(&before, &mut parts.headers);
    Ok(Request::from_parts(parts, body))
}
