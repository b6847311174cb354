//! HTTP server with scripted answers that records requests.

use async_stream::stream;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Frame, Incoming},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::net::TcpListener;

/// A recorded request.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A scripted answer.
#[derive(Clone)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Bytes,
    breaks: bool,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl Into<Bytes>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), breaks: false }
    }

    pub(crate) fn json(body: impl Into<String>) -> Self {
        Self::new(200, Into::<String>::into(body)).with("content-type", "application/json")
    }

    pub(crate) fn events(body: impl Into<String>) -> Self {
        Self::new(200, Into::<String>::into(body)).with("content-type", "text/event-stream; charset=utf-8")
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Breaks the connection at the end of the body.
    pub(crate) fn broken(mut self) -> Self {
        self.breaks = true;
        self
    }
}

#[derive(Clone)]
pub(crate) struct ScriptedServer {
    pub(crate) address: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
}

type Behaviour = Arc<dyn Fn(&ReceivedRequest) -> Answer + Send + Sync>;

impl ScriptedServer {
    pub(crate) async fn start(behaviour: impl Fn(&ReceivedRequest) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let this = Self { address: listener.local_addr().unwrap(), received: Arc::default() };
        let (serving, behaviour): (_, Behaviour) = (this.clone(), Arc::new(behaviour));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (serving, behaviour) = (serving.clone(), Arc::clone(&behaviour));
                let service = service_fn(move |request| serving.clone().answer(request, Arc::clone(&behaviour)));
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        this
    }

    async fn answer(
        self,
        request: Request<Incoming>,
        behaviour: Behaviour,
    ) -> Result<Response<UnsyncBoxBody<Bytes, io::Error>>, io::Error> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let received = ReceivedRequest {
            method: head.method,
            path: head.uri.path_and_query().unwrap().to_string(),
            headers: head.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        };
        let answer = behaviour(&received);
        self.received.lock().unwrap().push(received);
        let mut response = Response::builder().status(StatusCode::from_u16(answer.status).unwrap());
        for (name, value) in &answer.headers {
            response = response.header(*name, value);
        }
        let pieces = stream! {
            yield Ok(Frame::data(answer.body));
            if answer.breaks {
                // The part before is flushed during this wait.
                tokio::task::yield_now().await;
                yield Err(io::Error::other("cut"));
            }
        };
        Ok(response.body(StreamBody::new(pieces).boxed_unsync()).unwrap())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap().clone()
    }
}
