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
    sync::{Arc, Mutex},
};
use tokio::{net::TcpListener, sync::mpsc};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn message(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn says(&self, method: &str) -> bool {
        self.message()["method"] == method
    }

    /// A field of a form that was sent.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        form_urlencoded::parse(&self.body).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }
}

/// A piece of a body; an error breaks the connection.
pub(crate) type Piece = io::Result<Bytes>;

/// What the script does about a request.
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    pieces: Vec<Piece>,
    live: Option<mpsc::Receiver<Bytes>>,
}

impl Reply {
    pub(crate) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), pieces: Vec::new(), live: None }
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self { pieces: vec![Ok(value.to_string().into())], ..Self::status(200) }
            .with("content-type", "application/json")
    }

    /// Events as they are written, one piece each.
    pub(crate) fn events(pieces: Vec<Piece>) -> Self {
        Self { pieces, ..Self::status(200) }.with("content-type", "text/event-stream")
    }

    /// Events that the test sends when it likes, until it drops its end.
    pub(crate) fn live(live: mpsc::Receiver<Bytes>) -> Self {
        Self { live: Some(live), ..Self::events(Vec::new()) }
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

type Script = Arc<dyn Fn(&Got) -> Reply + Send + Sync>;

/// A server that does as it is told, and remembers what it got.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) origin: String,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Server {
    pub(crate) async fn start(script: impl Fn(&Got) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_knowing(|_| script).await
    }

    /// The script is told the server's own origin.
    pub(crate) async fn start_knowing<S>(script: impl FnOnce(String) -> S) -> Self
    where
        S: Fn(&Got) -> Reply + Send + Sync + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self { origin: format!("http://{}", listener.local_addr().unwrap()), got: Arc::default() };
        let script: Script = Arc::new(script(server.origin.clone()));
        let got = Arc::clone(&server.got);
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
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

    pub(crate) fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    /// How often something was asked for that fits.
    pub(crate) fn count(&self, fits: impl Fn(&Got) -> bool) -> usize {
        self.got().iter().filter(|got| fits(got)).count()
    }

    /// A client's view of it, over streamable HTTP.
    pub(crate) fn remote(&self, path: &str) -> RemoteServer {
        RemoteServer::new(self.url(path), HeaderMap::new(), client())
    }
}

type Body = UnsyncBoxBody<Bytes, io::Error>;

async fn answer(script: Script, got: Arc<Mutex<Vec<Got>>>, request: Request<Incoming>) -> io::Result<Response<Body>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let request = Got { method: head.method, path, headers: head.headers, body };
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
    // While a body has nothing to give, what it gave is flushed: a piece is out before the next one breaks the connection.
    let pieces = stream::iter(reply.pieces).then(|piece| async {
        tokio::task::yield_now().await;
        piece
    });
    let pieces = pieces.chain(live).map(|piece: Piece| piece.map(Frame::data));
    Ok(response.body(StreamBody::new(pieces).boxed_unsync()).unwrap())
}

/// A client that may call loopback, and stays at one origin.
pub(crate) fn client() -> GuardedClient {
    let base = GuardedClient::new(AddressPolicy::public_only(), &OutboundOptions::default()).unwrap();
    base.with_allowed(["127.0.0.1"], OutboundOptions { same_origin: true, ..OutboundOptions::default() }).unwrap()
}

/// What an ordinary server of 2025 answers; it has one tool, `look`.
pub(crate) fn ordinary(got: &Got) -> Reply {
    match result(&got.message()) {
        Some(answer) => Reply::json(&answer),
        None if got.method == Method::POST => Reply::status(202),
        None => Reply::status(405),
    }
}

/// The answer to a message, when it wants one.
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

/// Opens the protocol of 2025 on a transport.
pub(crate) async fn connect(transport: impl Transport<RoleClient> + 'static) -> Result<Client, ClientInitializeError> {
    ().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await
}

pub(crate) async fn look(client: &Client) -> Result<CallToolResult, ServiceError> {
    client.call_tool(CallToolRequestParams::new("look")).await
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}
