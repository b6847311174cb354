//! A receiver of OTLP over HTTP for tests.

use baton_otlp::{Encoding, Export};
use baton_types::Span;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{
    convert::Infallible,
    io::{self, Read as _},
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{net::TcpListener, task::JoinHandle};

/// Path of a request, and its spans.
pub type ReceivedSpans = (String, Vec<Span>);

/// A receiver on loopback; stops when dropped.
#[derive(Debug)]
pub struct OtlpReceiver {
    address: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedSpans>>>,
    serving: JoinHandle<()>,
}

impl Drop for OtlpReceiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl OtlpReceiver {
    /// Listens on any port.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let received = Arc::<Mutex<Vec<ReceivedSpans>>>::default();
        let shared = Arc::clone(&received);
        let serving = tokio::spawn(async move {
            // Connections end with the receiver.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let received = Arc::clone(&shared);
                connections.spawn(async move {
                    let service = service_fn(move |request| accept(Arc::clone(&received), request));
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Ok(Self { address, received, serving })
    }

    /// The OTLP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far.
    pub fn received(&self) -> Vec<ReceivedSpans> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Accepts a request with spans, and rejects any other, which a test then misses.
async fn accept(
    received: Arc<Mutex<Vec<ReceivedSpans>>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path().to_owned();
    let mut response = Response::new(Full::default());
    match read_spans(request).await {
        Ok(spans) => received.lock().unwrap_or_else(PoisonError::into_inner).push((path, spans)),
        Err(_) => *response.status_mut() = StatusCode::BAD_REQUEST,
    }
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
    Ok(response)
}

/// Reads a compressed body in protobuf.
async fn read_spans(request: Request<Incoming>) -> anyhow::Result<Vec<Span>> {
    let (head, body) = request.into_parts();
    anyhow::ensure!(head.headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding == "gzip"));
    let body = body.collect().await?.to_bytes();
    let mut message = Vec::new();
    flate2::read::GzDecoder::new(&*body).read_to_end(&mut message)?;
    Ok(Export::measure(Encoding::Protobuf, &message)?.decode()?.spans)
}
