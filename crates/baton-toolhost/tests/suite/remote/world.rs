//! A scripted HTTP server in this process, and clients that talk to it.

use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions};
use baton_toolhost::RemoteServer;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Frame, Incoming},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use rmcp::{
    RoleClient,
    model::{CallToolRequestParams, CallToolResult},
    service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RunningService, ServiceError},
    transport::Transport,
};
use serde_json::{Value, json};
use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{net::TcpListener, sync::mpsc};

/// A request as received.
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

    pub(crate) fn message(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn is_method(&self, method: &str) -> bool {
        self.message()["method"] == method
    }

    /// A field of a submitted form.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        form_urlencoded::parse(&self.body).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }
}

/// A chunk of a body; an error breaks the connection.
pub(crate) type BodyChunk = io::Result<Bytes>;

/// The reply of the script to a request.
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    pieces: Vec<BodyChunk>,
    live: Option<mpsc::Receiver<Bytes>>,
}

impl Reply {
    pub(crate) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), pieces: Vec::new(), live: None }
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self::pieces(vec![Ok(value.to_string().into())]).with("content-type", "application/json")
    }

    /// A body of these chunks.
    pub(crate) fn pieces(pieces: Vec<BodyChunk>) -> Self {
        Self { pieces, ..Self::status(200) }
    }

    /// An event stream, one chunk per event.
    pub(crate) fn events(pieces: Vec<BodyChunk>) -> Self {
        Self::pieces(pieces).with("content-type", "text/event-stream")
    }

    /// An event stream fed by the test until it drops its end.
    pub(crate) fn live(live: mpsc::Receiver<Bytes>) -> Self {
        Self { live: Some(live), ..Self::events(Vec::new()) }
    }

    /// A JSON body fed by the test until it drops its end.
    pub(crate) fn live_json(live: mpsc::Receiver<Bytes>) -> Self {
        Self { live: Some(live), ..Self::status(200) }.with("content-type", "application/json")
    }

    pub(crate) fn set_status(&mut self, status: u16) {
        self.status = status;
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// One event with a message.
pub(crate) fn event(message: &Value) -> Bytes {
    format!("data: {message}\n\n").into()
}

type Script = Arc<dyn Fn(&ReceivedRequest) -> Reply + Send + Sync>;

/// A scripted server that records its requests.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) origin: String,
    got: Arc<Mutex<Vec<ReceivedRequest>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    pub(crate) async fn start(script: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_with_origin(|_| script).await
    }

    /// Passes the server's own origin to the script.
    pub(crate) async fn start_with_origin<S>(script: impl FnOnce(String) -> S) -> Self
    where
        S: Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            origin: format!("http://{}", listener.local_addr().unwrap()),
            got: Arc::default(),
            connections: Arc::default(),
        };
        let script: Script = Arc::new(script(server.origin.clone()));
        let (got, connections) = (Arc::clone(&server.got), Arc::clone(&server.connections));
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                connections.fetch_add(1, Ordering::Relaxed);
                let (script, got) = (Arc::clone(&script), Arc::clone(&got));
                let service = service_fn(move |request| answer(Arc::clone(&script), Arc::clone(&got), request));
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service),
                );
            }
        });
        server
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    pub(crate) fn requests(&self) -> Vec<ReceivedRequest> {
        self.got.lock().unwrap().clone()
    }

    /// Number of connections accepted so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Number of matching requests.
    pub(crate) fn count(&self, fits: impl Fn(&ReceivedRequest) -> bool) -> usize {
        self.requests().iter().filter(|got| fits(got)).count()
    }

    /// The server as a client connects to it over streamable HTTP.
    pub(crate) fn remote(&self, path: &str) -> RemoteServer {
        RemoteServer::new(self.url(path), HeaderMap::new(), client())
    }
}

type Body = UnsyncBoxBody<Bytes, io::Error>;

async fn answer(
    script: Script,
    got: Arc<Mutex<Vec<ReceivedRequest>>>,
    request: Request<Incoming>,
) -> io::Result<Response<Body>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let request = ReceivedRequest { method: head.method, path, headers: head.headers, body };
    got.lock().unwrap().push(request.clone());
    let reply = script(&request);
    let mut response = Response::builder().status(StatusCode::from_u16(reply.status).unwrap());
    for (name, value) in reply.headers {
        response = response.header(name, value);
    }
    let live = stream::unfold(reply.live, |live| async move {
        let mut live = live?;
        live.recv().await.map(|piece| (Ok(piece), Some(live)))
    });
    // Flushing happens when a body has no data ready: a chunk is sent before the next one breaks the connection.
    let pieces = stream::iter(reply.pieces).then(|piece| async {
        tokio::task::yield_now().await;
        piece
    });
    let pieces = pieces.chain(live).map(|piece: BodyChunk| piece.map(Frame::data));
    Ok(response.body(StreamBody::new(pieces).boxed_unsync()).unwrap())
}

/// A client that may call loopback and follows redirects within one origin.
pub(crate) fn client() -> GuardedClient {
    let base = GuardedClient::new(AddressPolicy::public_only(), &OutboundOptions::default()).unwrap();
    base.with_allowed(["127.0.0.1"], OutboundOptions { same_origin: true, ..OutboundOptions::default() }).unwrap()
}

/// The reply of a standard server of the 2025 protocol with one tool, `look`.
pub(crate) fn standard_reply(got: &ReceivedRequest) -> Reply {
    match result(&got.message()) {
        Some(answer) => Reply::json(&answer),
        None if got.method == Method::POST => Reply::status(202),
        None => Reply::status(405),
    }
}

/// The response to a message, if it needs one.
pub(crate) fn result(message: &Value) -> Option<Value> {
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "scripted", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [{ "name": "look", "inputSchema": { "type": "object" } }] }),
        "tools/call" => json!({ "content": [{ "type": "text", "text": "seen" }] }),
        "ping" => json!({}),
        method if method.starts_with("notifications/") => return None,
        _ => {
            let error = json!({ "code": -32601, "message": "unknown" });
            return Some(json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }));
        }
    };
    Some(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
}

pub(crate) type Client = RunningService<RoleClient, ()>;

/// Initializes the 2025 protocol on a transport.
pub(crate) async fn connect(transport: impl Transport<RoleClient> + 'static) -> Result<Client, ClientInitializeError> {
    ().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await
}

pub(crate) async fn look(client: &Client) -> Result<CallToolResult, ServiceError> {
    client.call_tool(CallToolRequestParams::new("look")).await
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}
