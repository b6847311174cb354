//! Wire JSON: requests of ContextCore, their 1.0 form, and responses.

use crate::sample::{answer, at, json, question, view};
use baton_types::TaskView;
use baton_wire::{
    a2a::v1::{self, ArtifactInclusion, HistoryLength},
    contextcore::{Artifact, CancelResult, ListParams, Method, Part, SendParams, State, Task, TaskList, TaskParams},
};
use insta::assert_snapshot;
use serde::Serialize;

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

/// A request as the ContextCore client writes it, with both of its spellings.
const SEND: &str = r#"{"message":{"messageId":"msg-1","role":"user","parts":[
    {"type":"text","text":"Investigate this trace"},
    {"type":"trace"  , "trace_id":"abc123def456","tokens":12},
    {"type":"data","data":{"threshold":200.0,"metric":"p99_latency","big":123456789012345678901234567890}},
    {"type":"json","data":[1,2.50]},
    {"type":"file","file":{"uri":"https://example.com/map.png","mimeType":"image/png"}},
    {"type":"log_query","query":"{app=\"checkout\"}","query_type":"logql"},
    {"type":"pr","ref":"17","ref_url":"https://example.com/pr/17"}],
  "timestamp":"2026-11-15T12:00:00.123456","agentId":"orchestrator","sessionId":"s-1","metadata":{"session":1.0}},
  "contextId":"context-1","capabilityId":"investigate"}"#;

fn sent(text: &str) -> v1::SendMessageRequest<'static> {
    let params: SendParams = v1::read_params_text(text).unwrap();
    params.into_v1(|| "fresh".to_owned()).unwrap()
}

#[test]
fn send_becomes_a_non_blocking_request() {
    let request = sent(SEND);
    request.clone().check().unwrap();
    assert_snapshot!(pretty(&request));
}

#[test]
fn both_spellings_are_equivalent() {
    let snake = ["messageId", "agentId", "sessionId", "contextId", "capabilityId"]
        .into_iter()
        .zip(["message_id", "agent_id", "session_id", "context_id", "capability_id"])
        .fold(SEND.replace("\"type\":\"text\"", "\"part_type\":\"text\""), |text, (camel, snake)| {
            text.replace(camel, snake)
        })
        .replace(
            r#""file":{"uri":"https://example.com/map.png","mimeType":"image/png"}"#,
            r#""file_uri":"https://example.com/map.png","mime_type":"image/png""#,
        );
    assert_eq!(sent(SEND), sent(&snake));
}

