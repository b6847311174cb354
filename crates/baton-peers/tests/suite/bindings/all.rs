//! The same operations in every binding and dialect against Baton's own server.

use crate::{baton_server::BatonServer, loopback::loopback_client};
use baton_peers::{
    A2aDialect, Anonymous, Binding, BindingChoice, BindingEventStream, CallError, DiscoveryOptions, RequestMetadata,
    choose_interface, connect, discover,
};
use baton_wire::a2a::v1::{
    CancelTaskRequest, GetTaskRequest, IDEMPOTENCY, ListTasksRequest, Message, Part, Role, SendMessageConfiguration,
    SendMessageRequest, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig, TaskState,
};
use futures_util::StreamExt as _;
use std::{fmt::Debug, sync::Arc};

const BINDINGS: [BindingChoice; 3] = BindingChoice::ALL;

async fn binding(url: &str, choice: BindingChoice, dialect: A2aDialect) -> Arc<dyn Binding> {
    let client = loopback_client();
    let mut found = discover(&client, url, &DiscoveryOptions::default()).await.unwrap();
    found.interfaces.retain(|one| A2aDialect::from_version(&one.protocol_version) == Some(dialect));
    let chosen = choose_interface(&found.interfaces, Some(choice)).unwrap();
    assert_eq!((chosen.binding, chosen.dialect), (choice, dialect));
    connect(&chosen, &client, Arc::new(Anonymous)).unwrap()
}

fn send_request(id: &str, text: &str) -> SendMessageRequest<'static> {
    let message = Message {
        message_id: id.to_owned().into(),
        role: Role::User,
        parts: vec![Part { text: Some(text.to_owned().into()), ..Part::default() }],
        ..Message::default()
    };
    SendMessageRequest { message: Some(message), ..SendMessageRequest::default() }
}

