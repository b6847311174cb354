//! A receiver on loopback, and a scripted resolver.

use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions, Resolver};
use bytes::Bytes;
use futures_core::future::BoxFuture;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{
    collections::HashMap,
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};

/// A recorded request.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A scripted answer.
pub(crate) enum Answer {
    Reply(StatusCode, Vec<(&'static str, String)>, Bytes),
    /// The head with this status, and a body that never ends.
    Stall(StatusCode),
    /// No reply.
    Silence,
}

impl Answer {
    pub(crate) fn status(status: u16) -> Self {
        Self::Reply(StatusCode::from_u16(status).unwrap(), Vec::new(), Bytes::new())
    }

    pub(crate) fn redirect(status: u16, to: impl Into<String>) -> Self {
        Self::Reply(StatusCode::from_u16(status).unwrap(), vec![("location", to.into())], Bytes::new())
    }
}

type Behaviour = Arc<dyn Fn(&ReceivedRequest) -> Answer + Send + Sync>;
type ReplyBody = UnsyncBoxBody<Bytes, Infallible>;

/// A receiver that records its requests.
#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    pub(crate) connections: Arc<Mutex<usize>>,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    behaviour: Behaviour,
}

impl Receiver {
    pub(crate) async fn start(behaviour: impl Fn(&ReceivedRequest) -> Answer + Send + Sync + 'static) -> Self {
        let (receiver, listener) = Self::bind(behaviour).await;
        let this = receiver.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                *this.connections.lock().unwrap() += 1;
                tokio::spawn(this.clone().serve(stream));
            }
        });
        receiver
    }

    pub(crate) async fn bind(
        behaviour: impl Fn(&ReceivedRequest) -> Answer + Send + Sync + 'static,
    ) -> (Self, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let behaviour: Behaviour = Arc::new(behaviour);
        (Self { address, connections: Arc::default(), received: Arc::default(), behaviour }, listener)
    }

    pub(crate) async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let service = service_fn(move |request| self.clone().answer(request));
        let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    }

    async fn answer(self, request: Request<Incoming>) -> Result<Response<ReplyBody>, Infallible> {
        let (head, body) = request.into_parts();
        let received = ReceivedRequest {
            method: head.method,
            path: head.uri.path_and_query().unwrap().to_string(),
            headers: head.headers,
            body: body.collect().await.unwrap().to_bytes(),
        };
        let answer = (self.behaviour)(&received);
        self.received.lock().unwrap().push(received);
        Ok(match answer {
            Answer::Reply(status, headers, body) => {
                let mut response = Response::builder().status(status);
                for (name, value) in headers {
                    response = response.header(name, value);
                }
                response.body(Full::new(body).boxed_unsync()).unwrap()
            }
            Answer::Stall(status) => Response::builder()
                .status(status)
                .header("content-length", "10")
                .body(PendingBody.boxed_unsync())
                .unwrap(),
            Answer::Silence => std::future::pending().await,
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap().clone()
    }
}

/// A body without any data that never ends.
struct PendingBody;

impl hyper::body::Body for PendingBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, Infallible>>> {
        std::task::Poll::Pending
    }
}

/// Resolves names to these addresses, one answer after another; the last one repeats.
#[derive(Clone, Default)]
pub(crate) struct ScriptedResolver(Arc<Mutex<HashMap<String, Vec<Vec<IpAddr>>>>>);

impl ScriptedResolver {
    pub(crate) fn of(rows: &[(&str, &[&[&str]])]) -> Self {
        let parsed = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        let rows = rows.iter().map(|(name, answers)| ((*name).to_owned(), answers.iter().map(parsed).collect()));
        Self(Arc::new(Mutex::new(rows.collect())))
    }
}

impl Resolver for ScriptedResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let mut names = self.0.lock().unwrap();
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let answers = names.get_mut(&name).ok_or_else(|| io::Error::other("no such name"))?;
            Ok(if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() })
        })
    }
}

/// A client that may call these addresses besides public ones, and resolves no names.
pub(crate) fn client(allow: &[&str]) -> GuardedClient {
    client_with(allow, ScriptedResolver::default(), &OutboundOptions::default())
}

pub(crate) fn client_with(allow: &[&str], names: impl Resolver, options: &OutboundOptions) -> GuardedClient {
    GuardedClient::with_resolver(AddressPolicy::allowing(allow).unwrap(), Arc::new(names), options).unwrap()
}

/// A request with a credential header and a sensitive header.
pub(crate) fn post(url: &str) -> Request<Bytes> {
    let mut token = http::HeaderValue::from_static("t0ken");
    token.set_sensitive(true);
    Request::post(url)
        .header("content-type", "text/plain")
        .header("authorization", "Bearer secret")
        .header("x-token", token)
        .body(Bytes::from_static(b"hello"))
        .unwrap()
}
