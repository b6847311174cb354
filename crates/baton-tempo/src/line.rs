//! Requests to a Tempo, repeated while they may still work.

use crate::{HeaderSource, Options, SetupError, failure::Failure};
use baton_outbound::{GuardedClient, Reply, Shown, Target};
use baton_ports::HopList;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

/// Most bytes of one answer.
const MOST_BYTES: usize = 32 << 20;

/// The longest pause between two requests, whatever the server asks for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The first characters of an error that are told.
const EXCERPT: usize = 300;

/// What an answer is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accept {
    Json,
    Protobuf,
}

/// The way to a Tempo.
#[derive(Clone)]
pub(crate) struct Line {
    client: GuardedClient,
    base: String,
    /// The host and port, for people.
    pub(crate) whose: String,
    headers: HeaderSource,
    mark: String,
    /// Who passed the question on, this one last.
    trail: HopList,
    patience: Duration,
    retries: u32,
    first_pause: Duration,
}

/// How long a question may take, and how often each of its requests is repeated.
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
        // Whoever configured the address wants it called, wherever it leads.
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

    /// The same way for a question that others have passed on; none if it was here before, or nobody should pass it on.
    pub(crate) fn after(&self, trail: &HopList) -> Option<Self> {
        let open = !trail.is_exhausted() && !trail.contains(&self.mark);
        open.then(|| Self { trail: marked(trail, &self.mark), ..self.clone() })
    }

    /// The patience for a question that begins now.
    pub(crate) fn patience(&self) -> Patience {
        Patience { until: Instant::now() + self.patience, whole: self.patience, retries: self.retries }
    }

    /// The body of the answer to `GET path?pairs`.
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
            tracing::debug!(tempo = %self.whose, %failure, "asked again soon");
            sleep_until(next).await;
            left -= 1;
            pause = pause.saturating_mul(2);
        }
    }

    /// One request; a failure comes with the pause that the server asks for.
    async fn once(&self, url: &str, accept: Accept) -> Result<Bytes, (Failure, Option<Duration>)> {
        let (request, shown) = self.request(url, accept).map_err(|failure| (failure, None))?;
        let reply = self.client.send_bounded(request, MOST_BYTES).await;
        let reply = reply.map_err(|error| (Failure::Outbound(error), None))?;
        judge(&reply, accept, &shown).map_err(|failure| (failure, retry_after(&reply.headers)))?;
        Ok(reply.body)
    }

    /// A request, and what it shows of who asks.
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
    /// The same time with fewer repetitions.
    pub(crate) fn with_retries(self, most: u32) -> Self {
        Self { retries: self.retries.min(most), ..self }
    }
}

/// Whoever has no mark of its own leaves none.
fn marked(trail: &HopList, mark: &str) -> HopList {
    if mark.is_empty() { trail.clone() } else { trail.with_hop(mark) }
}

/// What it says is told without what it was shown: it may repeat that.
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
        return Err(if reply.body.len() >= MOST_BYTES { Failure::TooLarge(MOST_BYTES) } else { Failure::Cut });
    }
    let written = reply.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept == Accept::Protobuf && (written.contains("json") || written.starts_with("text/")) {
        let written = shown.excerpt(written.as_bytes(), EXCERPT);
        return Err(Failure::Malformed(format!("it is {written}, and protobuf was asked for")));
    }
    Ok(())
}

/// In seconds; dates are not worth a clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
