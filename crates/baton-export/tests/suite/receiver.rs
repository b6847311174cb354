//! A scripted OTLP receiver.

use baton_otlp::{
    Encoding, Export, RpcStatus,
    proto::{ExportTracePartialSuccess, ExportTraceServiceResponse},
};
use baton_types::Span;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use prost::Message as _;
use std::{
    collections::VecDeque,
    convert::Infallible,
    io::Read as _,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio::{
    net::{TcpListener, TcpSocket},
    sync::watch,
    task::JoinHandle,
};

/// Reply to one request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// Success.
    Accept,
    /// Partial success with this many rejected items.
    Partly(i64),
    /// This HTTP status, with `Retry-After`.
    Http(u16, Option<&'static str>),
    /// This gRPC status, with a retry delay.
    Grpc(i32, Option<Duration>),
    /// This status, with an error message that repeats the credentials after this many characters.
    Echo(u16, usize),
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    /// The uncompressed message.
    pub(crate) message: Vec<u8>,
    /// The spans, if it is a trace request.
    pub(crate) spans: Vec<Span>,
    /// Whether it was accepted.
    pub(crate) taken: bool,
    /// Time of arrival.
    pub(crate) at: Instant,
}

/// A reserved port that refuses connections.
pub(crate) struct Port {
    pub(crate) address: SocketAddr,
    socket: TcpSocket,
}

impl Port {
    /// Reserves any free port.
    pub(crate) fn take() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self { address: socket.local_addr().unwrap(), socket }
    }

    /// Listens and accepts everything.
    pub(crate) fn open(self) -> Receiver {
        Receiver::on(self.socket.listen(1024).unwrap(), &[])
    }
}

/// A receiver; stops when dropped.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
    serving: JoinHandle<()>,
}

struct State {
    answers: Mutex<VecDeque<Answer>>,
    came: watch::Sender<Vec<ReceivedRequest>>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Receiver {
    /// Listens on any port, sends these replies in order, then accepts everything.
    pub(crate) async fn start(answers: &[Answer]) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), answers)
    }

    fn on(listener: TcpListener, answers: &[Answer]) -> Self {
        let address = listener.local_addr().unwrap();
        let answers = Mutex::new(answers.iter().copied().collect());
        let state = Arc::new(State { answers, came: watch::Sender::default() });
        let shared = Arc::clone(&state);
        let serving = tokio::spawn(async move {
            // Connections end with the receiver.
            let mut connections = tokio::task::JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let state = Arc::clone(&shared);
                connections.spawn(async move {
                    let service = service_fn(move |request| answer(Arc::clone(&state), request));
                    let _ =
                        auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { address, state, serving }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until the received requests pass the check.
    pub(crate) async fn until(&self, check: impl Fn(&[ReceivedRequest]) -> bool) -> Vec<ReceivedRequest> {
        let mut came = self.state.came.subscribe();
        let patience = Duration::from_secs(20);
        let found = tokio::time::timeout(patience, came.wait_for(|came| check(came))).await;
        match found {
            Ok(found) => found.unwrap().clone(),
            Err(_) => panic!("only {} requests came", self.state.came.borrow().len()),
        }
    }

    /// Waits for this many accepted spans and returns them.
    pub(crate) async fn spans(&self, count: usize) -> Vec<Span> {
        let taken = |came: &[ReceivedRequest]| {
            came.iter().filter(|came| came.taken).flat_map(|came| came.spans.clone()).collect()
        };
        let enough = |came: &[ReceivedRequest]| -> bool {
            let spans: Vec<Span> = taken(came);
            spans.len() >= count
        };
        taken(&self.until(enough).await)
    }
}

async fn answer(
    state: Arc<State>,
    request: Request<Incoming>,
) -> Result<Response<BoxBody<Bytes, Infallible>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let media = head.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let grpc = media == "application/grpc";
    let encoding = Encoding::from_media_type(&media).unwrap_or(Encoding::Protobuf);
    let gzip = match grpc {
        true => body[0] == 1 && head.headers["grpc-encoding"] == "gzip",
        false => head.headers.get("content-encoding").is_some_and(|value| value == "gzip"),
    };
    let message = body.slice(if grpc { 5 } else { 0 }..);
    let message = if gzip { uncompressed(&message) } else { message.to_vec() };
    let path = head.uri.path().to_owned();
    let spans = match path.ends_with("/v1/traces") || path.contains("TraceService") {
        true => Export::measure(encoding, &message).unwrap().decode().unwrap().spans,
        false => Vec::new(),
    };
    let answer = state.answers.lock().unwrap().pop_front().unwrap_or(Answer::Accept);
    let taken = matches!(answer, Answer::Accept | Answer::Partly(_));
    let credentials =
        head.headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let came = ReceivedRequest { path, headers: head.headers, message, spans, taken, at: Instant::now() };
    state.came.send_modify(|all| all.push(came));
    Ok(if grpc { over_grpc(answer, &credentials) } else { over_http(answer, encoding, &credentials) })
}

fn uncompressed(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
    plain
}

fn message(answer: Answer) -> ExportTraceServiceResponse {
    let partial = |rejected_spans| ExportTracePartialSuccess { rejected_spans, error_message: "no".to_owned() };
    let partial_success = if let Answer::Partly(rejected) = answer { Some(partial(rejected)) } else { None };
    ExportTraceServiceResponse { partial_success }
}

fn echo(credentials: &str, before: usize) -> String {
    format!("{} {credentials} is not known here", "x".repeat(before))
}

fn over_http(answer: Answer, encoding: Encoding, credentials: &str) -> Response<BoxBody<Bytes, Infallible>> {
    let body = match (answer, encoding) {
        (Answer::Partly(rejected), Encoding::Json) => {
            format!(r#"{{"partialSuccess":{{"rejectedSpans":"{rejected}","errorMessage":"no"}}}}"#).into_bytes()
        }
        (Answer::Echo(_, before), _) => echo(credentials, before).into_bytes(),
        (_, Encoding::Json) => b"{}".to_vec(),
        (answer, Encoding::Protobuf) => message(answer).encode_to_vec(),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)).boxed());
    response.headers_mut().insert("content-type", HeaderValue::from_static(encoding.media_type()));
    if let Answer::Echo(status, _) = answer {
        *response.status_mut() = status.try_into().unwrap();
    }
    if let Answer::Http(status, after) = answer {
        *response.status_mut() = status.try_into().unwrap();
        if let Some(after) = after {
            response.headers_mut().insert("retry-after", HeaderValue::from_static(after));
        }
    }
    response
}

fn over_grpc(answer: Answer, credentials: &str) -> Response<BoxBody<Bytes, Infallible>> {
    let mut trailers = HeaderMap::new();
    let mut framed = Vec::new();
    if let Answer::Grpc(code, after) = answer {
        let mut status = RpcStatus::new(code, "no");
        if let Some(after) = after {
            status = status.retry_after(after);
        }
        let status = tonic::Status::with_details(code.into(), "no", status.encode_to_vec().into());
        status.add_header(&mut trailers).unwrap();
    } else if let Answer::Echo(code, before) = answer {
        let status = tonic::Status::new(i32::from(code).into(), echo(credentials, before));
        status.add_header(&mut trailers).unwrap();
    } else {
        trailers.insert("grpc-status", HeaderValue::from_static("0"));
        let message = message(answer).encode_to_vec();
        framed.push(0);
        framed.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
        framed.extend(message);
    }
    let body = Full::new(Bytes::from(framed)).with_trailers(async move { Some(Ok(trailers)) });
    let mut response = Response::new(body.boxed());
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    response
}
