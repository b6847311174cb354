//! Metrics and logs: counted and discarded, because Baton stores only spans.
//!
//! Exporters send every few seconds, and most report each error to their users. So each sender is notified once, in its
//! first response, and its later requests succeed. Senders that handle the rejection request it with `Prefer:
//! handling=strict` (RFC 7240), as Baton's own exporter does.

use super::{
    grpc,
    http::packed_body,
    ingest::{ExportBody, LARGE_BODY_BYTES, decompress_body},
    refusal::{OtlpRejection, encoding_of},
};
use crate::{
    app::HttpState,
    auth::{Caller, LimitKey},
};
use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use baton_meters::{MeterLevels, MeterSource, instruments};
use baton_otlp::{Encoding, OtherSignal, SignalCount};
use baton_ports::BoxFuture;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use http::{HeaderMap, HeaderValue, header};
use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// Maximum remembered senders. The oldest is evicted, and notified again.
const MAX_SENDERS: usize = 1024;

/// Counters of discarded items, and the notified senders.
#[derive(Default)]
pub(crate) struct DiscardedSignals {
    metrics: AtomicU64,
    logs: AtomicU64,
    notified: Mutex<NotifiedSenders>,
}

#[derive(Default)]
struct NotifiedSenders {
    known: HashSet<Sender>,
    order: VecDeque<Sender>,
}

/// A process that sends one signal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sender {
    caller: LimitKey,
    service: String,
    instance: String,
    signal: OtherSignal,
}

impl DiscardedSignals {
    /// Counts a request; true if its sender was not notified before.
    fn count(&self, caller: LimitKey, signal: OtherSignal, count: &SignalCount) -> bool {
        let counter = match signal {
            OtherSignal::Metrics => &self.metrics,
            OtherSignal::Logs => &self.logs,
        };
        counter.fetch_add(count.items, Ordering::Relaxed);
        let sender = Sender { caller, service: count.service.clone(), instance: count.instance.clone(), signal };
        self.notified.lock().unwrap_or_else(PoisonError::into_inner).insert(sender)
    }
}