fn return_immediately(mut request: SendMessageRequest<'static>) -> SendMessageRequest<'static> {
    request.configuration = Some(SendMessageConfiguration { return_immediately: true, ..Default::default() });
    request
}

/// The content of an event without values that differ between runs.
fn describe(item: &StreamResponse<'_>) -> String {
    match item {
        StreamResponse { task: Some(task), .. } => format!("task {:?}", task.status.state),
        StreamResponse { message: Some(_), .. } => "message".to_owned(),
        StreamResponse { status_update: Some(update), .. } => format!("{:?}", update.status.state),
        StreamResponse { artifact_update: Some(update), .. } => {
            let text: String = update.artifact.parts.iter().filter_map(|part| part.text.as_deref()).collect();
            format!("artifact {text}")
        }
        _ => "nothing".to_owned(),
    }
}

fn refusal_codes<T: Debug>(answer: Result<T, CallError>) -> (i32, u16) {
    match answer.unwrap_err() {
        CallError::Refused { code, status, message, .. } => {
            assert!(!message.is_empty());
            (code, status)
        }
        other => panic!("{other:?}"),
    }
}

async fn stream_refusal_codes(answer: Result<BindingEventStream, CallError>) -> (i32, u16) {
    refusal_codes(answer.map(drop))
}

fn answer(task: &Task<'_>) -> String {
    let artifacts = task.artifacts.as_deref().unwrap_or_default();
    artifacts.iter().flat_map(|one| &one.parts).filter_map(|part| part.text.as_deref()).collect()
}

/// Reads the stream to its end; returns the described items and the last cursor.
async fn read_all(mut stream: BindingEventStream) -> (Vec<String>, Option<String>) {
    let (mut items, mut cursor) = (Vec::new(), None);
    while let Some(item) = stream.next().await {
        let item = item.unwrap();
        items.push(describe(&item.item));
        cursor = item.cursor.or(cursor);
    }
    (items, cursor)
}

#[tokio::test]
async fn every_operation_works_in_every_binding_and_dialect() {
    let served = BatonServer::start(&["echo"]).await;
    for (choice, dialect) in BINDINGS.iter().flat_map(|one| [(*one, A2aDialect::V1), (*one, A2aDialect::V03)]) {
        let name = format!("{choice:?}-{dialect}");
        let peer = binding(&served.url(""), choice, dialect).await;
        let with = RequestMetadata::default();

        let sent = peer.send(send_request(&format!("{name}-1"), "Hello you"), &with).await.unwrap().task.unwrap();
        assert_eq!((sent.status.state, answer(&sent).as_str()), (TaskState::Completed, "Hello you"), "{name}");

        let (items, cursor) =
            read_all(peer.stream(send_request(&format!("{name}-2"), "Hello you"), &with).await.unwrap()).await;
        assert!(items[0].starts_with("task "), "{name}: {items:?}");
        assert_eq!(items.last().unwrap(), "Completed", "{name}: {items:?}");
        assert!(items.contains(&"artifact Hello you".to_owned()) || items.len() > 3, "{name}: {items:?}");
        assert_eq!(cursor.is_some(), choice != BindingChoice::Grpc, "{name}");

        let get = |id: &str, history| GetTaskRequest {
            id: id.to_owned().into(),
            history_length: history,
            ..GetTaskRequest::default()
        };
        let all = peer.get(get(&sent.id, None), &with).await.unwrap();
        assert_eq!((answer(&all).as_str(), all.history.unwrap().len()), ("Hello you", 2), "{name}");
        let few = peer.get(get(&sent.id, Some(0)), &with).await.unwrap();
        let least = if dialect == A2aDialect::V1 { 0 } else { 1 };
        assert_eq!(few.history.unwrap_or_default().len(), least, "{name}");

        let context = Some(sent.context_id.clone());
        let list = ListTasksRequest { context_id: context, page_size: Some(10), ..ListTasksRequest::default() };
        let listed = peer.list(list, &with).await;
        match dialect {
            A2aDialect::V1 => {
                let listed = listed.unwrap();
                assert_eq!((listed.tasks.len(), listed.tasks[0].id.as_ref()), (1, sent.id.as_ref()), "{name}");
            }
            A2aDialect::V03 => assert_eq!(refusal_codes(listed), (-32601, 404)),
        }

        let card = peer.extended_card(Default::default(), &with).await;
        match card {
            Ok(card) => assert_eq!(card.name, "The echo agent", "{name}"),
            Err(error) => {
                assert!(matches!(error, CallError::Refused { code: -32007 | -32004, .. }), "{name}: {error:?}");
            }
        }

        assert_eq!(refusal_codes(peer.get(get("nobody", None), &with).await), (-32001, 404), "{name}");
        let cancel = |id: &str| CancelTaskRequest { id: id.to_owned().into(), ..CancelTaskRequest::default() };
        let old_rest = dialect == A2aDialect::V03 && choice == BindingChoice::HttpJson;
        let not_cancelable = (-32002, if old_rest { 409 } else { 400 });
        assert_eq!(refusal_codes(peer.cancel(cancel(&sent.id), &with).await), not_cancelable, "{name}");
        let subscribe = |id: &str| SubscribeToTaskRequest { id: id.to_owned().into(), tenant: None };
        let ended = (-32004, if old_rest { 501 } else { 400 });
        assert_eq!(stream_refusal_codes(peer.subscribe(subscribe(&sent.id), &with).await).await, ended, "{name}");
        let mut wordless = send_request(&format!("{name}-3"), "");
        wordless.message.as_mut().unwrap().parts.clear();
        let invalid = (-32602, if old_rest { 422 } else { 400 });
        assert_eq!(refusal_codes(peer.send(wordless.clone(), &with).await), invalid, "{name}");
        assert_eq!(stream_refusal_codes(peer.stream(wordless, &with).await).await, invalid, "{name}");
    }
}

#[tokio::test]
async fn running_task_is_followed_notified_and_canceled() {
    let served = BatonServer::start(&["echo"]).await;
    for (choice, dialect) in BINDINGS.iter().flat_map(|one| [(*one, A2aDialect::V1), (*one, A2aDialect::V03)]) {
        let name = format!("{choice:?}-{dialect}");
        let peer = binding(&served.url(""), choice, dialect).await;
        let with = RequestMetadata::default();
        let task = peer
            .send(return_immediately(send_request(&format!("{name}-1"), "hang")), &with)
            .await
            .unwrap()
            .task
            .unwrap();
        assert!(matches!(task.status.state, TaskState::Submitted | TaskState::Working), "{name}");

        let config = TaskPushNotificationConfig {
            task_id: task.id.clone(),
            id: "mine".into(),
            url: "https://hooks.example/here".into(),
            token: Some("t0ken".into()),
            ..TaskPushNotificationConfig::default()
        };
        let kept = peer.create_push(config.clone(), &with).await.unwrap();
        assert_eq!(
            (kept.id.as_ref(), kept.task_id.as_ref(), kept.url.as_ref()),
            ("mine", task.id.as_ref(), "https://hooks.example/here"),
            "{name}"
        );

        let subscribe = SubscribeToTaskRequest { id: task.id.clone(), tenant: None };
        let mut stream = peer.subscribe(subscribe.clone(), &with).await.unwrap();
        let first = stream.next().await.unwrap().unwrap();
        assert!(describe(&first.item).starts_with("task "), "{name}: {first:?}");
        let canceled =
            peer.cancel(CancelTaskRequest { id: task.id.clone(), ..Default::default() }, &with).await.unwrap();
        assert_eq!(canceled.status.state, TaskState::Canceled, "{name}");
        let (rest, _) = read_all(stream).await;
        assert_eq!(rest.last().unwrap(), "Canceled", "{name}: {rest:?}");
    }
}

#[tokio::test]
async fn stream_resumes_after_last_event_id() {
    let served = BatonServer::start(&["echo"]).await;
    for choice in [BindingChoice::JsonRpc, BindingChoice::HttpJson] {
        for dialect in [A2aDialect::V1, A2aDialect::V03] {
            let name = format!("{choice:?}-{dialect}");
            let peer = binding(&served.url(""), choice, dialect).await;
            let mut stream =
                peer.stream(send_request(&format!("{name}-1"), "hang"), &RequestMetadata::default()).await.unwrap();
            let first = stream.next().await.unwrap().unwrap();
            let task = first.item.task.as_ref().unwrap().id.clone();
            let mut cursor = first.cursor;
            while cursor.is_none() {
                cursor = stream.next().await.unwrap().unwrap().cursor;
            }
            drop(stream);
            let cancel = CancelTaskRequest { id: task.clone(), ..CancelTaskRequest::default() };
            let with = RequestMetadata { last_event: cursor.clone(), ..RequestMetadata::default() };
            let mut stream = peer.subscribe(SubscribeToTaskRequest { id: task, tenant: None }, &with).await.unwrap();
            peer.cancel(cancel, &RequestMetadata::default()).await.unwrap();
            let number = |cursor: Option<String>| cursor.map(|cursor| cursor.parse::<u64>().unwrap());
            let (mut last, mut items) = (number(cursor).unwrap(), Vec::new());
            while let Some(event) = stream.next().await {
                let event = event.unwrap();
                items.push(describe(&event.item));
                if let Some(next) = number(event.cursor) {
                    // A stream begins with the task as of the cursor.
                    let known = event.item.task.is_some() && next == last;
                    assert!(known || next > last, "{name}: {next} after {last}: {items:?}");
                    last = next;
                }
            }
            assert_eq!(items.last().unwrap(), "Canceled", "{name}: {items:?}");
        }
    }
}

#[tokio::test]
async fn repeated_send_with_one_key_has_one_effect() {
    let served = BatonServer::start(&["echo"]).await;
    for (choice, dialect) in BINDINGS.iter().flat_map(|one| [(*one, A2aDialect::V1), (*one, A2aDialect::V03)]) {
        let name = format!("{choice:?}-{dialect}");
        let peer = binding(&served.url(""), choice, dialect).await;
        let with = RequestMetadata {
            extensions: vec![IDEMPOTENCY.to_owned()],
            idempotency_key: Some(format!("key-{name}")),
            trace: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".into()),
            depth: 2,
            ..RequestMetadata::default()
        };
        let request = send_request(&format!("{name}-1"), "Hello");
        let one = peer.send(request.clone(), &with).await.unwrap().task.unwrap();
        let two = peer.send(request, &with).await.unwrap().task.unwrap();
        assert_eq!(one.id, two.id, "{name}");
    }
}

#[tokio::test]
async fn tenant_selects_the_agent() {
    let served = BatonServer::start(&["echo", "other"]).await;
    let peer = binding(&served.url("/agents/other"), BindingChoice::Grpc, A2aDialect::V1).await;
    let task = peer.send(send_request("m1", "Hello"), &RequestMetadata::default()).await.unwrap().task.unwrap();
    let echo = binding(&served.url("/agents/echo"), BindingChoice::JsonRpc, A2aDialect::V1).await;
    let get = GetTaskRequest { id: task.id.clone(), ..GetTaskRequest::default() };
    assert_eq!(refusal_codes(echo.get(get.clone(), &RequestMetadata::default()).await), (-32001, 404));
    assert_eq!(peer.get(get, &RequestMetadata::default()).await.unwrap().id, task.id);
}

#[tokio::test]
async fn request_to_a_stopped_server_is_not_sent() {
    let served = BatonServer::start(&["echo"]).await;
    let mut peers = Vec::new();
    for (choice, dialect) in BINDINGS.iter().flat_map(|one| [(*one, A2aDialect::V1), (*one, A2aDialect::V03)]) {
        peers.push(binding(&served.url(""), choice, dialect).await);
    }
    let address = served.address;
    drop(served);
    // The listener closes shortly after the shutdown request.
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    for peer in peers {
        let sent = peer.send(send_request("m1", "Hello"), &RequestMetadata::default()).await;
        assert!(matches!(sent, Err(CallError::NotSent(_))), "{sent:?}");
        let streamed = peer.stream(send_request("m1", "Hello"), &RequestMetadata::default()).await.map(drop);
        assert!(matches!(streamed, Err(CallError::NotSent(_))), "{streamed:?}");
    }
}
