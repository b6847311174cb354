//! Wire JSON in both directions.

use crate::sample::{at, context_id, events, question, task_id, view};
use baton_types::{A2aSettings, Artifact, ToolExecution};
use baton_wire::a2a::v1::{self, ArtifactInclusion, HistoryLength, Presentation, Task};
use insta::assert_snapshot;
use serde::{Serialize, de::DeserializeOwned};

fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// Pretty-printed without parsing numbers, so that all digits stay.
fn lines(values: &[String]) -> String {
    values.join("\n")
}

fn assert_round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    assert_eq!(&serde_json::from_str::<T>(&written(value)).unwrap(), value);
}

#[test]
fn tasks_are_written_as_requested_and_round_trip() {
    let view = view();
    let tasks = [
        (HistoryLength::All, ArtifactInclusion::Include, Presentation::FULL),
        (HistoryLength::Latest(1), ArtifactInclusion::Omit, Presentation::default()),
        (HistoryLength::Latest(0), ArtifactInclusion::Omit, Presentation::default()),
        (HistoryLength::Latest(9), ArtifactInclusion::Include, Presentation::default()),
        (HistoryLength::Latest(1), ArtifactInclusion::Include, in_status()),
    ]
    .map(|(history, artifacts, presentation)| Task::from_view(&view, history, artifacts, presentation));
    tasks.iter().for_each(|task| assert_round_trip::<Task<'static>>(&serde_json::from_str(&written(task)).unwrap()));
    assert_snapshot!(lines(&tasks.map(|task| written(&task))));
}

#[test]
fn events_are_written_as_stream_items() {
    let (task, context) = (task_id(), context_id());
    for (name, presentation) in
        [("full", Presentation::FULL), ("default", Presentation::default()), ("status", in_status())]
    {
        let shown: Vec<String> = events()
            .iter()
            .map(|event| match v1::project(&task, &context, at(0), event, presentation, true) {
                Some(item) => {
                    assert_round_trip::<v1::StreamResponse<'static>>(&serde_json::from_str(&written(&item)).unwrap());
                    written(&item)
                }
                None => "(not shown)".to_owned(),
            })
            .collect();
        assert_snapshot!(format!("stream_items_{name}"), lines(&shown));
    }
}

/// Presentation for agents whose tools are run by the caller.
fn in_status() -> Presentation {
    let request = v1::PresentationRequest::default();
    Presentation::resolve(A2aSettings::default(), ToolExecution::Caller, request)
}

#[test]
fn lists_and_errors_are_written() {
    let empty = v1::ListTasksResponse { page_size: 50, ..Default::default() };
    let mut violations = baton_types::Violations::default();
    violations.add("message.parts[0]", "exactly one of text, raw, url, data");
    let error = v1::Error::invalid_params(violations);
    let object = v1::ErrorObject::from(&error);
    assert_eq!(object.baton_code().as_deref(), Some("BTN-1001"));
    assert_eq!(object.hint().as_deref(), Some(error.code.hint));
    assert_eq!(object.reason().as_deref(), Some("INVALID_PARAMS"));
    assert_eq!(object.violations(), error.violations);
    assert_snapshot!(lines(&[written(&empty), written(&object), written(&v1::RestError::from(&error))]));
}

#[test]
fn both_spellings_nulls_numbers_and_unknown_members_are_parsed() {
    let camel = r#"{"message":{"messageId":"message-1","role":"ROLE_USER","contextId":null,"taskId":"",
        "parts":[{"text":"What's the weather in Oakland?","mediaType":"text/plain","data":null,"raw":null},
          {"data": {"n":42, "f":42.0, "big":123456789012345678901234567890, "list":[1,2.50,null]}},
          {"raw":"-_8","filename":"map.bin","mediaType":"application/octet-stream","metadata":{"scale":1e400}},
          {"url":"https://example.com/map.png","mediaType":""}],
        "metadata":{"session":9007199254740993},"extensions":["https://example.com/extension/v1"],
        "referenceTaskIds":["task-0"],"someday":{"deep":[1]}},
        "configuration":{"historyLength":"3","returnImmediately":null},"tenant":null}"#;
    let snake = camel
        .replace("messageId", "message_id")
        .replace("\"ROLE_USER\"", "1")
        .replace("contextId", "context_id")
        .replace("taskId", "task_id")
        .replace("mediaType", "media_type")
        .replace("referenceTaskIds", "reference_task_ids")
        .replace("historyLength\":\"3\"", "history_length\":3.0");
    for text in [camel, &snake] {
        let request: v1::SendMessageRequest<'static> = serde_json::from_str(text).unwrap();
        assert_eq!(request.check().unwrap(), (question(), HistoryLength::Latest(3)));
    }
    let page = r#"{"context_id":"c","status":3,"page_size":10,"page_token":"t","history_length":0,
        "status_timestamp_after":"2026-11-15T12:00:00+01:00","include_artifacts":true}"#;
    let page: v1::ListTasksRequest<'static> = serde_json::from_str(page).unwrap();
    assert_eq!(page.check().unwrap(), (10, HistoryLength::Latest(0)));
    assert_snapshot!(written(&page));
}

#[test]
fn null_is_valid_data() {
    let part: v1::Part<'static> = serde_json::from_str(r#"{"data":null}"#).unwrap();
    let mut violations = baton_types::Violations::default();
    let checked = part.check("part", &mut violations);
    assert_eq!(checked, Some(baton_types::Part::data(crate::sample::json("null"))));
    assert_eq!(written(&v1::Part::from(&checked.unwrap())), r#"{"data":null}"#);
}

#[test]
fn answer_is_the_same_artifact_in_views_and_streams() {
    let answer = crate::sample::answer();
    assert_eq!(v1::Artifact::from_answer(&answer), v1::Artifact::from(&Artifact::from_answer(&answer)));
}
