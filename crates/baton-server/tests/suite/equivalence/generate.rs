//! Generator of random conversations, based on the current tasks.

use super::{
    content::{chance, metadata, parts, pick, value, words},
    operation::{ClientRequest, Operation},
    world::{KEYS, Place, Setup},
    wrong,
};
use baton_rules::parse_tool_calls;
use baton_types::{Json, TaskState, TaskView};
use baton_wire::a2a::v1::{
    AuthenticationInfo, CancelTaskRequest, GENERATION, GetTaskRequest, IDEMPOTENCY,
    ListTaskPushNotificationConfigsRequest, ListTasksRequest, Message, Part, Role, SendMessageConfiguration,
    SendMessageRequest, SubscribeToTaskRequest, TOOL_EXECUTION, TaskPushNotificationConfig,
    TaskPushNotificationConfigRequest,
};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Map, Value, json};
use std::{borrow::Cow, sync::Arc};

const CONTEXTS: [&str; 3] = ["context-1", "context 2/ü?&=+", "id-1"];
pub(super) const CONFIGS: [&str; 4] = ["config-1", "config 2", "c/d:é?", ""];

/// A client whose requests are determined by its seed.
pub(super) struct Client {
    pub(super) rng: SmallRng,
    messages: u32,
    /// Sends with an idempotency key, which may be repeated.
    keyed: Vec<ClientRequest>,
    /// Task ids and ids of their push configurations.
    receivers: Vec<(String, &'static str)>,
}

impl Client {
    pub(super) fn new(seed: u64) -> Self {
        Self { rng: SmallRng::seed_from_u64(seed), messages: 0, keyed: Vec::new(), receivers: Vec::new() }
    }

    pub(super) fn setup(&mut self) -> Setup {
        let place = *pick(&mut self.rng, &[Place::Sole, Place::Named, Place::Tenant]);
        Setup { place, bare_replies: chance(&mut self.rng, 50) }
    }

    /// Number of requests in the conversation.
    pub(super) fn length(&mut self) -> usize {
        self.rng.random_range(6..=11)
    }

    /// The next request, given the current tasks.
    pub(super) fn next(&mut self, tasks: &[Arc<TaskView>]) -> ClientRequest {
        let choice = if tasks.is_empty() { self.rng.random_range(0..30) } else { self.rng.random_range(0..100) };
        match choice {
            0..17 => self.send(None),
            17..30 => {
                let ask = self.send(None);
                self.streamed(ask)
            }
            30..50 => self.follow_up(tasks),
            50..58 => self.get(tasks),
            58..64 => self.list(tasks),
            64..68 => {
                let id = self.any_task(tasks);
                let metadata = chance(&mut self.rng, 30).then(|| Value::Object(metadata(&mut self.rng)).into());
                self.ask(Operation::Cancel(CancelTaskRequest { id: id.into(), metadata, ..Default::default() }))
            }
            68..75 => self.subscribe(tasks),
            75..84 => self.push(tasks),
            84..86 => self.ask(Operation::Card),
            _ => wrong::ask(self, tasks),
        }
    }

    pub(super) fn ask(&mut self, operation: Operation) -> ClientRequest {
        let mut ask = ClientRequest {
            operation,
            extensions: Vec::new(),
            headers: Vec::new(),
            disconnect_after: None,
            alternate: self.rng.random_bool(0.5),
        };
        if chance(&mut self.rng, 20) {
            ask.extensions.push(GENERATION);
        }
        if chance(&mut self.rng, 10) {
            ask.extensions.push("https://example.com/unknown");
        }
        ask
    }

    /// Id of a random task, preferably a non-terminal one.
    pub(super) fn any_task(&mut self, tasks: &[Arc<TaskView>]) -> String {
        let open: Vec<_> = tasks.iter().filter(|task| !task.state.is_terminal()).collect();
        let task = if open.is_empty() || chance(&mut self.rng, 35) {
            pick(&mut self.rng, tasks)
        } else {
            *pick(&mut self.rng, &open)
        };
        task.id.to_string()
    }

    /// A message with random values in every field.
    pub(super) fn message(&mut self, text: String) -> Message<'static> {
        self.messages += 1;
        let rng = &mut self.rng;
        let id = if chance(rng, 20) { "the same".to_owned() } else { format!("message {}", self.messages) };
        let metadata = match rng.random_range(0..4) {
            0 => Some(Value::Object(metadata(rng)).into()),
            1 => Some(json!({}).into()),
            _ => None,
        };
        let uris = ["https://example.com/one", "urn:two"];
        Message {
            message_id: id.into(),
            context_id: chance(rng, 40).then(|| (*pick(rng, &CONTEXTS)).into()),
            role: Role::User,
            parts: parts(rng, text),
            metadata,
            extensions: uris.into_iter().filter(|_| chance(rng, 15)).map(Into::into).collect(),
            reference_task_ids: ["id-0", "another's"].into_iter().filter(|_| chance(rng, 15)).map(Into::into).collect(),
            ..Message::default()
        }
    }

