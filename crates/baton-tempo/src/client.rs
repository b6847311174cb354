//! HTTP client of a Tempo, with retries.

use crate::{HeaderSource, SetupError, TempoOptions, failure::TempoError};
use baton_outbound::{GuardedClient, OutboundReply, SecretRedactor, Target};
use baton_span_ports::HopList;
use baton_types::{Backoff, BackoffPolicy};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

/// Maximum size of one response.
const MAX_RESPONSE_BYTES: usize = 32 << 20;

/// Upper bound of the delay between two requests, even if `Retry-After` asks for more.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(30);

/// Maximum length of an excerpt of an error body.
const MAX_EXCERPT_LEN: usize = 300;

/// Format of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accept {
    Json,
    Protobuf,
}

/// Client of one Tempo.
#[derive(Clone)]
pub(crate) struct TempoClient {
    client: GuardedClient,
    base: String,
    /// Host and port, for messages.
    pub(crate) endpoint: String,
    headers: HeaderSource,
    hop_id: String,
    /// Processes that forwarded the query, this one last.
    hops: HopList,
    timeout: Duration,
    retries: u32,
    retry_delay: Duration,
}

/// Deadline of a query and number of retries per request.
#[derive(Clone, Copy)]
pub(crate) struct QueryDeadline {
    until: Instant,
    timeout: Duration,
    retries: u32,
}

impl TempoClient {
    pub(crate) fn new(client: &GuardedClient, options: &TempoOptions) -> Result<Self, SetupError> {
        let target = Target::parse(&options.url).map_err(|error| SetupError::Url(error.to_string()))?;
        if target.uri().query().is_some() {
            return Err(SetupError::Url("it has a query".to_owned()));
        }
        let bounds = baton_outbound::OutboundOptions {
            request_timeout: options.timeout,
            body_timeout: options.timeout,
            same_origin: true,
            idle_per_host: 8,
            ..baton_outbound::OutboundOptions::default()
        };
        // The address is configured explicitly, so private networks are allowed too.
        let client = client.with_allowed([target.host()], bounds)?;
        Ok(Self {
            client,
            base: options.url.trim_end_matches('/').to_owned(),
            endpoint: target.to_string(),
            headers: options.headers.clone(),
            hops: append_hop(&HopList::default(), &options.hop_id),
            hop_id: options.hop_id.clone(),
            timeout: options.timeout,
            retries: options.retries,
            retry_delay: options.retry_delay,
        })
    }

    /// This client for a forwarded query; `None` if the query has already passed through this process or must not be
    /// forwarded any further.
    pub(crate) fn forwarded(&self, trail: &HopList) -> Option<Self> {
        let open = !trail.is_exhausted() && !trail.contains(&self.hop_id);
        open.then(|| Self { hops: append_hop(trail, &self.hop_id), ..self.clone() })
    }

    /// Deadline of a query that starts now.
    pub(crate) fn deadline(&self) -> QueryDeadline {
        QueryDeadline { until: Instant::now() + self.timeout, timeout: self.timeout, retries: self.retries }
    }

    /// Response body of `GET path?pairs`.
    pub(crate) async fn get(
        &self,
        path: &str,
        pairs: &[(&str, String)],
        accept: Accept,
        deadline: QueryDeadline,
    ) -> Result<Bytes, TempoError> {
        let mut url = format!("{}{path}", self.base);
        if !pairs.is_empty() {
            let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
            url = format!("{url}?{query}");
        }
        let policy = BackoffPolicy::new(self.retry_delay, MAX_RETRY_DELAY).with_max_retries(deadline.retries);
        let mut backoff = Backoff::new(policy);
        loop {
            let (failure, retry_after) = match timeout_at(deadline.until, self.send_once(&url, accept)).await {
                Ok(Ok(body)) => return Ok(body),
                Ok(Err(failed)) => failed,
                Err(_) => return Err(TempoError::Timeout(deadline.timeout)),
            };
            if backoff.is_exhausted() || !failure.is_retryable() {
                return Err(failure);
            }
            let delay = backoff.next_delay();
            let next =
                Instant::now() + retry_after.map_or(delay, |requested| requested.max(delay)).min(MAX_RETRY_DELAY);
            if next >= deadline.until {
                return Err(failure);
            }
            tracing::debug!(tempo = %self.endpoint, %failure, "request failed; retrying");
            sleep_until(next).await;
        }
    }

    /// Sends one request; a failure includes the delay of `Retry-After`.
    async fn send_once(&self, url: &str, accept: Accept) -> Result<Bytes, (TempoError, Option<Duration>)> {
        let (request, shown) = self.request(url, accept).map_err(|failure| (failure, None))?;
        let reply = self.client.send_bounded(request, MAX_RESPONSE_BYTES).await;
        let reply = reply.map_err(|error| (TempoError::Outbound(error), None))?;
        check_reply(&reply, accept, &shown).map_err(|failure| (failure, retry_after(&reply.headers)))?;
        Ok(reply.body)
    }

    /// Builds a request; also returns its secrets, which are redacted from excerpts.
    fn request(&self, url: &str, accept: Accept) -> Result<(Request<Bytes>, SecretRedactor), TempoError> {
        let mut request = Request::get(url)
            .body(Bytes::new())
            .map_err(|_| TempoError::Outbound(baton_outbound::OutboundError::Url("is malformed")))?;
        *request.headers_mut() = (self.headers)().map_err(TempoError::Headers)?;
        let shown = SecretRedactor::from_headers(request.headers());
        let media_type = match accept {
            Accept::Json => "application/json",
            Accept::Protobuf => "application/protobuf",
        };
        request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static(media_type));
        if let Some(trail) = HeaderValue::from_str(&self.hops.to_string()).ok().filter(|trail| !trail.is_empty()) {
            request.headers_mut().insert(HopList::HEADER, trail);
        }
        Ok((request, shown))
    }
}

impl QueryDeadline {
    /// The same deadline with at most this many retries.
    pub(crate) fn with_retries(self, max: u32) -> Self {
        Self { retries: self.retries.min(max), ..self }
    }
}

/// Appends the hop id, if there is one.
fn append_hop(trail: &HopList, mark: &str) -> HopList {
    if mark.is_empty() { trail.clone() } else { trail.with_hop(mark) }
}

/// Checks status, completeness and content type. Excerpts are redacted: an error body may echo the request headers.
fn check_reply(reply: &OutboundReply, accept: Accept, shown: &SecretRedactor) -> Result<(), TempoError> {
    let excerpt = || shown.excerpt(&reply.body, MAX_EXCERPT_LEN);
    match reply.status {
        status if status.is_success() => {}
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
            return Err(TempoError::QueryRejected(excerpt()));
        }
        StatusCode::NOT_FOUND => return Err(TempoError::NotFound),
        StatusCode::TOO_MANY_REQUESTS => return Err(TempoError::Busy),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(TempoError::Denied(reply.status.as_u16())),
        status => return Err(TempoError::Status { status: status.as_u16(), message: excerpt() }),
    }
    if !reply.complete {
        return Err(if reply.body.len() >= MAX_RESPONSE_BYTES {
            TempoError::TooLarge(MAX_RESPONSE_BYTES)
        } else {
            TempoError::Truncated
        });
    }
    let written = reply.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept == Accept::Protobuf && (written.contains("json") || written.starts_with("text/")) {
        let written = shown.excerpt(written.as_bytes(), MAX_EXCERPT_LEN);
        return Err(TempoError::Malformed(format!("its content type is {written}, but protobuf was asked for")));
    }
    Ok(())
}

/// `Retry-After` in seconds; the date form is ignored.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
