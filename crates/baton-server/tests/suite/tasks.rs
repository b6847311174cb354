//! Listing, reading and canceling tasks.

use crate::world::{client, engine, message, options};
use baton_client::{Client, SendRequest};
use baton_server::app;
use baton_wire::a2a::v1::{ListTasksRequest, TaskState};

#[tokio::test]
async fn lists_page_by_page_newest_first() {
    let client = Client::in_memory(app(engine(&["weather", "other"]), options()));
    let mut sent = Vec::new();
    for text in ["one", "two", "three", "ask", "five"] {
        sent.insert(0, client.send("weather", SendRequest::new(message(text))).await.unwrap().id);
    }
    client.send("other", SendRequest::new(message("six"))).await.unwrap();
    let mut seen = Vec::new();
    let mut query = ListTasksRequest { page_size: Some(2), ..ListTasksRequest::default() };
    loop {
        let page = client.list("weather", &query).await.unwrap();
        assert_eq!((page.total_size, page.page_size), (5, 2));
        assert!(page.tasks.iter().all(|task| task.artifacts.is_none()));
        seen.extend(page.tasks.into_iter().map(|task| task.id));
        if page.next_page_token.is_empty() {
            break;
        }
        query.page_token = Some(page.next_page_token);
    }
    assert_eq!(seen, sent);
    let asked = ListTasksRequest {
        status: Some(TaskState::InputRequired),
        include_artifacts: Some(true),
        history_length: Some(0),
        ..ListTasksRequest::default()
    };
    let page = client.list("weather", &asked).await.unwrap();
    assert_eq!((page.tasks.len(), page.total_size, page.page_size), (1, 1, 50));
    assert_eq!(page.tasks[0].artifacts.as_deref(), Some(&[][..]));
    assert_eq!(page.tasks[0].history, None);
    let nothing = ListTasksRequest { context_id: Some("nowhere".into()), ..ListTasksRequest::default() };
    assert_eq!(client.list("weather", &nothing).await.unwrap().total_size, 0);
}

#[tokio::test]
async fn canceling_stops_a_task_once_and_for_all() {
    let client = client();
    let request = SendRequest { return_immediately: true, ..SendRequest::new(message("hang")) };
    let task = client.send("weather", request).await.unwrap();
    for _ in 0..2 {
        assert_eq!(client.cancel("weather", &task.id).await.unwrap().status.state, TaskState::Canceled);
    }
    let done = client.send("weather", SendRequest::new(message("Hello"))).await.unwrap();
    let refused = client.cancel("weather", &done.id).await.unwrap_err();
    assert_eq!(refused.refusal().unwrap().code, -32002);
}

#[tokio::test]
async fn tasks_are_found_under_their_own_agent_only() {
    let client = Client::in_memory(app(engine(&["weather", "other"]), options()));
    let task = client.send("weather", SendRequest::new(message("Hello"))).await.unwrap();
    let code = |error: baton_client::ClientError| error.refusal().unwrap().clone();
    assert_eq!(code(client.get("other", &task.id, None).await.unwrap_err()).code, -32001);
    assert_eq!(code(client.get("weather", "nothing", None).await.unwrap_err()).code, -32001);
    let missing = code(client.get("nobody", &task.id, None).await.unwrap_err());
    assert_eq!((missing.status, missing.baton_code.as_deref()), (404, Some("BTN-2001")));
    assert!(missing.message.contains("weather, other"), "{}", missing.message);
    assert_eq!(client.task(&task.id).await.unwrap().agent, "weather");
    assert_eq!(code(client.task("nothing").await.unwrap_err()).baton_code.as_deref(), Some("BTN-2003"));
}

#[tokio::test]
async fn every_journaled_event_can_be_read() {
    let client = client();
    let task = client.send("weather", SendRequest::new(message("look"))).await.unwrap();
    let events = client.events(&task.id, 0, 1000).await.unwrap();
    let kinds: Vec<String> = events.iter().map(|event| format!("{} {}", event.number, event.kind)).collect();
    insta::assert_snapshot!(kinds.join("\n"));
    assert_eq!(client.events(&task.id, 2, 3).await.unwrap(), events[2..5]);
    assert!(client.events("nothing", 0, 10).await.is_err());
}
