//! Sends and their options.

use crate::world::{client, engine, message, options};
use baton_client::{Client, SendRequest};
use baton_server::app;
use baton_types::{Json, Message, Part, ToolExecution};
use baton_wire::a2a::v1::{Role, TaskState};

#[tokio::test]
async fn a_send_waits_for_the_answer() {
    let task = client().send("weather", SendRequest::new(message("look"))).await.unwrap();
    assert_eq!(task.status.state, TaskState::Completed);
    let roles: Vec<_> = task.history.as_ref().unwrap().iter().map(|message| message.role).collect();
    assert_eq!(roles.first(), Some(&Role::User));
    let answer = &task.artifacts.as_ref().unwrap().last().unwrap().parts[0];
    assert_eq!(answer.text.as_deref(), Some("72°F, sunny"));
    assert_eq!(task.history.unwrap().last().unwrap().parts[0], *answer);
    assert_eq!(task.status.message, None);
}

#[tokio::test]
async fn a_send_can_return_at_once_and_history_is_as_long_as_asked() {
    let client = client();
    let request = SendRequest { return_immediately: true, ..SendRequest::new(message("hang")) };
    let task = client.send("weather", request).await.unwrap();
    assert!(!task.status.state.to_task_state().unwrap().is_terminal());
    for (length, expect) in [(Some(0), None), (Some(1), Some(1)), (None, Some(2)), (Some(9), Some(2))] {
        let request = SendRequest { history_length: length, ..SendRequest::new(message("Hello there")) };
        let task = client.send("weather", request).await.unwrap();
        assert_eq!(task.history.as_ref().map(Vec::len), expect);
        let again = client.get("weather", &task.id, length).await.unwrap();
        assert_eq!(again, task);
    }
}

#[tokio::test]
async fn numbers_in_data_survive_the_journal() {
    let data = r#"{"n":42,"f":42.0,"big":123456789012345678901234567890}"#;
    let mut said = message("Hello");
    said.parts.push(Part::data(Json::parse(data).unwrap()));
    let task = client().send("weather", SendRequest::new(said)).await.unwrap();
    let back = task.history.unwrap().remove(0).parts.remove(1).data.unwrap();
    assert_eq!(back.as_str(), data);
}

#[tokio::test]
async fn the_caller_runs_tools_when_it_asks_to() {
    let client = client();
    let request = SendRequest { tool_execution: Some(ToolExecution::Caller), ..SendRequest::new(message("look")) };
    let task = client.send("weather", request).await.unwrap();
    assert_eq!(task.status.state, TaskState::InputRequired);
    let call = task.status.message.unwrap().parts.into_iter().find_map(|part| part.data).unwrap();
    assert_eq!(
        call.as_str(),
        r#"{"tool_calls":[{"call_id":"call-1","name":"get_weather","arguments":{"location":"Oakland"}}]}"#
    );
    let results = r#"{"tool_results":[{"call_id":"call-1","name":"get_weather","output":"65°F, fog"}]}"#;
    let mut results = Message { parts: vec![Part::data(Json::parse(results).unwrap())], ..message("") };
    results.task = Some(task.id.clone().into_owned().into());
    let done = client.send("weather", SendRequest::new(results)).await.unwrap();
    assert_eq!((done.id, done.status.state), (task.id, TaskState::Completed));
    assert_eq!(done.artifacts.unwrap()[0].parts[0].text.as_deref(), Some("65°F, fog"));
}

#[tokio::test]
async fn an_agent_that_asks_is_answered_in_the_same_task() {
    let client = client();
    let asked = client.send("weather", SendRequest::new(message("ask"))).await.unwrap();
    assert_eq!(asked.status.state, TaskState::InputRequired);
    let mut answer = message("Oakland please");
    answer.task = Some(asked.id.clone().into_owned().into());
    let done = client.send("weather", SendRequest::new(answer.clone())).await.unwrap();
    assert_eq!((&done.id, done.status.state), (&asked.id, TaskState::Completed));
    let refused = client.send("weather", SendRequest::new(answer)).await.unwrap_err();
    let refusal = refused.refusal().unwrap();
    assert_eq!((refusal.code, refusal.baton_code.as_deref()), (-32004, Some("BTN-2004")));
}

#[tokio::test]
async fn stopping_engine_rejects_sends_as_unavailable() {
    let engine = engine(&["weather"]);
    let client = Client::in_memory(app(engine.clone(), options()));
    client.ready().await.unwrap();
    engine.shutdown(std::time::Duration::from_secs(1)).await;
    let refused = client.send("weather", SendRequest::new(message("Hello"))).await.unwrap_err();
    let refusal = refused.refusal().unwrap();
    assert_eq!((refusal.status, refusal.baton_code.as_deref()), (503, Some("BTN-4007")));
    assert!(client.health().await.is_ok());
    assert!(client.ready().await.is_err());
}
