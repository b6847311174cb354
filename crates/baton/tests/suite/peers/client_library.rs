//! All operations of the client library against one server over one binding.

use super::{
    foreign_server::{ServerKind, ServerMode},
    transcript::{Transcript, numbered_chunks},
};
use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions};
use baton_peers::{
    Anonymous, BindingChoice, ChosenInterface, DiscoveryOptions, PeerCapabilities, PeerClient, RetryLimits,
    choose_interface, connect, discover,
};
use baton_ports::{PeerError, PeerRequest};
use baton_types::{Message, Part, Role, TaskState};
use baton_wire::a2a::v1::{AgentCard, ListTasksRequest};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// A server discovered by its URL.
pub(super) struct Peer {
    pub(super) client: PeerClient,
    pub(super) card: AgentCard,
    pub(super) chosen: ChosenInterface,
    guarded: GuardedClient,
}

impl Peer {
    pub(super) async fn connect(url: &str) -> Self {
        let policy = AddressPolicy::allowing(["127.0.0.0/8"]).expect("loopback");
        let guarded = GuardedClient::new(policy, &OutboundOptions::default()).expect("a client");
        let found = discover(&guarded, url, &DiscoveryOptions::default()).await.expect("a card");
        let chosen = choose_interface(&found.interfaces, None).expect("a binding");
        let client = client(&guarded, &found.card, &chosen);
        Self { client, card: found.card, chosen, guarded }
    }

    /// Switches to another binding of the card.
    pub(super) fn switch_binding(&mut self, binding: &str) {
        let binding = BindingChoice::from_card_name(binding).expect("a binding");
        self.chosen = choose_interface(&self.card.supported_interfaces, Some(binding)).expect("a supported binding");
        self.client = client(&self.guarded, &self.card, &self.chosen);
    }

    /// A client for the same agent at another address.
    pub(super) fn client_at(&self, address: SocketAddr) -> PeerClient {
        let mut chosen = self.chosen.clone();
        let (_, rest) = chosen.interface.url.split_once("://").expect("a URL");
        let path = rest.find('/').map_or("", |slash| &rest[slash..]);
        chosen.interface.url = format!("http://{address}{path}");
        client(&self.guarded, &self.card, &chosen)
    }

    /// Host and port of the server.
    pub(super) fn address(&self) -> &str {
        let (_, rest) = self.chosen.interface.url.split_once("://").expect("a URL");
        rest.split('/').next().unwrap_or_default()
    }
}

fn client(guarded: &GuardedClient, card: &AgentCard, chosen: &ChosenInterface) -> PeerClient {
    let binding = connect(chosen, guarded, Arc::new(Anonymous)).expect("a client");
    let abilities = PeerCapabilities::from_card(card, &chosen.interface.protocol_version);
    PeerClient::new(binding, abilities, RetryLimits::default())
}

/// A message in a new context.
pub(super) fn ask(text: &str) -> PeerRequest {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let message = Message::new(format!("message-{number}").as_str().into(), Role::User, vec![Part::text(text)]);
    PeerRequest { message, context: format!("context-{number}"), task: None, trace: None, depth: 1 }
}

/// Sends a message and reads the stream to its end.
pub(super) async fn run_to_end(client: &PeerClient, ask: &PeerRequest) -> Transcript {
    Transcript::from_stream(client.send_streaming(ask).await.unwrap_or_else(|error| panic!("{error:?}"))).await
}

/// All operations, against a streaming server and a non-streaming one.
pub(super) async fn check_all(kind: &ServerKind, binding: &str) {
    for mode in [ServerMode::Streaming, ServerMode::NonStreaming] {
        let served = kind.serve(binding, mode).await;
        let peer = Peer::connect(&served.url).await;
        assert_eq!(
            (peer.card.name.as_str(), peer.chosen.to_string()),
            (kind.name, format!("{binding} {}", kind.version))
        );
        let streams = mode == ServerMode::Streaming;
        assert_eq!((peer.client.capabilities().streaming, peer.client.capabilities().push), (streams, true));
        check_answers(&peer.client).await;
        check_chunks(&peer.client, mode).await;
        check_question(&peer.client).await;
        check_cancellation(&peer.client, kind).await;
        check_unknown_task(&peer.client, kind).await;
        if kind.version == "1.0" {
            check_list(&peer.client).await;
        }
    }
}

