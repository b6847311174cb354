//! Invalid requests, which every binding must reject for the same reason.

use super::{
    content::{chance, pick},
    generate::{CONFIGS, Client, set_metadata},
    operation::{ClientRequest, Operation},
};
use baton_types::TaskView;
use baton_wire::a2a::v1::{
    AuthenticationInfo, CancelTaskRequest, GENERATION, GetTaskRequest, IDEMPOTENCY,
    ListTaskPushNotificationConfigsRequest, ListTasksRequest, Message, Part, Role, SendMessageConfiguration,
    SendMessageRequest, SubscribeToTaskRequest, TOOL_EXECUTION, TaskPushNotificationConfig,
    TaskPushNotificationConfigRequest,
};
use rand::RngExt as _;
use serde_json::json;
use std::sync::Arc;

const MISSING_TASK: &str = "no such täsk";

pub(super) fn ask(client: &mut Client, tasks: &[Arc<TaskView>]) -> ClientRequest {
    match client.rng.random_range(0..5) {
        0 => missing_task(client),
        1 => list(client),
        2 => push(client, tasks),
        3 => message(client, tasks),
        _ => extension(client),
    }
}

/// A request for a task that does not exist.
fn missing_task(client: &mut Client) -> ClientRequest {
    let named =
        TaskPushNotificationConfigRequest { task_id: MISSING_TASK.into(), id: CONFIGS[0].into(), ..Default::default() };
    let operation = match client.rng.random_range(0..8) {
        0 => Operation::Get(GetTaskRequest { id: MISSING_TASK.into(), ..Default::default() }),
        1 => Operation::Cancel(CancelTaskRequest { id: MISSING_TASK.into(), ..Default::default() }),
        2 => Operation::Subscribe(SubscribeToTaskRequest { id: MISSING_TASK.into(), ..Default::default() }),
        3 => Operation::CreatePush(TaskPushNotificationConfig { task_id: MISSING_TASK.into(), ..client.receiver() }),
        4 => Operation::GetPush(named),
        5 => Operation::ListPush(ListTaskPushNotificationConfigsRequest {
            task_id: MISSING_TASK.into(),
            ..Default::default()
        }),
        6 => Operation::DeletePush(named),
        _ => {
            let mut said = client.message("hello".to_owned());
            said.task_id = Some(MISSING_TASK.into());
            return client.send(Some(said));
        }
    };
    client.ask(operation)
}

fn list(client: &mut Client) -> ClientRequest {
    let request = match client.rng.random_range(0..4) {
        0 => ListTasksRequest {
            page_token: Some((*pick(&mut client.rng, &["nonsense", "12", "5.a b", ".id-1"])).into()),
            ..ListTasksRequest::default()
        },
        1 => ListTasksRequest { page_size: Some(*pick(&mut client.rng, &[0, -1, 101])), ..ListTasksRequest::default() },
        2 => ListTasksRequest { history_length: Some(-1), page_size: Some(0), ..ListTasksRequest::default() },
        _ => ListTasksRequest { history_length: Some(-2), ..ListTasksRequest::default() },
    };
    client.ask(Operation::List(request))
}

fn push(client: &mut Client, tasks: &[Arc<TaskView>]) -> ClientRequest {
    let task_id = client.any_task(tasks).into();
    let mut config = TaskPushNotificationConfig { task_id, ..client.receiver() };
    match client.rng.random_range(0..5) {
        0 => config.url = "https://10.0.0.1/hook".into(),
        1 => config.url = "".into(),
        2 => config.url = "https://example.com/é".into(),
        3 => config.token = Some("two\nlines".into()),
        _ => config.authentication = Some(AuthenticationInfo { scheme: "".into(), credentials: Some("x".into()) }),
    }
    if chance(&mut client.rng, 50) {
        return client.ask(Operation::CreatePush(config));
    }
    let configuration =
        SendMessageConfiguration { task_push_notification_config: Some(config), ..SendMessageConfiguration::default() };
    let message = Some(client.message("hello".to_owned()));
    let request = SendMessageRequest { message, configuration: Some(configuration), ..SendMessageRequest::default() };
    client.ask(Operation::Send(request))
}

fn message(client: &mut Client, tasks: &[Arc<TaskView>]) -> ClientRequest {
    let mut said = client.message("hello".to_owned());
    let results =
        |results: serde_json::Value| Part { data: Some(json!({"tool_results": results}).into()), ..Part::default() };
    let result = json!({"call_id": "never made", "output": 1});
    match client.rng.random_range(0..12) {
        0 => said.role = Role::Agent,
        1 => said.role = Role::Unspecified,
        2 => said.parts = Vec::new(),
        3 => said.message_id = "".into(),
        4 => said.message_id = "a\u{1}b".into(),
        5 => said.parts = vec![Part::text("x"); 257],
        6 => {
            let url = Some("https://example.com/picture".into());
            said.parts.push(Part { url, media_type: Some("image/png".into()), ..Part::default() });
        }
        7 => {
            said.task_id = Some(client.any_task(tasks).into());
            said.context_id = Some("of another".into());
        }
        8 => said.parts.push(results(json!([result]))),
        9 => {
            said.task_id = Some(client.any_task(tasks).into());
            said.parts.push(results(json!([result, result])));
        }
        10 => {
            said.task_id = Some(client.any_task(tasks).into());
            said.parts.push(results(json!([{"call_id": "x"}])));
        }
        _ => {
            let request = if chance(&mut client.rng, 50) {
                SendMessageRequest::default()
            } else {
                let configuration = SendMessageConfiguration { history_length: Some(-1), ..Default::default() };
                let message: Option<Message<'_>> = Some(said);
                SendMessageRequest { message, configuration: Some(configuration), ..Default::default() }
            };
            return client.ask(Operation::Stream(request));
        }
    }
    let request = SendMessageRequest { message: Some(said), ..SendMessageRequest::default() };
    let streamed = chance(&mut client.rng, 50);
    client.ask(if streamed { Operation::Stream(request) } else { Operation::Send(request) })
}

fn extension(client: &mut Client) -> ClientRequest {
    let said = Some(client.message("hello".to_owned()));
    let mut ask = client.ask(Operation::Send(SendMessageRequest { message: said, ..SendMessageRequest::default() }));
    let (uri, setting) = match client.rng.random_range(0..4) {
        0 => (TOOL_EXECUTION, json!({"toolExecution": "nobody"})),
        1 => (IDEMPOTENCY, json!({"key": "with space"})),
        2 => (GENERATION, json!({"ifGenerationMatch": -1})),
        _ => (GENERATION, json!({"ifGenerationMatch": 3})),
    };
    ask.extensions.push(uri);
    set_metadata(&mut ask, uri, setting);
    ask
}
