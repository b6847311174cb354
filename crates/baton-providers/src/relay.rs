//! Signing of requests sent by the client library.
//!
//! A signature covers the request body, and the library serializes the body only while sending. The library therefore
//! sends the request to this process: a loopback port is open for one call and accepts one request at an unguessable
//! path. The request is signed and forwarded, and the response is returned unchanged. All of this is polled by the
//! consumer of the answer, so nothing remains after the consumer drops it.

use crate::{
    Provider,
    failure::{self, AnswerProgress},
    request::ProviderRequest,
};
use baton_ports::ModelError;
use futures_util::{StreamExt, stream::FuturesUnordered};
use genai::{Headers, resolver::AuthData};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode, Version,
    header::{CONNECTION, CONTENT_TYPE, TRANSFER_ENCODING, UPGRADE},
};
use http_body_util::{BodyExt, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use std::{fmt::Write as _, io, net::Ipv4Addr, pin::Pin, time::Duration};
use tokio::net::{TcpListener, TcpStream};

/// Maximum size of a signed body; no service accepts as much.
const MAX_BODY: usize = 64 << 20;
/// Maximum number of concurrent connections: one is ours, others are from unrelated processes.
const MAX_CONNECTIONS: usize = 8;
/// Timeout for reading the request headers.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(5);

/// Handle of the signing proxy for one request.
pub(crate) struct SigningRelay {
    /// Address of the proxy.
    pub(crate) url: String,
    work: Pin<Box<dyn Future<Output = ModelError> + Send>>,
}

impl SigningRelay {
    /// Redirects a request through this process if its provider signs requests; otherwise returns `None` and leaves the
    /// request unchanged.
    pub(crate) async fn for_request(
        provider: &Provider,
        request: &mut ProviderRequest,
    ) -> Result<Option<Self>, ModelError> {
        if !provider.signs_requests() {
            return Ok(None);
        }
        let AuthData::RequestOverride { url, headers } = &mut request.target.auth else { return Ok(None) };
        let relay = Self::open(provider, std::mem::take(url)).await?;
        (*url, *headers) = (relay.url.clone(), Headers::default());
        Ok(Some(relay))
    }

    async fn open(provider: &Provider, target: String) -> Result<Self, ModelError> {
        let closed = |_: io::Error| {
            failure::answer_failed(provider, "cannot be called: no local port is available", AnswerProgress::NotStarted)
        };
        let mut chance = [0; 16];
        let no_randomness = |_| {
            failure::answer_failed(
                provider,
                "cannot be called: the system random generator failed",
                AnswerProgress::NotStarted,
            )
        };
        getrandom::fill(&mut chance).map_err(no_randomness)?;
        let mut path = "/".to_owned();
        for byte in chance {
            let _ = write!(path, "{byte:02x}");
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(closed)?;
        let url = format!("http://{}{path}", listener.local_addr().map_err(closed)?);
        let proxy = SigningProxy {
            provider: provider.clone(),
            path,
            target: Mutex::new(Some(target)),
            failed: Mutex::default(),
        };
        Ok(Self { url, work: Box::pin(proxy.run(listener)) })
    }
}

/// Runs the library and the relay concurrently; returns an error if the relay fails.
pub(crate) async fn run_with_relay<F: Future>(
    relay: &mut Option<SigningRelay>,
    library: F,
) -> Result<F::Output, ModelError> {
    let Some(relay) = relay else { return Ok(library.await) };
    tokio::select! {
        biased;
        failed = &mut relay.work => Err(failed),
        done = library => Ok(done),
    }
}

/// Proxy that signs and forwards one request.
struct SigningProxy {
    provider: Provider,
    path: String,
    /// Address of the service; taken by the first request with the right path.
    target: Mutex<Option<String>>,
    /// Reason for the failure.
    failed: Mutex<Option<ModelError>>,
}

type RelayResponse = http::Response<reqwest::Body>;

impl SigningProxy {
    /// Serves until a failure; the caller stops polling after it has the answer.
    async fn run(self, listener: TcpListener) -> ModelError {
        let mut open = FuturesUnordered::new();
        loop {
            let is_waiting = self.target.lock().is_some();
            tokio::select! {
                Ok((stream, _)) = listener.accept(), if is_waiting && open.len() < MAX_CONNECTIONS => {
                    open.push(self.serve(stream));
                }
                Some(()) = open.next() => {}
                else => {
                    if !is_waiting {
                        return std::future::pending().await;
                    }
                    *self.failed.lock() =
                        Some(failure::answer_failed(&self.provider, "cannot be called: the local relay failed", AnswerProgress::NotStarted));
                }
            }
            if let Some(failed) = self.failed.lock().take() {
                return failed;
            }
        }
    }

    async fn serve(&self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let service = service_fn(|request| self.answer(request));
        let mut server = http1::Builder::new();
        server.keep_alive(false).timer(TokioTimer::new()).header_read_timeout(HEADER_READ_TIMEOUT);
        // A connection error is ignored: the failure is reported separately, or the client is an unrelated process.
        let _ = server.serve_connection(TokioIo::new(stream), service).await;
    }

    async fn answer(&self, request: http::Request<Incoming>) -> Result<RelayResponse, ForwardError> {
        let is_known = request.method() == Method::POST && request.uri().path() == self.path;
        let Some(target) = is_known.then(|| self.target.lock().take()).flatten() else {
            return Ok(empty_response(StatusCode::NOT_FOUND));
        };
        let kind = request.headers().get(CONTENT_TYPE).cloned();
        let Ok(body) = Limited::new(request.into_body(), MAX_BODY).collect().await else {
            return Ok(empty_response(StatusCode::PAYLOAD_TOO_LARGE));
        };
        let passed = self.forward(&target, kind, reqwest::Body::from(body.to_bytes())).await;
        passed.map(strip_hop_headers).map_err(|failed| {
            *self.failed.lock() = Some(failed);
            ForwardError
        })
    }

    async fn forward(
        &self,
        target: &str,
        kind: Option<HeaderValue>,
        body: reqwest::Body,
    ) -> Result<reqwest::Response, ModelError> {
        let failed =
            |error: reqwest::Error| failure::from_connection_error(&self.provider, &error, AnswerProgress::NotStarted);
        let client = self.provider.http_client()?;
        let mut headers: HeaderMap = self.provider.header_map()?;
        if let Some(kind) = kind {
            headers.insert(CONTENT_TYPE, kind);
        }
        let mut request = client.post(target).headers(headers).body(body).build().map_err(failed)?;
        self.provider.sign(&mut request)?;
        client.execute(request).await.map_err(failed)
    }
}

/// The service was not reached; the reason is in `failed`.
#[derive(Debug, thiserror::Error)]
#[error("the service was not reached")]
struct ForwardError;

/// The response without hop-by-hop headers.
fn strip_hop_headers(answer: reqwest::Response) -> RelayResponse {
    let mut answer = RelayResponse::from(answer);
    *answer.version_mut() = Version::HTTP_11;
    answer.extensions_mut().clear();
    for name in [CONNECTION, TRANSFER_ENCODING, UPGRADE] {
        answer.headers_mut().remove(name);
    }
    answer.headers_mut().remove("keep-alive");
    answer
}

fn empty_response(status: StatusCode) -> RelayResponse {
    let mut answer = RelayResponse::new(reqwest::Body::from(""));
    *answer.status_mut() = status;
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProviderKind;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// First line of the response to these bytes.
    async fn status_line(address: &str, request: &str) -> String {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer.lines().next().unwrap_or_default().to_owned()
    }

    #[tokio::test]
    async fn requests_without_the_path_get_not_found() {
        let provider = Provider::new(ProviderKind::Bedrock, "mine");
        let mut relay = Some(SigningRelay::open(&provider, "http://[broken".to_owned()).await.expect("a port"));
        let url = relay.as_ref().map(|relay| relay.url.clone()).unwrap_or_default();
        let (address, path) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("a path");
        assert_eq!(path.len(), 32);
        // A client that sends nothing stays connected.
        let _silent = TcpStream::connect(address).await.expect("a connection");
        for line in
            ["POST / HTTP/1.1", "POST /00000000000000000000000000000000 HTTP/1.1", &format!("GET /{path} HTTP/1.1")]
        {
            let request = format!("{line}\r\nhost: {address}\r\ncontent-length: 0\r\n\r\n");
            let answer = run_with_relay(&mut relay, status_line(address, &request)).await;
            assert_eq!(answer.as_deref(), Ok("HTTP/1.1 404 Not Found"), "{line}");
        }
        let request = format!("POST /{path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: 0\r\n\r\n");
        let failed = run_with_relay(&mut relay, status_line(address, &request)).await;
        let expect = "the address or a header of mine cannot be used".to_owned();
        assert_eq!(failed, Err(ModelError::Configuration(expect)), "a request with the path is served");
        drop(relay);
        assert!(TcpStream::connect(address).await.is_err(), "the port is closed");
    }
}