async fn check_answers(client: &PeerClient) {
    let transcript = run_to_end(client, &ask("hello there")).await;
    assert_eq!((transcript.end(), transcript.output()), (Some(TaskState::Completed), "hello there"));

    let transcript = run_to_end(client, &ask("bare")).await;
    assert_eq!((transcript.message.as_deref(), transcript.states.len()), (Some("just words"), 0), "{transcript:?}");

    let transcript = run_to_end(client, &ask("fail")).await;
    assert_eq!((transcript.end(), transcript.status_text.as_str()), (Some(TaskState::Failed), "It did not work."));
}

async fn check_chunks(client: &PeerClient, mode: ServerMode) {
    let (whole, chunks) = numbered_chunks(25);
    let transcript = run_to_end(client, &ask("stream 25 2")).await;
    assert_eq!((transcript.end(), transcript.status_text.as_str()), (Some(TaskState::Completed), "25 chunks"));
    assert_eq!(transcript.output(), whole);
    if mode == ServerMode::Streaming {
        assert_eq!(transcript.chunks, chunks, "each once, in order");
    }
}

async fn check_question(client: &PeerClient) {
    let transcript = run_to_end(client, &ask("ask")).await;
    assert_eq!((transcript.end(), transcript.status_text.as_str()), (Some(TaskState::InputRequired), "Which colour?"));
    let answer =
        PeerRequest { task: Some(transcript.task.clone()), context: transcript.context.clone(), ..ask("blue") };
    let answered = run_to_end(client, &answer).await;
    assert_eq!((&answered.task, answered.end()), (&transcript.task, Some(TaskState::Completed)));
    assert_eq!(answered.output(), "chose blue");
}

async fn check_cancellation(client: &PeerClient, kind: &ServerKind) {
    let mut followed = client.send_streaming(&ask("slow")).await.expect("the message is accepted");
    let mut transcript = Transcript::default();
    transcript.next(&mut followed).await.expect("the task");
    client.cancel(&transcript.task).await.expect("canceled");
    // The 0.3 server does not notify subscribers of the cancellation.
    if kind.version == "1.0" {
        transcript.read_to_end(followed).await;
        assert_eq!((transcript.end(), transcript.status_text.as_str()), (Some(TaskState::Canceled), "As you wish."));
    }
    // Canceling an ended task succeeds, and the task can still be read.
    client.cancel(&transcript.task).await.expect("canceling an ended task succeeds");
    assert_eq!(Transcript::from_stream(client.follow(&transcript.task)).await.end(), Some(TaskState::Canceled));
    let task = client.get(&transcript.task).await.expect("the task is kept");
    assert_eq!(task.status.state.to_task_state(), Some(TaskState::Canceled));
}

async fn check_unknown_task(client: &PeerClient, kind: &ServerKind) {
    let words = PeerRequest { task: Some("there-is-none".to_owned()), ..ask("hello") };
    match client.send_streaming(&words).await.map(drop) {
        Err(PeerError::Refused(_)) => {}
        // The 0.3 server closes the connection in the middle of its response.
        Err(PeerError::InDoubt(_)) if kind.version == "0.3" => {}
        other => panic!("message to an unknown task: {other:?}"),
    }
}

async fn check_list(client: &PeerClient) {
    let words = ask("hello again");
    let transcript = run_to_end(client, &words).await;
    let request = ListTasksRequest { context_id: Some(words.context.clone().into()), ..ListTasksRequest::default() };
    let page = client.list(request).await.expect("a list");
    let tasks: Vec<&str> = page.tasks.iter().map(|task| &*task.id).collect();
    assert_eq!(tasks, [transcript.task.as_str()]);
    assert_eq!(transcript.context, words.context, "the client chose the context");
}
