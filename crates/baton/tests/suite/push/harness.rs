//! Helpers: A2A calls in both dialects, and a comparison of delivered notifications with the journal.

use baton_testkit::{
    DeliveryAttempt, Evidence, History, RawResponse, Receiver, Server, ServerOptions, Webhook, WebhookArrival,
    checker::{self, Guarantee},
    request,
};
use baton_types::{PushDialect, TaskId};
use http::Method;
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path};
use tempfile::TempDir;

/// The agent that receives all messages.
pub(super) const AGENT: &str = "flows";
pub(super) const TOKEN: &str = "the receiver's own word";

pub(super) const DIALECTS: [PushDialect; 2] = [PushDialect::V1, PushDialect::V03];

/// A data directory with the options of its server.
pub(super) struct ServerSetup {
    _scratch: TempDir,
    options: ServerOptions,
}

impl ServerSetup {
    pub(super) fn new() -> Self {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/agents").join(AGENT);
        let options = ServerOptions::new(env!("CARGO_BIN_EXE_baton"), vec![agents], scratch.path());
        Self { _scratch: scratch, options }
    }

    /// Starts a server that may also push to these addresses besides public ones.
    pub(super) async fn up(&self, allowed: &[&str]) -> Server {
        let mut options = self.options.clone();
        options.arguments = allowed.iter().flat_map(|entry| ["--push-allow", entry]).map(str::to_owned).collect();
        options.start().await.expect("a server")
    }
}

/// A receiver on this machine.
pub(super) async fn webhook(ip: &str) -> Webhook {
    Webhook::open(ip.parse().expect("an address")).await.expect("a receiver")
}

/// A JSON-RPC call in a dialect.
pub(super) async fn call(server: &Server, dialect: PushDialect, method: &str, params: Value) -> RawResponse {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let version: &[(&str, &str)] = match dialect {
        PushDialect::V1 => &[("a2a-version", "1.0")],
        PushDialect::V03 => &[],
    };
    request(server.url(), Method::POST, &format!("/agents/{AGENT}"), version, &body).await.expect("an answer")
}

async fn result(server: &Server, dialect: PushDialect, method: &str, params: Value) -> Value {
    let mut answer = call(server, dialect, method, params).await;
    assert!(answer.body["error"].is_null(), "{method}: {}", answer.body);
    answer.body["result"].take()
}

/// Push configuration of a receiver in a dialect.
pub(super) fn config(dialect: PushDialect, url: &str) -> Value {
    match dialect {
        PushDialect::V1 => {
            let authentication = json!({"scheme": "Bearer", "credentials": "secret"});
            json!({"url": url, "token": TOKEN, "authentication": authentication})
        }
        PushDialect::V03 => {
            let authentication = json!({"schemes": ["Bearer"], "credentials": "secret"});
            json!({"url": url, "token": TOKEN, "authentication": authentication})
        }
    }
}

/// Parameters of a send; without a task a new one begins, with a null configuration there is no receiver.
pub(super) fn message(dialect: PushDialect, id: &str, text: &str, task: Option<&TaskId>, push: &Value) -> Value {
    let mut configuration = json!({});
    let mut message = match dialect {
        PushDialect::V1 => json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]}),
        PushDialect::V03 => {
            let parts = json!([{"kind": "text", "text": text}]);
            json!({"kind": "message", "messageId": id, "role": "user", "parts": parts})
        }
    };
    if let Some(task) = task {
        message["taskId"] = task.as_str().into();
    }
    let key = match dialect {
        PushDialect::V1 => "taskPushNotificationConfig",
        PushDialect::V03 => "pushNotificationConfig",
    };
    if !push.is_null() {
        configuration[key] = push.clone();
    }
    if text == "hang" {
        let no_wait = match dialect {
            PushDialect::V1 => ("returnImmediately", true),
            PushDialect::V03 => ("blocking", false),
        };
        configuration[no_wait.0] = no_wait.1.into();
    }
    json!({"message": message, "configuration": configuration})
}

/// Sends a message and waits until the task ends or needs input, except for tasks that hang.
pub(super) async fn send(
    server: &Server,
    dialect: PushDialect,
    id: &str,
    text: &str,
    task: Option<&TaskId>,
    push: &Value,
) -> TaskId {
    let (method, at) = match dialect {
        PushDialect::V1 => ("SendMessage", "/task/id"),
        PushDialect::V03 => ("message/send", "/id"),
    };
    let result = result(server, dialect, method, message(dialect, id, text, task, push)).await;
    result.pointer(at).and_then(Value::as_str).unwrap_or_else(|| panic!("no task in {result}")).into()
}