    pub(super) fn send(&mut self, message: Option<Message<'static>>) -> ClientRequest {
        let message = match message {
            Some(message) => message,
            None => {
                let words = words(&mut self.rng);
                self.message(words)
            }
        };
        let configuration = chance(&mut self.rng, 60).then(|| self.configuration());
        let metadata = chance(&mut self.rng, 10).then(|| Value::Object(metadata(&mut self.rng)).into());
        let request = SendMessageRequest { message: Some(message), configuration, metadata, ..Default::default() };
        let mut ask = self.ask(Operation::Send(request));
        if chance(&mut self.rng, 35) {
            let who = *pick(&mut self.rng, &["caller", "caller", "agent"]);
            ask.extensions.push(TOOL_EXECUTION);
            set_metadata(&mut ask, TOOL_EXECUTION, json!({"toolExecution": who}));
        }
        if chance(&mut self.rng, 15) {
            ask.headers.push(("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned()));
        }
        self.keyed(ask)
    }

    /// Randomly adds a new or repeated idempotency key.
    fn keyed(&mut self, mut ask: ClientRequest) -> ClientRequest {
        match self.rng.random_range(0..100) {
            0..6 => ask.headers.push(("idempotency-key", (*pick(&mut self.rng, &KEYS)).to_owned())),
            6..12 => {
                ask.extensions.push(IDEMPOTENCY);
                set_metadata(&mut ask, IDEMPOTENCY, json!({"key": pick(&mut self.rng, &KEYS)}));
            }
            12..20 if !self.keyed.is_empty() => return pick(&mut self.rng, &self.keyed).clone(),
            _ => return ask,
        }
        self.keyed.push(ask.clone());
        ask
    }

    fn configuration(&mut self) -> SendMessageConfiguration<'static> {
        let history_length = *pick(&mut self.rng, &[None, None, Some(0), Some(1), Some(2), Some(50)]);
        let push = chance(&mut self.rng, 25).then(|| self.receiver());
        SendMessageConfiguration {
            accepted_output_modes: if chance(&mut self.rng, 20) { vec!["text/plain".into()] } else { Vec::new() },
            task_push_notification_config: push,
            history_length,
            return_immediately: chance(&mut self.rng, 40),
        }
    }

    pub(super) fn receiver(&mut self) -> TaskPushNotificationConfig<'static> {
        let rng = &mut self.rng;
        let authentication = chance(rng, 40).then(|| AuthenticationInfo {
            scheme: "Bearer".into(),
            credentials: chance(rng, 60).then(|| "secret".into()),
        });
        TaskPushNotificationConfig {
            id: (*pick(rng, &CONFIGS)).into(),
            url: (*pick(rng, &["https://example.com/hook", "http://example.org:8080/a?b=c"])).into(),
            token: chance(rng, 40).then(|| "token".into()),
            authentication,
            ..TaskPushNotificationConfig::default()
        }
    }

    /// Converts a send into a streaming send.
    fn streamed(&mut self, ask: ClientRequest) -> ClientRequest {
        let disconnect_after = chance(&mut self.rng, 25).then(|| self.rng.random_range(0..4));
        match ask.operation {
            Operation::Send(request) => {
                ClientRequest { operation: Operation::Stream(request), disconnect_after, ..ask }
            }
            _ => ask,
        }
    }

    /// A message to an existing task: an answer, tool results, or further text.
    fn follow_up(&mut self, tasks: &[Arc<TaskView>]) -> ClientRequest {
        let mut open: Vec<_> = tasks.iter().filter(|task| !task.state.is_terminal()).collect();
        if open.iter().any(|task| task.state == TaskState::InputRequired) {
            open.retain(|task| task.state == TaskState::InputRequired);
        }
        let task = match open.as_slice() {
            [] if chance(&mut self.rng, 70) => return self.send(None),
            [] => pick(&mut self.rng, tasks),
            open => *pick(&mut self.rng, open),
        };
        let calls = task.status_message.as_ref().map(parse_tool_calls).unwrap_or_default();
        let words = if calls.is_empty() || chance(&mut self.rng, 15) { words(&mut self.rng) } else { String::new() };
        let mut message = self.message(words);
        message.context_id = chance(&mut self.rng, 30).then(|| task.context.to_string().into());
        message.task_id = Some(task.id.to_string().into());
        let answered: Vec<_> = calls.iter().filter(|_| chance(&mut self.rng, 75)).collect();
        if !answered.is_empty() {
            let results: Vec<Value> = answered.iter().map(|call| self.result(call.id.as_str())).collect();
            message.parts.push(Part { data: Some(json!({"tool_results": results}).into()), ..Part::default() });
        }
        let mut ask = self.send(Some(message));
        if chance(&mut self.rng, 15) {
            let generation = task.generation + u64::from(chance(&mut self.rng, 40));
            ask.extensions.push(GENERATION);
            set_metadata(&mut ask, GENERATION, json!({"ifGenerationMatch": generation}));
        }
        if chance(&mut self.rng, 40) { self.streamed(ask) } else { ask }
    }

