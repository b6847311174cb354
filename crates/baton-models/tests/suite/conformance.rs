//! The playbook of the conformance agent: every behavior that test kits request, by message id and by text.

use crate::{
    calls::{after, answered, shown, user},
    strict::agent,
};
use baton_models::{PlaybookModels, check_playbook};
use baton_ports::{ChatMessage, ModelCall, ModelResolver};
use baton_types::AgentSpec;
use futures_util::StreamExt;
use std::{path::Path, time::Duration};
use tokio::time::Instant;

const FILE: &str = r#"emit_artifact {"name":"output","raw":"R2VuZXJhdGVkIGZpbGUgY29udGVudAo=","filename":"output.txt","media_type":"text/plain"}"#;
const URL: &str = r#"emit_artifact {"name":"output","url":"https://example.com/output.txt","filename":"output.txt","media_type":"text/plain"}"#;
const TEXT: &str = r#"emit_artifact {"name":"output","text":"Generated text content"}"#;
const DATA: &str = r#"emit_artifact {"name":"output","data":{"key":"value","count":42}}"#;
const ASK: &str = r#"ask_user {"question":"What else should I know?"}"#;
const REJECT: &str = r#"reject_task {"reason":"Rejected, as asked."}"#;
const REPLY: &str = r#"reply_message {"text":"Direct message response"}"#;
const HELLO: &str = "say Hello from TCK\ndone";
const CHUNKS: &str = "say chunk-1 \nsay chunk-2\ndone";
const FAILURE: &str = "error Refused { status: 500, message: \"failed, as asked\", advice: RetryAdvice { wait: None, quota_exhausted: false } }";
const LATER: &str = "say Done after five seconds.\ndone";

/// Prefix of the id or the text, events of the first turn, and their duration in seconds.
const BEHAVIOURS: [(&str, &str, u64); 24] = [
    ("tck-complete-task", HELLO, 0),
    ("tck-artifact-text", TEXT, 0),
    ("tck-artifact-file", FILE, 0),
    ("tck-artifact-file-url", URL, 0),
    ("tck-artifact-data", DATA, 0),
    ("tck-message-response", REPLY, 0),
    ("tck-input-required", ASK, 0),
    ("tck-reject-task", REJECT, 0),
    ("tck-stream-001", TEXT, 0),
    ("tck-stream-002", HELLO, 0),
    ("tck-stream-003", TEXT, 0),
    ("tck-stream-ordering-001", TEXT, 0),
    ("tck-stream-artifact-text", TEXT, 0),
    ("tck-stream-artifact-file", FILE, 0),
    ("tck-stream-artifact-chunked", CHUNKS, 0),
    ("tck-stream-chunked", CHUNKS, 0),
    ("tck-stream-basic", TEXT, 0),
    ("tck-multi-turn", ASK, 0),
    ("tck-task-failure", FAILURE, 0),
    ("tck-long-running", LATER, 5),
    ("test-resubscribe-message-id", LATER, 5),
    ("tck-history", HELLO, 0),
    ("tck-", HELLO, 0),
    ("anything at all", HELLO, 0),
];

/// The model of the agent, which fails on messages without a rule and counts the use of its rules.
struct ConformanceModel {
    models: PlaybookModels,
    agent: AgentSpec,
}

impl ConformanceModel {
    fn new() -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/conformance/playbook.yaml");
        let rules = std::fs::read_to_string(file).unwrap();
        assert_eq!(check_playbook(&rules), vec![]);
        Self { models: PlaybookModels::strict(), agent: agent(Some(&rules)) }
    }

    async fn respond(&self, call: ModelCall) -> String {
        shown(&self.models.model(&self.agent).unwrap().call(call).collect::<Vec<_>>().await)
    }
}

fn message(id: &str, text: &str) -> ModelCall {
    let mut call = user("");
    call.messages = vec![ChatMessage::User { id: id.into(), text: text.to_owned(), files: Vec::new() }];
    call
}

/// The expected events of a behavior, with abbreviated tool calls.
fn expected(behaviour: &str) -> String {
    if behaviour.ends_with('}') && !behaviour.starts_with("error") {
        return format!("call call-m1-0 {behaviour}\ndone ToolCalls");
    }
    behaviour.to_owned()
}

