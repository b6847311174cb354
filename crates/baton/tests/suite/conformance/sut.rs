//! The system under test, found by its card as a kit finds it.

use baton_proto::v1::pb::a2a_service_client::A2aServiceClient;
use baton_testkit::{Server, ServerOptions};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, Response, Uri,
    body::{Bytes, Incoming},
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tower::util::BoxCloneService;

/// HTTP/2 over one connection.
pub(super) type Channel = BoxCloneService<Request<tonic::body::Body>, Response<Incoming>, hyper::Error>;

/// A gRPC client for A2A 1.0 over one connection.
pub(super) type Grpc = A2aServiceClient<Channel>;

/// A started conformance agent.
pub(super) struct Sut {
    pub(super) card: Value,
    /// The JSON-RPC URL of the card.
    pub(super) json_rpc: String,
    /// The HTTP+JSON URL of the card.
    pub(super) rest: String,
    /// The gRPC `host:port` of the card.
    grpc: String,
    server: Server,
    _directory: TempDir,
}

fn example() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/conformance")
}

impl Sut {
    /// Like `baton up examples/conformance`, with another profile if one is given.
    pub(super) async fn start(profile: Option<&str>) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let mut options = ServerOptions::new(env!("CARGO_BIN_EXE_baton"), vec![example()], directory.path());
        if let Some(profile) = profile {
            let file = example().join(profile);
            options.arguments = vec!["--config".to_owned(), file.to_str().expect("UTF-8").to_owned()];
        }
        let server = options.start().await.expect("it starts");
        let (status, card) = json(get(&format!("{}/.well-known/agent-card.json", server.url()), &[]).await).await;
        assert_eq!(status, 200);
        // Kits use the first interface of each binding.
        let url = |binding: &str| {
            let mut interfaces = card["supportedInterfaces"].as_array().expect("interfaces").iter();
            let first = interfaces.find(|interface| interface["protocolBinding"] == binding).expect("the binding");
            assert_eq!(first["protocolVersion"], "1.0", "{binding}");
            first["url"].as_str().expect("a URL").to_owned()
        };
        let (json_rpc, rest, grpc) = (url("JSONRPC"), url("HTTP+JSON"), url("GRPC"));
        Self { card, json_rpc, rest, grpc, server, _directory: directory }
    }

    pub(super) fn url(&self) -> &str {
        self.server.url()
    }

    pub(super) async fn grpc(&self) -> Grpc {
        let (service, origin) = self.channel().await;
        A2aServiceClient::with_origin(service, origin)
    }

    /// A gRPC connection and its URL.
    pub(super) async fn channel(&self) -> (Channel, Uri) {
        assert!(!self.grpc.contains('/'), "plain host:port: {}", self.grpc);
        let stream = TcpStream::connect(&self.grpc).await.expect("it listens");
        let made = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
        let (sender, connection) = made.expect("HTTP/2");
        tokio::spawn(connection);
        let service = tower::service_fn(move |request| sender.clone().send_request(request));
        let origin: Uri = format!("http://{}", self.grpc).parse().expect("an address");
        (BoxCloneService::new(service), origin)
    }
}

pub(super) async fn get(url: &str, headers: &[(&str, &str)]) -> Response<Incoming> {
    request("GET", url, headers, "").await
}

/// Sends a request on a new connection.
pub(super) async fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> Response<Incoming> {
    let uri: Uri = url.parse().expect("a URL");
    let authority = uri.authority().expect("a host").clone();
    let stream = TcpStream::connect(authority.as_str()).await.expect("it listens");
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("HTTP/1.1");
    tokio::spawn(connection);
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let mut request = Request::builder().method(method).uri(path).header("host", authority.as_str());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = Full::new(Bytes::from(body.to_owned()));
    sender.send_request(request.body(body).expect("a request")).await.expect("an answer")
}

pub(super) async fn json(response: Response<Incoming>) -> (u16, Value) {
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.expect("a whole body").to_bytes();
    let value = serde_json::from_slice(&bytes);
    (status, value.unwrap_or_else(|_| panic!("{status}: {}", String::from_utf8_lossy(&bytes))))
}