/// Parameters of a registration.
pub(super) fn registration(dialect: PushDialect, task: &TaskId, mut config: Value) -> (&'static str, Value) {
    match dialect {
        PushDialect::V1 => {
            config["taskId"] = task.as_str().into();
            ("CreateTaskPushNotificationConfig", config)
        }
        PushDialect::V03 => {
            ("tasks/pushNotificationConfig/set", json!({"taskId": task.as_str(), "pushNotificationConfig": config}))
        }
    }
}

/// Registers a receiver for an existing task, and returns the id of the configuration.
pub(super) async fn register(server: &Server, dialect: PushDialect, task: &TaskId, config: Value) -> String {
    let (method, params) = registration(dialect, task, config);
    let result = result(server, dialect, method, params).await;
    let at = match dialect {
        PushDialect::V1 => "/id",
        PushDialect::V03 => "/pushNotificationConfig/id",
    };
    result.pointer(at).and_then(Value::as_str).unwrap_or_else(|| panic!("no id in {result}")).to_owned()
}

/// Number of journaled events of a task.
pub(super) async fn events(server: &Server, task: &TaskId) -> u64 {
    server.client().events(task.as_str(), 0, 1000).await.expect("events").len() as u64
}

/// A registered receiver.
pub(super) struct RegisteredReceiver {
    pub(super) task: TaskId,
    /// Its path, and the targets of its redirects.
    pub(super) paths: Vec<String>,
    pub(super) receiver: Receiver,
}

impl RegisteredReceiver {
    pub(super) fn is_at(&self, arrival: &WebhookArrival) -> bool {
        self.paths.contains(&arrival.path)
    }

    /// The receiver with all attempts that arrived for it.
    fn with_attempts(&self, arrivals: &[WebhookArrival]) -> Receiver {
        let attempts = arrivals.iter().filter(|arrival| self.is_at(arrival)).map(DeliveryAttempt::from);
        Receiver { attempts: attempts.collect(), ..self.receiver.clone() }
    }
}

/// Waits until every receiver has all journaled events of its task, and checks their order. Returns the compared
/// evidence.
pub(super) async fn await_all_deliveries(
    server: &Server,
    webhook: &Webhook,
    registered: &[RegisteredReceiver],
) -> Evidence {
    let mut listed = BTreeMap::new();
    for RegisteredReceiver { task, .. } in registered {
        listed.insert(task.clone(), server.client().events(task.as_str(), 0, 1000).await.expect("events"));
    }
    let history = History::from_entries(listed.iter().map(|(task, events)| (task, events.as_slice()))).expect("facts");
    let mut open: Vec<(&RegisteredReceiver, Vec<Value>)> =
        registered.iter().map(|one| (one, one.receiver.expected_payloads(&history, &one.task))).collect();
    assert!(open.iter().all(|(_, owed)| !owed.is_empty()), "a receiver without expected notifications proves nothing");
    let waited = webhook.wait_until("the last notification", |arrivals| {
        open.retain(|(one, owed)| one.with_attempts(arrivals).count_missing(owed).is_ok_and(|missing| missing > 0));
        open.is_empty()
    });
    let waited = waited.await;
    let arrivals = webhook.arrivals();
    let receivers = registered.iter().map(|one| one.with_attempts(&arrivals)).collect();
    let evidence = Evidence { history, receivers, ..Evidence::default() };
    let mut violations = checker::check(&evidence);
    violations.retain(|violation| violation.guarantee == Guarantee::Push);
    assert!(violations.is_empty(), "{violations:#?}");
    waited.expect("all notifications");
    for arrival in arrivals.iter().filter(|arrival| registered.iter().any(|one| one.is_at(arrival))) {
        check_headers(arrival);
    }
    evidence
}

fn check_headers(arrival: &WebhookArrival) {
    let header = |name: &str| arrival.headers.get(name).map(String::as_str);
    let is_old = arrival.body["kind"] == "task";
    let content = if is_old { "application/json" } else { "application/a2a+json" };
    assert_eq!(
        [header("content-type"), header("x-a2a-notification-token"), header("authorization")],
        [Some(content), Some(TOKEN), Some("Bearer secret")]
    );
}