#[tokio::test(start_paused = true)]
async fn requested_behaviours_work_and_every_rule_is_used() {
    let conformance = ConformanceModel::new();
    check_behaviours_by_id_text_and_answer(&conformance).await;
    check_follow_up_turns(&conformance).await;
    check_tasks_of_v03_kits_stay_open(&conformance).await;
    check_cancelable_task_keeps_working(&conformance).await;
    let report = conformance.models.report();
    assert_eq!(report.unused().collect::<Vec<_>>(), Vec::<&baton_models::RuleReport>::new());
}

async fn check_behaviours_by_id_text_and_answer(conformance: &ConformanceModel) {
    for (name, behaviour, seconds) in BEHAVIOURS {
        let id = format!("{name}-1f2e3d4c-jsonrpc");
        let asked = || message("tck-input-required-1f2e3d4c", "hello");
        let asked_by_text = || message("m-1", "tck-input-required");
        let mut cases = vec![
            ("by id", message(&id, "tck-reject-task")),
            ("by text", message("m-1", name)),
            ("by text with more", message("m-1", &format!(" {name} and more\ntck-cancel"))),
        ];
        // A second message to a task that asked is the answer, whatever its text.
        if name != "tck-multi-turn" {
            cases.push(("as an answer by id", answered(asked(), &id, "go on")));
            cases.push(("as an answer by text", answered(asked_by_text(), "m-2", name)));
        }
        // If the id has no known prefix, the text decides.
        if behaviour == HELLO && !name.starts_with("tck-complete") && !name.starts_with("tck-stream") {
            cases.remove(0);
        }
        for (how, call) in cases {
            let begun = Instant::now();
            let seen = conformance.respond(call).await;
            assert_eq!(seen, expected(behaviour), "{name} {how}");
            assert_eq!(begun.elapsed().as_secs(), seconds, "{name} {how}");
        }
    }
}

async fn check_follow_up_turns(conformance: &ConformanceModel) {
    let says = async |call: ModelCall| conformance.respond(call).await;
    for name in ["tck-artifact-data", "tck-stream-artifact-file"] {
        let emit = |output| after(message(name, ""), &[("emit_artifact", "{}", output)]);
        assert_eq!(says(emit(r#"{"artifact_id":"a"}"#)).await, "say The artifact is complete.\ndone");
        assert!(says(emit(r#""failed""#)).await.starts_with("error"));
    }
    let published =
        after(answered(message("tck-multi-turn", ""), "tck-artifact-text", "x"), &[("emit_artifact", "{}", "1")]);
    assert_eq!(says(published).await, "say The artifact is complete.\ndone");
    for call in [
        answered(message("tck-multi-turn-1", "hello"), "tck-multi-turn-2", "more"),
        answered(message("m-1", "tck-multi-turn"), "m-2", "tck-multi-turn"),
    ] {
        assert_eq!(says(call).await, "say Thank you. That was all I needed.\ndone");
    }
    assert_eq!(says(answered(message("m-1", "tck-multi-turn"), "m-2", "Oakland")).await, HELLO);
    let again =
        answered(answered(message("tck-input-required-1", "a"), "tck-input-required-2", "b"), "tck-complete-task", "c");
    assert_eq!(says(again).await, HELLO);
}

/// Kits of 0.3 request no behavior: their tasks stay open, and the next message continues them.
async fn check_tasks_of_v03_kits_stay_open(conformance: &ConformanceModel) {
    let open = expected(r#"ask_user {"question":"Hello world!"}"#);
    for call in [message("test-task-1", "anything"), message("a-message-id-1", "x"), message("m-1", "Task for cancel")]
    {
        assert_eq!(conformance.respond(call).await, open);
    }
}

async fn check_cancelable_task_keeps_working(conformance: &ConformanceModel) {
    for call in [message("tck-cancel-1f2e3d4c", "hello"), message("m-1", "tck-cancel")] {
        assert!(tokio::time::timeout(Duration::from_secs(3600), conformance.respond(call)).await.is_err());
    }
}
