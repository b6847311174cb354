//! Scripted network of peers that survives crashes of the process under test.

use async_stream::stream;
use baton_ports::{BoxFuture, PeerError, PeerEvent, PeerGateway, PeerOutcome, PeerRequest, PeerStream};
use baton_types::{AgentName, AgentSpec, Artifact, ErrorCode, Message, ModelSpec, Part, Role, TaskState, ToolCall};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

/// Peer with idempotency: accepts each message id once, and can look up its tasks.
pub(crate) const FAR: &str = "far";
/// Peer without idempotency and task lookup: a message that is not known to have arrived stays in doubt.
pub(crate) const VAGUE: &str = "vague";

/// Peer with idempotency that is unreachable for a while.
pub(crate) const AWAY: &str = "away";

/// State of all peers.
#[derive(Clone, Default)]
pub(crate) struct PeerNetwork(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    tasks: BTreeMap<String, PeerTask>,
    /// Number of first arrivals of each message.
    arrivals: BTreeMap<String, u32>,
    requests: Vec<PeerRequest>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PeerTask {
    peer: AgentName,
    key: String,
    context: String,
    words: String,
    state: TaskState,
    asked_back: bool,
}

/// A peer as an agent.
pub(crate) fn remote(name: &str) -> AgentSpec {
    let mut agent = crate::world::agent(name, &[]);
    agent.tools.clear();
    agent.model = ModelSpec::Peer { url: format!("https://{name}.example"), listed: false };
    agent
}

impl PeerNetwork {
    /// Number of first arrivals of each message.
    pub(crate) fn arrivals(&self) -> BTreeMap<String, u32> {
        self.0.lock().unwrap().arrivals.clone()
    }

    /// All requests, in order.
    pub(crate) fn requests(&self) -> Vec<PeerRequest> {
        self.0.lock().unwrap().requests.clone()
    }

    /// States of the tasks of all peers.
    pub(crate) fn states(&self) -> Vec<TaskState> {
        self.0.lock().unwrap().tasks.values().map(|far| far.state).collect()
    }

    /// Unfinished tasks of the peer with task lookup.
    pub(crate) fn unfinished_tasks(&self) -> Vec<String> {
        let state = self.0.lock().unwrap();
        let open = state.tasks.iter().filter(|(_, far)| far.peer.as_str() == FAR && !far.state.is_terminal());
        open.map(|(id, far)| format!("{id} {far:?}")).collect()
    }

    /// Accepts a message, once per id if the peer is idempotent, and returns its task.
    fn take(&self, peer: &AgentName, ask: &PeerRequest) -> String {
        let state = &mut *self.0.lock().unwrap();
        let key = ask.message.id.to_string();
        state.requests.push(ask.clone());
        let had = state.tasks.iter().find(|(_, far)| far.key == key);
        if let Some((id, _)) = had.filter(|_| peer.as_str() != VAGUE) {
            return id.clone();
        }
        *state.arrivals.entry(key.clone()).or_default() += 1;
        let words = ask.message.text();
        if let Some(id) = &ask.task {
            let far = state.tasks.get_mut(id).expect("the task of a message exists");
            let ended = far.state == TaskState::Completed;
            // Without idempotency a message may be sent again, and may then arrive too late.
            assert!(!ended || peer.as_str() == VAGUE, "the task of a message has not ended");
            (far.key, far.words, far.state) = (key, words, TaskState::Working);
            return id.clone();
        }
        let id = format!("far-{}", state.tasks.len());
        let context = ask.context.clone();
        let (peer, state_there) = (peer.clone(), TaskState::Working);
        let far = PeerTask { peer, key, context, words, state: state_there, asked_back: false };
        state.tasks.insert(id.clone(), far);
        id
    }

    /// Events of the task from its start; a reconnecting client gets the whole text again.
    fn follow(&self, id: String) -> PeerStream {
        let network = self.clone();
        Box::pin(stream! {
            let far = network.0.lock().unwrap().tasks[&id].clone();
            yield Ok(PeerEvent::Accepted { task: id.clone(), context: far.context.clone() });
            pause().await;
            yield Ok(PeerEvent::Text("draft".to_owned()));
            pause().await;
            yield Ok(PeerEvent::TextReplaced);
            for word in far.words.split_inclusive(' ') {
                pause().await;
                yield Ok(PeerEvent::Text(word.to_owned()));
            }
            if far.words.contains("flicker") {
                for _ in 0..1000 {
                    yield Ok(PeerEvent::TextReplaced);
                    yield Ok(PeerEvent::Text("flicker".to_owned()));
                }
            }
            if far.words.contains("hang") {
                std::future::pending::<()>().await;
            }
            pause().await;
            yield Ok(PeerEvent::Settled(Box::new(network.settle(&id))));
        })
    }

    /// Outcome of the task; a repeated request gets the same one.
    fn settle(&self, id: &str) -> PeerOutcome {
        let state = &mut *self.0.lock().unwrap();
        let far = state.tasks.get_mut(id).expect("the task exists");
        let words = far.words.as_str();
        let asks_back = words.contains("ask") && !std::mem::replace(&mut far.asked_back, true);
        let lends = words.contains("lend");
        let (state, says) = match () {
            () if far.state == TaskState::Canceled => (TaskState::Canceled, "canceled"),
            () if asks_back || far.state == TaskState::InputRequired => (TaskState::InputRequired, "which?"),
            () if lends => (TaskState::InputRequired, "run these"),
            () if words.contains("fail") => (TaskState::Failed, "it broke"),
            () if words.contains("refuse") => (TaskState::Rejected, "not mine"),
            () => (TaskState::Completed, words),
        };
        let mut artifacts = Vec::new();
        if words.contains("make") {
            let (name, description, metadata) = (None, None, None);
            let parts = vec![Part::text("made")];
            artifacts.push(Artifact { id: "thing".into(), name, description, parts, metadata });
        }
        let mut parts = vec![Part::text(says)];
        if lends && state == TaskState::InputRequired {
            let call = |name: &str| ToolCall {
                id: format!("{id}-{name}").into(),
                name: name.to_owned(),
                arguments: serde_json::json!({}).into(),
            };
            let calls: Vec<ToolCall> = match () {
                () if words.contains("twice") => vec![call("far_act"), call("far_act")],
                () if words.contains("flood") => {
                    let one = |at: usize| ToolCall { id: format!("{id}-{at}").into(), ..call("far_act") };
                    (0..1000).map(one).collect()
                }
                () => vec![call("far_act"), call("guess")],
            };
            parts.push(baton_rules::calls_part(&calls));
        }
        let message = Some(Message::new("far-message".into(), Role::Agent, parts));
        far.state = state;
        PeerOutcome { state, message, artifacts }
    }
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

impl PeerGateway for PeerNetwork {
    fn send_message<'a>(
        &'a self,
        peer: &'a AgentName,
        ask: PeerRequest,
    ) -> BoxFuture<'a, Result<PeerStream, PeerError>> {
        Box::pin(async move {
            // After a crash here the message was not sent; after a later crash its arrival is unknown.
            pause().await;
            if peer.as_str() == AWAY {
                tokio::time::sleep(Duration::from_secs(30)).await;
                let (code, detail) = (ErrorCode::PEER_UNREACHABLE, "nobody answers".to_owned());
                return Err(PeerError::Unreachable { code, detail });
            }
            let id = self.take(peer, &ask);
            pause().await;
            Ok(self.follow(id))
        })
    }

    fn resume<'a>(
        &'a self,
        peer: &'a AgentName,
        ask: PeerRequest,
        task: Option<String>,
    ) -> BoxFuture<'a, Result<PeerStream, PeerError>> {
        Box::pin(async move {
            pause().await;
            match task {
                Some(id) => Ok(self.follow(id)),
                None if peer.as_str() == VAGUE => Err(PeerError::InDoubt("nobody can tell".to_owned())),
                None => Ok(self.follow(self.take(peer, &ask))),
            }
        })
    }

    fn find_task<'a>(
        &'a self,
        peer: &'a AgentName,
        ask: PeerRequest,
    ) -> BoxFuture<'a, Result<Option<String>, PeerError>> {
        Box::pin(async move {
            pause().await;
            let state = self.0.lock().unwrap();
            let had = state.tasks.iter().find(|(_, far)| far.key == ask.message.id.as_str());
            Ok(had.map(|(id, _)| id.clone()).filter(|_| peer.as_str() != VAGUE))
        })
    }

    fn cancel<'a>(&'a self, _: &'a AgentName, task: &'a str) -> BoxFuture<'a, Result<(), PeerError>> {
        Box::pin(async move {
            pause().await;
            let state = &mut *self.0.lock().unwrap();
            let far = state.tasks.get_mut(task).expect("a canceled task exists");
            if !far.state.is_terminal() {
                far.state = TaskState::Canceled;
            }
            Ok(())
        })
    }

    fn handle_notification<'a>(&'a self, _: &'a str, _: Option<&'a str>) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(false))
    }
}