#[test]
fn untyped_parts_are_classified_by_their_members() {
    for (bare, typed) in [
        (r#"{"text":"hi"}"#, r#"{"type":"text","text":"hi"}"#),
        (
            r#"{"fileUri":"u","mimeType":"image/png","fileName":"n"}"#,
            r#"{"type":"file","file":{"uri":"u","mimeType":"image/png","name":"n"}}"#,
        ),
        (r#"{"json":{"a":1}}"#, r#"{"type":"json","data":{"a":1}}"#),
        (r#"{"data":{"a":1}}"#, r#"{"type":"data","data":{"a":1}}"#),
        (r#"{"json":{"type":"trace","trace_id":"t"}}"#, r#"{"type":"trace","trace_id":"t"}"#),
        (r#"{"text":"hi","data":null,"type":null}"#, r#"{"type":"text","text":"hi","data":null}"#),
    ] {
        let into_v1 = |text: &str| {
            let mut violations = baton_types::Violations::default();
            let part = serde_json::from_str::<Part>(text).unwrap().into_v1("part", &mut violations);
            assert_eq!(violations.into_result(()), Ok(()), "{text}");
            part
        };
        assert_eq!(into_v1(bare), into_v1(typed), "{bare}");
    }
}

#[test]
fn sent_parts_round_trip() {
    let request = sent(SEND);
    let back = SendParams::from(request.clone());
    assert_snapshot!(pretty(&back));
    assert_eq!(back.into_v1(String::new).unwrap(), request);
}

#[test]
fn task_id_is_read_from_all_positions() {
    let place = |beside: &str, inside: &str| {
        let text = format!(r#"{{"message":{{"parts":[{{"type":"text","text":"x"}}]{inside}}}{beside}}}"#);
        let message = sent(&text).message.unwrap();
        assert_eq!(message.message_id, "fresh");
        (message.context_id.map(String::from), message.task_id.map(String::from))
    };
    let is = |context: Option<&str>, task: Option<&str>| (context.map(str::to_owned), task.map(str::to_owned));
    assert_eq!(place("", ""), is(None, None));
    assert_eq!(place(r#","contextId":"c","taskId":"t""#, ""), is(Some("c"), Some("t")));
    assert_eq!(place("", r#","contextId":"c","task_id":"t""#), is(Some("c"), Some("t")));
    assert_eq!(place(r#","contextId":"c""#, r#","contextId":"c","taskId":"""#), is(Some("c"), None));
    assert_eq!(place("", r#","conversation_id":"c""#), is(Some("c"), None));
    assert_eq!(place("", r#","conversation_id":"c","taskId":"t""#), is(None, Some("t")));
    assert_eq!(place(r#","contextId":"c""#, r#","conversation_id":"d""#), is(Some("c"), None));
}

#[test]
fn tasks_are_written_in_the_dialect() {
    let view = view();
    let shown = Task::from(v1::Task::from_view(
        &view,
        HistoryLength::All,
        ArtifactInclusion::Include,
        v1::Presentation::default(),
    ));
    let shown = shown.with_created_time(at(0)).with_agent(&"weather".into());
    assert_eq!(serde_json::from_str::<Task>(&pretty(&shown)).unwrap(), shown);
    let asks = TaskView { state: baton_types::TaskState::AuthRequired, history: vec![question()], ..view };
    let asks = v1::Task::from_view(&asks, HistoryLength::All, ArtifactInclusion::Omit, v1::Presentation::default());
    let list = TaskList::from(v1::ListTasksResponse { tasks: vec![asks.clone()], ..Default::default() });
    assert_eq!(list.tasks[0].status, State::InputRequired);
    assert_eq!(list.tasks[0].messages.last().unwrap().message_id, answer().id.as_str());
    let gone = CancelResult::already_ended(&"task-1".into());
    assert_snapshot!([pretty(&shown), pretty(&list), pretty(&CancelResult::from(asks)), pretty(&gone)].join("\n"));
}

#[test]
fn task_sender_and_capability_come_from_its_first_message() {
    let message = sent(SEND).message;
    let task = v1::Task { id: "t".into(), history: message.map(|message| vec![message]), ..v1::Task::default() };
    let metadata = Task::from(task).metadata.unwrap();
    assert_eq!(metadata, json(r#"{"contextcore":{"from_agent":"orchestrator","capability_id":"investigate"}}"#));
}

#[test]
fn tasks_of_other_servers_are_parsed() {
    let text = r#"{"taskId":"handoff-1","contextId":"a:b","status":"COMPLETED","messages":[
        {"messageId":"m1","role":"system","parts":[{"type":"text","text":"Be brief"}],"timestamp":"2026-11-15T12:00:00"},
        {"message_id":"m2","role":"agent","parts":[{"type":"insight","ref":"i-7"}]}],
      "artifacts":[
        {"artifactId":"r","parts":[{"type":"data","data":{"root_cause":"N+1"}}],"mediaType":"application/json",
         "index":0,"append":false,"lastChunk":true,"trace_id":"abc"},
        {"artifact_id":"s","parts":[{"type":"text","text":"x"}],"media_type":"application/json","index":"2",
         "append":true,"last_chunk":false,"name":"N","description":"D","created_at":"yesterday"},
        {"artifactId":"d","parts":[{"type":"text","text":"x"}]}],
      "createdTime":"2026-11-15T11:00:00.123456","updated_time":"2026-11-15T12:00:00+01:00",
      "metadata":{"contextcore":{"from_agent":"a","to_agent":"b","capability_id":"c","priority":"high"}}}"#;
    let task: Task = serde_json::from_str(text).unwrap();
    let canonical = task.clone().into_v1().unwrap();
    let back = Task::from(canonical.clone());
    assert_eq!(back.messages[0].role, task.messages[0].role);
    assert_eq!(
        back.artifacts[0],
        Artifact { media_type: Some("application/json".into()), ..task.artifacts[0].clone() }
    );
    assert_snapshot!([pretty(&canonical), pretty(&back)].join("\n"));
}

#[test]
fn other_methods_are_converted() {
    let get = v1::read_params_text::<TaskParams>(r#"{"taskId":"t"}"#).unwrap();
    let cancel = v1::read_params_text::<TaskParams>(r#"{"task_id":"t"}"#).unwrap();
    let list = v1::read_params_text::<ListParams>(r#"{"limit":"7","context_id":"c"}"#).unwrap();
    let all = v1::read_params_text::<ListParams>(r#"{"limit":null,"contextId":""}"#).unwrap();
    let all = all.into_v1().unwrap();
    assert_eq!(all.check().unwrap().0, 100);
    let written = [
        serde_json::to_string(&get.into_get().unwrap()),
        serde_json::to_string(&cancel.into_cancel().unwrap()),
        serde_json::to_string(&list.into_v1().unwrap()),
        serde_json::to_string(&all),
    ];
    assert_snapshot!(written.map(Result::unwrap).join("\n"));
    for method in Method::ALL {
        assert_eq!(Method::from_name(method.as_str()), Some(*method));
    }
    assert_eq!(Method::from_name("SendMessage"), None);
}
