//! A receiver of OTLP over HTTP that accepts everything.

use baton_otlp::{Encoding, Export};
use baton_types::Span;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{
    convert::Infallible,
    io::Read as _,
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::{net::TcpListener, task::JoinHandle};

/// Path of a request, and its spans.
pub type ReceivedSpans = (String, Vec<Span>);

/// A receiver on loopback; stops when dropped.
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
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::<Mutex<Vec<ReceivedSpans>>>::default();
        let shared = Arc::clone(&received);
        let serving = tokio::spawn(async move {
            // Connections end with the receiver.
            let mut connections = tokio::task::JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let received = Arc::clone(&shared);
                connections.spawn(async move {
                    let service = service_fn(move |request| accept(Arc::clone(&received), request));
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { address, received, serving }
    }

    /// The OTLP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far.
    pub fn received(&self) -> Vec<ReceivedSpans> {
        self.received.lock().unwrap().clone()
    }
}

async fn accept(
    received: Arc<Mutex<Vec<ReceivedSpans>>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    assert_eq!(head.headers["content-encoding"], "gzip");
    let mut message = Vec::new();
    flate2::read::GzDecoder::new(&*body).read_to_end(&mut message).unwrap();
    let spans = Export::measure(Encoding::Protobuf, &message).unwrap().decode().unwrap().spans;
    received.lock().unwrap().push((head.uri.path().to_owned(), spans));
    let mut response = Response::new(Full::default());
    response.headers_mut().insert("content-type", "application/x-protobuf".parse().unwrap());
    Ok(response)
}
