//! Baton's own server behind a line that is cut: whatever the binding, the caller does not notice.

use crate::{outside::guarded, served::Served, world::ask};
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

/// A line to a server on which the first connections break after so many bytes or events of the answer.
struct Line {
    address: SocketAddr,
    left: Arc<AtomicUsize>,
}

/// Where a connection breaks.
#[derive(Clone, Copy, Debug)]
enum At {
    /// After this many events.
    Event(usize),
    /// After this many bytes.
    Byte(usize),
}

impl Line {
    /// The first `breaks` connections break.
    async fn to(server: SocketAddr, at: At, breaks: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let left = Arc::new(AtomicUsize::new(breaks));
        let line = Self { address, left: Arc::clone(&left) };
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
                        let broken = end(&passed, at).filter(|_| left.load(Ordering::SeqCst) > 0);
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
        line
    }
}

/// Where the answer breaks, if it got that far.
fn end(passed: &[u8], at: At) -> Option<usize> {
    match at {
        At::Byte(count) => (passed.len() >= count).then_some(count),
        At::Event(count) => {
            let is_stream = passed.windows(17).any(|bytes| bytes == b"text/event-stream");
            let mut ends =
                passed.windows(2).enumerate().filter(|(_, pair)| *pair == b"\n\n").map(|(place, _)| place + 2);
            ends.nth(count - 1).filter(|_| is_stream)
        }
    }
}

async fn client(line: &Line, binding: BindingChoice, dialect: A2aDialect) -> PeerClient {
    let url = format!("http://{}{}", line.address, if binding == BindingChoice::Grpc { "" } else { "/agents/echo" });
    let interface = AgentInterface {
        url,
        protocol_binding: binding.card_name().to_owned(),
        tenant: None,
        protocol_version: dialect.to_string(),
    };
    let chosen = ChosenInterface { binding, dialect, interface };
    let binding = connect(&chosen, &guarded(), Arc::new(Anonymous)).expect("a binding");
    let current = dialect == A2aDialect::V1;
    let abilities = PeerCapabilities {
        streaming: true,
        push: false,
        idempotent: true,
        lists_tasks: current,
        snapshots: current,
        streams_text: true,
        reports_tool_calls: true,
    };
    PeerClient::new(binding, abilities, RetryLimits::default())
}

/// What a reader of the stream holds of the answer, and how often it was told the end.
fn held(items: &[StreamResponse<'static>]) -> (String, usize) {
    let fold = crate::fake::Fold::of(items);
    let ends = items.iter().filter_map(|item| item.status_update.as_ref());
    let ends = ends.filter(|update| update.status.state == TaskState::Completed).count();
    (fold.outputs().into_iter().map(|(_, text)| text).collect(), ends)
}

/// Asks over a line that breaks, and gives how often it did.
async fn check(server: &Served, way: (BindingChoice, A2aDialect), at: At, breaks: usize, text: &str) -> usize {
    let line = Line::to(server.address, at, breaks).await;
    let mut ask = ask(text);
    ask.context = format!("{way:?} {at:?}").replace(' ', "-");
    ask.message.id = ask.context.as_str().into();
    let followed = client(&line, way.0, way.1).await.send_streaming(&ask).await;
    let items: Vec<_> = followed
        .unwrap_or_else(|error| panic!("{way:?} {at:?}: {error:?}"))
        .map(|item| item.unwrap_or_else(|error| panic!("{way:?} {at:?}: {error:?}")))
        .collect()
        .await;
    assert_eq!(held(&items), (text.to_owned(), 1), "{way:?} {at:?}");
    let direct = Line { address: server.address, left: Arc::default() };
    let list = ListTasksRequest { context_id: Some(ask.context.into()), ..ListTasksRequest::default() };
    let tasks = client(&direct, BindingChoice::JsonRpc, A2aDialect::V1).await.list(list).await.expect("a list");
    assert_eq!(tasks.tasks.len(), 1, "{way:?} {at:?}: the work was done once");
    breaks - line.left.load(Ordering::SeqCst)
}

#[tokio::test]
async fn a_stream_of_baton_that_is_cut_after_any_event_is_heard_whole() {
    let server = Served::start(&["echo"]).await;
    let words: Vec<String> = (0..60).map(|number| format!("word{} ", number % 7)).collect();
    let text = words.concat();
    for way in [
        (BindingChoice::JsonRpc, A2aDialect::V1),
        (BindingChoice::HttpJson, A2aDialect::V1),
        (BindingChoice::JsonRpc, A2aDialect::V03),
    ] {
        let mut broke = 0;
        for event in 1..=66 {
            broke += check(&server, way, At::Event(event), 1 + event % 2, &text).await;
        }
        assert!(broke > 60, "{way:?}: the line broke {broke} times");
    }
}

#[tokio::test]
async fn a_connection_to_baton_that_breaks_after_any_byte_is_mended() {
    let server = Served::start(&["echo"]).await;
    let text = "one two three four";
    for way in [
        (BindingChoice::JsonRpc, A2aDialect::V1),
        (BindingChoice::HttpJson, A2aDialect::V03),
        (BindingChoice::Grpc, A2aDialect::V1),
        (BindingChoice::Grpc, A2aDialect::V03),
    ] {
        let mut broke = 0;
        for byte in (1..1600).step_by(97) {
            broke += check(&server, way, At::Byte(byte), 1, text).await;
        }
        assert!(broke > 5, "{way:?}: the line broke {broke} times");
    }
}
