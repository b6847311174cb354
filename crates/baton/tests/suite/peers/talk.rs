//! Everything that a client does, by the library, against one server over one binding.

use super::{
    served::{Kind, Manner},
    story::{Story, numbered},
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

/// A server that was found by its address.
pub(super) struct Peer {
    pub(super) client: PeerClient,
    pub(super) card: AgentCard,
    pub(super) chosen: ChosenInterface,
    guarded: GuardedClient,
}

impl Peer {
    pub(super) async fn meet(url: &str) -> Self {
        let policy = AddressPolicy::allowing(["127.0.0.0/8"]).expect("loopback");
        let guarded = GuardedClient::new(policy, &OutboundOptions::default()).expect("a client");
        let found = discover(&guarded, url, &DiscoveryOptions::default()).await.expect("a card");
        let chosen = choose_interface(&found.interfaces, None).expect("a binding");
        let client = client(&guarded, &found.card, &chosen);
        Self { client, card: found.card, chosen, guarded }
    }

    /// Speaks another of its bindings.
    pub(super) fn speak(&mut self, binding: &str) {
        let binding = BindingChoice::from_card_name(binding).expect("a binding");
        self.chosen = choose_interface(&self.card.supported_interfaces, Some(binding)).expect("it is spoken");
        self.client = client(&self.guarded, &self.card, &self.chosen);
    }

    /// The same agent, reached at another address.
    pub(super) fn through(&self, address: SocketAddr) -> PeerClient {
        let mut chosen = self.chosen.clone();
        let (_, rest) = chosen.interface.url.split_once("://").expect("a URL");
        let path = rest.find('/').map_or("", |slash| &rest[slash..]);
        chosen.interface.url = format!("http://{address}{path}");
        client(&self.guarded, &self.card, &chosen)
    }

    /// Where its server listens.
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

/// Words in a conversation of their own.
pub(super) fn ask(text: &str) -> PeerRequest {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let message = Message::new(format!("message-{number}").as_str().into(), Role::User, vec![Part::text(text)]);
    PeerRequest { message, context: format!("context-{number}"), task: None, trace: None, depth: 1 }
}

/// Says it and listens to the end.
pub(super) async fn told(client: &PeerClient, ask: &PeerRequest) -> Story {
    Story::of(client.send_streaming(ask).await.unwrap_or_else(|error| panic!("{error:?}"))).await
}

/// The whole conversation, with a server that streams and with one that does not.
pub(super) async fn everything(kind: &Kind, binding: &str) {
    for manner in [Manner::Streaming, Manner::Quiet] {
        let served = kind.serve(binding, manner).await;
        let peer = Peer::meet(&served.url).await;
        assert_eq!(
            (peer.card.name.as_str(), peer.chosen.to_string()),
            (kind.name, format!("{binding} {}", kind.version))
        );
        let streams = manner == Manner::Streaming;
        assert_eq!((peer.client.capabilities().streaming, peer.client.capabilities().push), (streams, true));
        answers(&peer.client).await;
        pieces(&peer.client, manner).await;
        question(&peer.client).await;
        stopped(&peer.client, kind).await;
        refused(&peer.client, kind).await;
        if kind.version == "1.0" {
            listed(&peer.client).await;
        }
    }
}

async fn answers(client: &PeerClient) {
    let story = told(client, &ask("hello there")).await;
    assert_eq!((story.end(), story.output()), (Some(TaskState::Completed), "hello there"));

    let story = told(client, &ask("bare")).await;
    assert_eq!((story.bare.as_deref(), story.states.len()), (Some("just words"), 0), "{story:?}");

    let story = told(client, &ask("fail")).await;
    assert_eq!((story.end(), story.said.as_str()), (Some(TaskState::Failed), "It did not work."));
}

async fn pieces(client: &PeerClient, manner: Manner) {
    let (whole, pieces) = numbered(25);
    let story = told(client, &ask("stream 25 2")).await;
    assert_eq!((story.end(), story.said.as_str()), (Some(TaskState::Completed), "25 chunks"));
    assert_eq!(story.output(), whole);
    if manner == Manner::Streaming {
        assert_eq!(story.pieces, pieces, "each once, in order");
    }
}

async fn question(client: &PeerClient) {
    let story = told(client, &ask("ask")).await;
    assert_eq!((story.end(), story.said.as_str()), (Some(TaskState::InputRequired), "Which colour?"));
    let answer = PeerRequest { task: Some(story.task.clone()), context: story.context.clone(), ..ask("blue") };
    let answered = told(client, &answer).await;
    assert_eq!((&answered.task, answered.end()), (&story.task, Some(TaskState::Completed)));
    assert_eq!(answered.output(), "chose blue");
}

async fn stopped(client: &PeerClient, kind: &Kind) {
    let mut followed = client.send_streaming(&ask("slow")).await.expect("it is taken");
    let mut story = Story::default();
    story.next(&mut followed).await.expect("the task");
    client.cancel(&story.task).await.expect("it stops");
    // The old server does not tell those who listen.
    if kind.version == "1.0" {
        story.go_on(followed).await;
        assert_eq!((story.end(), story.said.as_str()), (Some(TaskState::Canceled), "As you wish."));
    }
    // What has ended already need not be stopped, and can be looked at.
    client.cancel(&story.task).await.expect("it is as good");
    assert_eq!(Story::of(client.follow(&story.task)).await.end(), Some(TaskState::Canceled));
    let task = client.get(&story.task).await.expect("the task is kept");
    assert_eq!(task.status.state.to_task_state(), Some(TaskState::Canceled));
}

async fn refused(client: &PeerClient, kind: &Kind) {
    let words = PeerRequest { task: Some("there-is-none".to_owned()), ..ask("hello") };
    match client.send_streaming(&words).await.map(drop) {
        Err(PeerError::Refused(_)) => {}
        // The old server hangs up in the middle of its answer.
        Err(PeerError::InDoubt(_)) if kind.version == "0.3" => {}
        other => panic!("words to a task that is not there: {other:?}"),
    }
}

async fn listed(client: &PeerClient) {
    let words = ask("hello again");
    let story = told(client, &words).await;
    let request = ListTasksRequest { context_id: Some(words.context.clone().into()), ..ListTasksRequest::default() };
    let page = client.list(request).await.expect("a list");
    let tasks: Vec<&str> = page.tasks.iter().map(|task| &*task.id).collect();
    assert_eq!(tasks, [story.task.as_str()]);
    assert_eq!(story.context, words.context, "the conversation is the one that was chosen here");
}