impl NotifiedSenders {
    fn insert(&mut self, sender: Sender) -> bool {
        if !self.known.insert(sender.clone()) {
            return false;
        }
        self.order.push_back(sender);
        if self.order.len() > MAX_SENDERS
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

impl MeterSource for DiscardedSignals {
    fn collect<'a>(&'a self, levels: &'a mut MeterLevels) -> BoxFuture<'a, ()> {
        for (signal, counter) in [(OtherSignal::Metrics, &self.metrics), (OtherSignal::Logs, &self.logs)] {
            let value = counter.load(Ordering::Relaxed);
            levels.add(&instruments::SIGNALS_DISCARDED, &[signal.as_str()], value);
        }
        Box::pin(std::future::ready(()))
    }
}

/// `POST /v1/metrics`.
pub(super) async fn metrics(State(shared): State<Arc<HttpState>>, caller: Caller, request: Request) -> Response {
    by_http(&shared, &caller, OtherSignal::Metrics, request).await
}

/// `POST /v1/logs`.
pub(super) async fn logs(State(shared): State<Arc<HttpState>>, caller: Caller, request: Request) -> Response {
    by_http(&shared, &caller, OtherSignal::Logs, request).await
}

/// `opentelemetry.proto.collector.metrics.v1.MetricsService/Export`.
pub(super) async fn metrics_grpc(State(shared): State<Arc<HttpState>>, caller: Caller, request: Request) -> Response {
    by_grpc(&shared, &caller, OtherSignal::Metrics, request).await
}

/// `opentelemetry.proto.collector.logs.v1.LogsService/Export`.
pub(super) async fn logs_grpc(State(shared): State<Arc<HttpState>>, caller: Caller, request: Request) -> Response {
    by_grpc(&shared, &caller, OtherSignal::Logs, request).await
}

async fn by_http(shared: &HttpState, caller: &Caller, signal: OtherSignal, request: Request) -> Response {
    let encoding = encoding_of(request.headers());
    let discarded = async {
        check_strictness(request.headers(), signal)?;
        let body = packed_body(shared, encoding, request).await?;
        discard(shared, caller, signal, body).await
    };
    match discarded.await {
        Ok(body) => {
            let mut response = Response::new(Body::from(body));
            let media_type = encoding.unwrap_or(Encoding::Json).media_type();
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
            response
        }
        Err(refusal) => refusal.response(encoding.unwrap_or(Encoding::Json)),
    }
}

async fn by_grpc(shared: &HttpState, caller: &Caller, signal: OtherSignal, request: Request) -> Response {
    grpc::serve(request, async |request: Request| {
        check_strictness(request.headers(), signal)?;
        let body = grpc::framed_body(shared, request).await?;
        discard(shared, caller, signal, body).await
    })
    .await
}

/// Counts the items of a request and returns the response body.
async fn discard(
    shared: &HttpState,
    caller: &Caller,
    signal: OtherSignal,
    body: ExportBody,
) -> Result<Vec<u8>, OtlpRejection> {
    let encoding = body.encoding;
    let large = body.gzip || body.received.bytes.len() > LARGE_BODY_BYTES;
    let count = if large {
        let counted = tokio::task::spawn_blocking(move || count(signal, body)).await;
        counted.map_err(|error| Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, error.to_string()))??
    } else {
        count(signal, body)?
    };
    if !shared.discarded.count(caller.limit_key(), signal, &count) {
        return Ok(signal.write_response(encoding, None));
    }
    tracing::warn!(
        signal = signal.as_str(),
        service = count.service,
        instance = count.instance,
        "a client sends a signal that is not stored: it is counted and discarded"
    );
    Ok(signal.write_response(encoding, Some((count.items, &discard_notice(signal)))))
}

fn count(signal: OtherSignal, body: ExportBody) -> Result<SignalCount, OtlpRejection> {
    let encoding = body.encoding;
    let mut received = decompress_body(body)?;
    let bytes = received.bytes.clone();
    let malformed = |error: baton_otlp::SignalError| {
        OtlpRejection::from(Error::new(ErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, error.to_string()))
    };
    let weight = signal.estimate_bytes(encoding, &bytes).map_err(malformed)?;
    received.grow(bytes.len() + weight)?;
    signal.count(encoding, &bytes).map_err(malformed)
}

fn discard_notice(signal: OtherSignal) -> String {
    let (name, variable) = (signal.as_str(), signal.as_str().to_ascii_uppercase());
    format!(
        "Baton stores only traces; {name} are counted and discarded (reported once). Set OTEL_{variable}_EXPORTER=none to \
         stop them."
    )
}

/// Rejects senders that request strict handling.
fn check_strictness(headers: &HeaderMap, signal: OtherSignal) -> Result<(), OtlpRejection> {
    let preferences = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let is_strict = preferences.flat_map(|value| value.split([',', ';'])).any(|one| {
        let (name, value) = one.split_once('=').unwrap_or((one, ""));
        name.trim().eq_ignore_ascii_case("handling") && value.trim().trim_matches('"').eq_ignore_ascii_case("strict")
    });
    match (is_strict, signal) {
        (false, _) => Ok(()),
        (true, OtherSignal::Metrics) => Err(OtlpRejection::NotOffered("Baton accepts only traces, not metrics")),
        (true, OtherSignal::Logs) => Err(OtlpRejection::NotOffered("Baton accepts only traces, not logs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(instance: &str) -> SignalCount {
        SignalCount { items: 2, service: "shop".to_owned(), instance: instance.to_owned() }
    }

    #[test]
    fn each_sender_is_notified_once_and_their_number_is_bounded() {
        let discarded = DiscardedSignals::default();
        let caller = || LimitKey::Address(None);
        assert!(discarded.count(caller(), OtherSignal::Metrics, &count("0")));
        assert!(!discarded.count(caller(), OtherSignal::Metrics, &count("0")));
        assert!(discarded.count(caller(), OtherSignal::Logs, &count("0")), "each signal");
        let other = LimitKey::Principal("t".into(), "s".into());
        assert!(discarded.count(other, OtherSignal::Metrics, &count("0")), "each caller");
        for instance in 1..MAX_SENDERS {
            assert!(discarded.count(caller(), OtherSignal::Metrics, &count(&instance.to_string())));
        }
        let told = discarded.notified.lock().unwrap();
        assert_eq!((told.known.len(), told.order.len()), (MAX_SENDERS, MAX_SENDERS));
        drop(told);
        assert!(discarded.count(caller(), OtherSignal::Metrics, &count("0")), "the sender was evicted");
        assert_eq!(discarded.logs.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn prefer_header_requests_strict_handling() {
        for (value, strict) in [
            ("handling=strict", true),
            ("respond-async, Handling=\"strict\"", true),
            ("wait=10; handling = strict", true),
            ("handling=lenient", false),
            ("strict", false),
        ] {
            let headers = HeaderMap::from_iter([(http::HeaderName::from_static("prefer"), value.parse().unwrap())]);
            assert_eq!(check_strictness(&headers, OtherSignal::Logs).is_err(), strict, "{value}");
        }
        assert!(check_strictness(&HeaderMap::new(), OtherSignal::Logs).is_ok());
    }
}
