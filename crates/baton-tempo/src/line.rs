//! HTTP client of a Tempo, with retries.

use crate::{HeaderSource, Options, SetupError, failure::Failure};
use baton_outbound::{GuardedClient, Reply, Shown, Target};
use baton_ports::HopList;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

/// Maximum size of one response.
const MOST_BYTES: usize = 32 << 20;

/// Upper bound of the delay between two requests, even if `Retry-After` asks for more.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Maximum length of an excerpt of an error body.
const EXCERPT: usize = 300;

/// Format of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accept {
    Json,
    Protobuf,
}

/// Client of one Tempo.
#[derive(Clone)]
pub(crate) struct Line {
    client: GuardedClient,
    base: String,
    /// Host and port, for messages.
    pub(crate) whose: String,
    headers: HeaderSource,
    mark: String,
    /// Processes that forwarded the query, this one last.
    trail: HopList,
    patience: Duration,
    retries: u32,
    first_pause: Duration,
}

/// Deadline of a query and number of retries per request.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    until: Instant,
    whole: Duration,
    retries: u32,
}

impl Line {
    pub(crate) fn new(client: &GuardedClient, options: &Options) -> Result<Self, SetupError> {
        let target = Target::parse(&options.url).map_err(|error| SetupError::Url(error.to_string()))?;
        if target.uri().query().is_some() {
            return Err(SetupError::Url("it has a query".to_owned()));
        }
        let bounds = baton_outbound::Options {
            request_timeout: options.patience,
            body_timeout: options.patience,
            same_origin: true,
            idle_per_host: 8,
            ..baton_outbound::Options::default()
        };
        // The address is configured explicitly, so private networks are allowed too.
        let client = client.also_allowing([target.host()], bounds)?;
        Ok(Self {
            client,
            base: options.url.trim_end_matches('/').to_owned(),
            whose: target.to_string(),
            headers: options.headers.clone(),
            trail: marked(&HopList::default(), &options.mark),
            mark: options.mark.clone(),
            patience: options.patience,
            retries: options.retries,
            first_pause: options.first_pause,
        })
    }

    /// This client for a forwarded query; `None` if the query has already passed through this process or must not be
    /// forwarded any further.
    pub(crate) fn after(&self, trail: &HopList) -> Option<Self> {
        let open = !trail.is_exhausted() && !trail.contains(&self.mark);
        open.then(|| Self { trail: marked(trail, &self.mark), ..self.clone() })
    }

    /// Deadline of a query that starts now.
    pub(crate) fn patience(&self) -> Patience {
        Patience { until: Instant::now() + self.patience, whole: self.patience, retries: self.retries }
    }

    /// Response body of `GET path?pairs`.
    pub(crate) async fn get(
        &self,
        path: &str,
        pairs: &[(&str, String)],
        accept: Accept,
        patience: Patience,
    ) -> Result<Bytes, Failure> {
        let mut url = format!("{}{path}", self.base);
        if !pairs.is_empty() {
            let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
            url = format!("{url}?{query}");
        }
        let mut pause = self.first_pause;
        let mut left = patience.retries;
        loop {
            let (failure, asked) = match timeout_at(patience.until, self.once(&url, accept)).await {
                Ok(Ok(body)) => return Ok(body),
                Ok(Err(failed)) => failed,
                Err(_) => return Err(Failure::Late(patience.whole)),
            };
            let next = Instant::now() + asked.unwrap_or(pause).max(pause).min(LONGEST_PAUSE);
            if left == 0 || !failure.may_pass() || next >= patience.until {
                return Err(failure);
            }
            tracing::debug!(tempo = %self.whose, %failure, "request failed; retrying");
            sleep_until(next).await;
            left -= 1;
            pause = pause.saturating_mul(2);
        }
    }

    /// Sends one request; a failure includes the delay of `Retry-After`.
    async fn once(&self, url: &str, accept: Accept) -> Result<Bytes, (Failure, Option<Duration>)> {
        let (request, shown) = self.request(url, accept).map_err(|failure| (failure, None))?;
        let reply = self.client.send_bounded(request, MOST_BYTES).await;
        let reply = reply.map_err(|error| (Failure::Outbound(error), None))?;
        judge(&reply, accept, &shown).map_err(|failure| (failure, retry_after(&reply.headers)))?;
        Ok(reply.body)
    }

    /// Builds a request; also returns its secrets, which are redacted from excerpts.
    fn request(&self, url: &str, accept: Accept) -> Result<(Request<Bytes>, Shown), Failure> {
        let mut request = Request::get(url)
            .body(Bytes::new())
            .map_err(|_| Failure::Outbound(baton_outbound::OutboundError::Url("is malformed")))?;
        *request.headers_mut() = (self.headers)().map_err(Failure::Headers)?;
        let shown = Shown::of(request.headers());
        let wanted = match accept {
            Accept::Json => "application/json",
            Accept::Protobuf => "application/protobuf",
        };
        request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static(wanted));
        if let Some(trail) = HeaderValue::from_str(&self.trail.to_string()).ok().filter(|trail| !trail.is_empty()) {
            request.headers_mut().insert(HopList::HEADER, trail);
        }
        Ok((request, shown))
    }
}

impl Patience {
    /// The same deadline with at most this many retries.
    pub(crate) fn with_retries(self, most: u32) -> Self {
        Self { retries: self.retries.min(most), ..self }
    }
}

/// Appends the hop id, if there is one.
fn marked(trail: &HopList, mark: &str) -> HopList {
    if mark.is_empty() { trail.clone() } else { trail.with_hop(mark) }
}

/// Checks status, completeness and content type. Excerpts are redacted: an error body may echo the request headers.
fn judge(reply: &Reply, accept: Accept, shown: &Shown) -> Result<(), Failure> {
    let said = || shown.excerpt(&reply.body, EXCERPT);
    match reply.status {
        status if status.is_success() => {}
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
            return Err(Failure::Refused(said()));
        }
        StatusCode::NOT_FOUND => return Err(Failure::Missing),
        StatusCode::TOO_MANY_REQUESTS => return Err(Failure::Busy),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(Failure::Denied(reply.status.as_u16())),
        status => return Err(Failure::Status { status: status.as_u16(), said: said() }),
    }
    if !reply.complete {
        return Err(if reply.body.len() >= MOST_BYTES {
            Failure::TooLarge(MOST_BYTES)
        } else {
            Failure::Cut
        });
    }
    let written = reply.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept == Accept::Protobuf && (written.contains("json") || written.starts_with("text/")) {
        let written = shown.excerpt(written.as_bytes(), EXCERPT);
        return Err(Failure::Malformed(format!("its content type is {written}, but protobuf was asked for")));
    }
    Ok(())
}

/// `Retry-After` in seconds; the date form is ignored.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
