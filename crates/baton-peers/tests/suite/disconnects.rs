//! Baton's own server behind a proxy that cuts connections: for every binding, the caller does not notice.

use crate::{baton_server::BatonServer, fixtures::peer_request, loopback::loopback_client};
use baton_peers::{
    A2aDialect, Anonymous, BindingChoice, ChosenInterface, PeerCapabilities, PeerClient, RetryLimits, connect,
};
use baton_wire::a2a::v1::{AgentInterface, ListTasksRequest, StreamResponse, TaskState};
use futures_util::StreamExt as _;
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// Proxy to a server that cuts the first connections after a number of bytes or events of the response.
struct CuttingProxy {
    address: SocketAddr,
    left: Arc<AtomicUsize>,
}

/// Position at which a connection is cut.
#[derive(Clone, Copy, Debug)]
enum CutPoint {
    /// After this many events.
    Event(usize),
    /// After this many bytes.
    Byte(usize),
}

impl CuttingProxy {
    /// Cuts the first `breaks` connections.
    async fn start(server: SocketAddr, at: CutPoint, breaks: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let left = Arc::new(AtomicUsize::new(breaks));
        let proxy = Self { address, left: Arc::clone(&left) };
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let left = Arc::clone(&left);
                tokio::spawn(async move {
                    let Ok(server) = TcpStream::connect(server).await else { return };
                    let (mut from_caller, mut to_caller) = caller.into_split();
                    let (mut from_server, mut to_server) = server.into_split();
                    let forth = tokio::spawn(async move { tokio::io::copy(&mut from_caller, &mut to_server).await });
                    let (mut buffer, mut passed) = (vec![0; 16 * 1024], Vec::new());
                    while let Ok(read @ 1..) = from_server.read(&mut buffer).await {
                        let before = passed.len();
                        passed.extend_from_slice(&buffer[..read]);
                        let broken = cut_offset(&passed, at).filter(|_| left.load(Ordering::SeqCst) > 0);
                        let until = broken.unwrap_or(passed.len()).max(before);
                        if to_caller.write_all(&passed[before..until]).await.is_err() {
                            break;
                        }
                        if broken.is_some() {
                            left.fetch_sub(1, Ordering::SeqCst);
                            break;
                        }
                    }
                    forth.abort();
                });
            }
        });
        proxy
    }
}

/// Offset at which the response is cut, if it is long enough.
fn cut_offset(passed: &[u8], at: CutPoint) -> Option<usize> {
    match at {
        CutPoint::Byte(count) => (passed.len() >= count).then_some(count),
        CutPoint::Event(count) => {
            let is_stream = passed.windows(17).any(|bytes| bytes == b"text/event-stream");
            let mut ends =
                passed.windows(2).enumerate().filter(|(_, pair)| *pair == b"\n\n").map(|(place, _)| place + 2);
            ends.nth(count - 1).filter(|_| is_stream)
        }
    }
}

async fn client(proxy: &CuttingProxy, binding: BindingChoice, dialect: A2aDialect) -> PeerClient {
    let url = format!("http://{}{}", proxy.address, if binding == BindingChoice::Grpc { "" } else { "/agents/echo" });
    let interface = AgentInterface {
        url,
        protocol_binding: binding.card_name().to_owned(),
        tenant: None,
        protocol_version: dialect.to_string(),
    };
    let chosen = ChosenInterface { binding, dialect, interface };
    let binding = connect(&chosen, &loopback_client(), Arc::new(Anonymous)).expect("a binding");
    let current = dialect == A2aDialect::V1;
    let capabilities = PeerCapabilities {
        streaming: true,
        push: false,
        idempotent: true,
        lists_tasks: current,
        snapshots: current,
        streams_text: true,
        reports_tool_calls: true,
    };
    PeerClient::new(binding, capabilities, RetryLimits::default())
}

/// Text of the answer after all stream items, and how often the final state was reported.
fn received_answer(items: &[StreamResponse<'static>]) -> (String, usize) {
    let fold = crate::fake::Fold::of(items);
    let ends = items.iter().filter_map(|item| item.status_update.as_ref());
    let ends = ends.filter(|update| update.status.state == TaskState::Completed).count();
    (fold.outputs().into_iter().map(|(_, text)| text).collect(), ends)
}

/// Sends over a proxy that cuts connections; returns the number of cuts.
async fn check(
    server: &BatonServer,
    way: (BindingChoice, A2aDialect),
    at: CutPoint,
    breaks: usize,
    text: &str,
) -> usize {
    let proxy = CuttingProxy::start(server.address, at, breaks).await;
    let mut peer_request = peer_request(text);
    peer_request.context = format!("{way:?} {at:?}").replace(' ', "-");
    peer_request.message.id = peer_request.context.as_str().into();
    let followed = client(&proxy, way.0, way.1).await.send_streaming(&peer_request).await;
    let items: Vec<_> = followed
        .unwrap_or_else(|error| panic!("{way:?} {at:?}: {error:?}"))
        .map(|item| item.unwrap_or_else(|error| panic!("{way:?} {at:?}: {error:?}")))
        .collect()
        .await;
    assert_eq!(received_answer(&items), (text.to_owned(), 1), "{way:?} {at:?}");
    let direct = CuttingProxy { address: server.address, left: Arc::default() };
    let list = ListTasksRequest { context_id: Some(peer_request.context.into()), ..ListTasksRequest::default() };
    let tasks = client(&direct, BindingChoice::JsonRpc, A2aDialect::V1).await.list(list).await.expect("a list");
    assert_eq!(tasks.tasks.len(), 1, "{way:?} {at:?}: the task was created once");
    breaks - proxy.left.load(Ordering::SeqCst)
}

#[tokio::test]
async fn stream_cut_after_any_event_is_received_completely() {
    let server = BatonServer::start(&["echo"]).await;
    let words: Vec<String> = (0..60).map(|number| format!("word{} ", number % 7)).collect();
    let text = words.concat();
    for way in [
        (BindingChoice::JsonRpc, A2aDialect::V1),
        (BindingChoice::HttpJson, A2aDialect::V1),
        (BindingChoice::JsonRpc, A2aDialect::V03),
    ] {
        let mut broke = 0;
        for event in 1..=66 {
            broke += check(&server, way, CutPoint::Event(event), 1 + event % 2, &text).await;
        }
        assert!(broke > 60, "{way:?}: the proxy cut {broke} times");
    }
}

#[tokio::test]
async fn connection_cut_after_any_byte_is_recovered() {
    let server = BatonServer::start(&["echo"]).await;
    let text = "one two three four";
    for way in [
        (BindingChoice::JsonRpc, A2aDialect::V1),
        (BindingChoice::HttpJson, A2aDialect::V03),
        (BindingChoice::Grpc, A2aDialect::V1),
        (BindingChoice::Grpc, A2aDialect::V03),
    ] {
        let mut broke = 0;
        for byte in (1..1600).step_by(97) {
            broke += check(&server, way, CutPoint::Byte(byte), 1, text).await;
        }
        assert!(broke > 5, "{way:?}: the proxy cut {broke} times");
    }
}