    fn result(&mut self, call: &str) -> Value {
        let output = value(&mut self.rng, 3);
        match chance(&mut self.rng, 20) {
            true => json!({"call_id": call, "is_error": true, "output": output}),
            false => json!({"call_id": call, "output": output}),
        }
    }

    fn get(&mut self, tasks: &[Arc<TaskView>]) -> ClientRequest {
        let id = self.any_task(tasks).into();
        let history_length = *pick(&mut self.rng, &[None, None, Some(0), Some(1), Some(2), Some(50)]);
        let mut ask = self.ask(Operation::Get(GetTaskRequest { id, history_length, ..Default::default() }));
        if chance(&mut self.rng, 20) {
            ask.extensions.push(GENERATION);
            ask.headers.push(("baton-current-generation", self.rng.random_range(0..8_u32).to_string()));
        }
        ask
    }

    fn list(&mut self, tasks: &[Arc<TaskView>]) -> ClientRequest {
        let rng = &mut self.rng;
        let known = pick(rng, tasks);
        let token = format!("{}.{}", known.status_at.as_millis(), known.id);
        let context = if chance(rng, 50) { known.context.to_string() } else { (*pick(rng, &CONTEXTS)).to_owned() };
        let request = ListTasksRequest {
            context_id: chance(rng, 30).then(|| context.into()),
            status: chance(rng, 30).then(|| known.state.into()),
            page_size: *pick(rng, &[None, Some(1), Some(2), Some(100)]),
            page_token: chance(rng, 30).then(|| token.into()),
            history_length: *pick(rng, &[None, Some(0), Some(1)]),
            status_timestamp_after: chance(rng, 20).then_some(known.status_at),
            include_artifacts: *pick(rng, &[None, Some(false), Some(true)]),
            ..ListTasksRequest::default()
        };
        self.ask(Operation::List(request))
    }

    fn subscribe(&mut self, tasks: &[Arc<TaskView>]) -> ClientRequest {
        let id = self.any_task(tasks).into();
        let mut ask = self.ask(Operation::Subscribe(SubscribeToTaskRequest { id, ..Default::default() }));
        ask.disconnect_after = chance(&mut self.rng, 20).then(|| self.rng.random_range(0..3));
        if chance(&mut self.rng, 40) {
            ask.headers.push(("last-event-id", self.rng.random_range(0..9_u32).to_string()));
        }
        ask
    }

    fn push(&mut self, tasks: &[Arc<TaskView>]) -> ClientRequest {
        if self.receivers.is_empty() || chance(&mut self.rng, 35) {
            let (task, config) = (self.any_task(tasks), *pick(&mut self.rng, &CONFIGS));
            self.receivers.push((task.clone(), config));
            let config = TaskPushNotificationConfig { task_id: task.into(), id: config.into(), ..self.receiver() };
            return self.ask(Operation::CreatePush(config));
        }
        let (task, id) = pick(&mut self.rng, &self.receivers).clone();
        let (task_id, id) = (Cow::Owned(task), if id.is_empty() { "of nobody" } else { id }.into());
        let operation = match self.rng.random_range(0..4) {
            0 => {
                let page_size = *pick(&mut self.rng, &[None, Some(0), Some(1), Some(2)]);
                let page_token = chance(&mut self.rng, 30).then(|| "config".into());
                Operation::ListPush(ListTaskPushNotificationConfigsRequest {
                    tenant: None,
                    task_id,
                    page_size,
                    page_token,
                })
            }
            1 => Operation::DeletePush(TaskPushNotificationConfigRequest { tenant: None, task_id, id }),
            _ => Operation::GetPush(TaskPushNotificationConfigRequest { tenant: None, task_id, id }),
        };
        self.ask(operation)
    }
}

/// Sets a member of the message's metadata.
pub(super) fn set_metadata(ask: &mut ClientRequest, name: &str, value: Value) {
    let (Operation::Send(request) | Operation::Stream(request)) = &mut ask.operation else { return };
    let Some(message) = &mut request.message else { return };
    let mut members: Map<String, Value> =
        message.metadata.as_ref().and_then(|json| json.to_value().as_object().cloned()).unwrap_or_default();
    members.insert(name.to_owned(), value);
    members.sort_keys();
    message.metadata = Some(Json::from(Value::Object(members)));
}
