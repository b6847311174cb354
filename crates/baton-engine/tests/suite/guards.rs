//! Guardrails: blocked and rewritten content, and guardrails that fail.

use crate::{
    quality::{LoopFixture, Turn, events, me, status_text},
    world::message,
};
use baton_engine::{FeedItem, SendCommand};
use baton_ports::{ChatMessage, Journal, ToolOutput};
use baton_types::{
    AgentSpec, GuardRunner, GuardStage, GuardVerdict, Guardrail, Json, TaskEvent, TaskState, ToolExecution,
};
use serde_json::{Value, json};
use std::time::Duration;

fn guard(name: &str, on: GuardStage, fails_open: bool) -> Guardrail {
    let runner = GuardRunner::Command { argv: vec!["guard".to_owned()], directory: "/".to_owned() };
    Guardrail { name: name.to_owned(), on: vec![on], runner, timeout: Duration::from_secs(1), fails_open }
}

/// A fixture with guardrails of constant verdict; a string makes a guardrail fail.
fn fixture(turns: Vec<Turn>, guards: &[(&str, GuardStage, Value)]) -> LoopFixture {
    let guardrails = guards.iter().map(|(name, on, _)| guard(name, *on, name.starts_with("open"))).collect();
    let fixture = LoopFixture::new(turns, |spec: &mut AgentSpec| spec.guardrails = guardrails);
    for (name, _, answer) in guards {
        let given = match answer {
            Value::String(why) => ToolOutput { output: Json::string(why), is_error: true },
            // The output of a program is text.
            answer => ToolOutput { output: Json::string(&answer.to_string()), is_error: false },
        };
        fixture.fixed_outputs.lock().unwrap().insert((*name).to_owned(), given);
    }
    fixture
}

fn verdicts(events: &[TaskEvent]) -> Vec<(String, GuardVerdict)> {
    let guarded = events.iter().filter_map(|event| match event {
        TaskEvent::GuardrailChecked { guardrail, verdict, .. } => Some((guardrail.clone(), verdict.clone())),
        _ => None,
    });
    guarded.collect()
}

fn block(reason: &str) -> Value {
    json!({"action": "block", "reason": reason})
}

fn modify(content: impl Into<Value>) -> Value {
    let content: Value = content.into();
    json!({"action": "modify", "content": content, "reason": "masked"})
}

fn allow() -> Value {
    json!({"action": "allow"})
}

use GuardStage::{Input, Output, ToolCall, ToolResult};
use GuardVerdict::{Allowed, Blocked, Rewritten, Unreachable};

#[tokio::test(start_paused = true)]
async fn input_is_blocked_or_rewritten_before_the_model_gets_it() {
    let guards = [("first", Input, allow()), ("second", Input, block("no secrets here")), ("third", Input, allow())];
    let stopped = fixture(vec![Turn::Says("Fine.")], &guards);
    let (task, events) = stopped.run().await;
    assert_eq!((task.state, stopped.calls.lock().unwrap().len()), (TaskState::Rejected, 0));
    assert_eq!(status_text(&task), "BTN-3018: guardrail 'second': no secrets here");
    assert_eq!(verdicts(&events), [("first".to_owned(), Allowed), ("second".to_owned(), Blocked)]);

    let guards = [("mask", Input, modify(json!("go, ****"))), ("next", Input, allow())];
    let rewritten = fixture(vec![Turn::Says("Fine.")], &guards);
    let (task, events) = rewritten.run().await;
    assert_eq!(task.state, TaskState::Completed);
    let calls = rewritten.calls.lock().unwrap();
    assert!(matches!(&calls[0].messages[..], [ChatMessage::User { text, .. }] if text == "go, ****"));
    assert!(
        rewritten.ran.lock().unwrap()[2].contains("\"text\":\"go, ****\""),
        "the next guardrail gets the rewritten text"
    );
    assert!(
        matches!(&events[0], TaskEvent::Submitted { message, .. } if message.text() == "go"),
        "the original text is recorded"
    );
}

#[tokio::test(start_paused = true)]
async fn answers_are_hidden_until_they_are_allowed() {
    let turns = || vec![Turn::Says("The key is hunter2 of course")];
    for (answer, state, shown) in [
        (modify(json!("The key is hidden")), TaskState::Completed, "The key is hidden"),
        (block("keys stay here"), TaskState::Failed, "BTN-3018: guardrail 'keys': keys stay here"),
    ] {
        let fixture = fixture(turns(), &[("keys", Output, answer)]);
        let engine = fixture.engine();
        let command = SendCommand::new("boss".into(), message("m", "go"));
        let mut feed = engine.send_and_follow(&me(), command).await.unwrap();
        let mut seen = String::new();
        let mut last = None;
        while let Some(item) = feed.next().await {
            match item {
                FeedItem::Delta { text, .. } | FeedItem::OpenText { text, .. } => seen.push_str(&text),
                FeedItem::Event(event) => last = Some(event),
                FeedItem::Task(_) => {}
            }
        }
        let last = last.unwrap();
        assert!(!seen.contains("hunter2"), "{seen}");
        let baton_types::StreamId::Task(id) = &last.stream else { panic!("{last:?}") };
        let reference = baton_engine::TaskRef { task: id.clone(), agent: None };
        let task = engine.task(&me(), &reference).await.unwrap();
        assert_eq!((task.state, status_text(&task).as_str()), (state, shown));
        let events = events(&engine, &task).await;
        assert!(!format!("{events:?}").contains("hunter2"));
        let original = events.iter().find_map(|event| match event {
            TaskEvent::GuardrailChecked { original, .. } => original.clone(),
            _ => None,
        });
        let kept = fixture.world.journal.blob(&original.unwrap()).await.unwrap().unwrap();
        assert_eq!(&*kept, b"\"The key is hunter2 of course\"", "the original answer is recorded");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_and_results_are_blocked_or_rewritten_and_the_task_continues() {
    let turns = || vec![Turn::Calls(vec![("look", json!({"at": "/etc"}))]), Turn::Says("Done.")];
    // Guardrail, arguments of the executed call, and tool result for the model.
    let table = [
        (("paths", ToolCall, modify(json!({"at": "/tmp"}))), Some("{\"at\":\"/tmp\"}"), "look done"),
        (("paths", ToolCall, block("not there")), None, "BTN-3018: guardrail 'paths': not there"),
        (("clean", ToolResult, modify(json!({"lines": 0}))), Some("{\"at\":\"/etc\"}"), "{\"lines\":0}"),
        (("clean", ToolResult, block("private")), Some("{\"at\":\"/etc\"}"), "BTN-3018: guardrail 'clean': private"),
    ];
    for (guard, arguments, expected) in table {
        let fixture = fixture(turns(), &[guard]);
        let (task, _) = fixture.run().await;
        assert_eq!(task.state, TaskState::Completed);
        let ran = fixture.ran.lock().unwrap().clone();
        let looked = ran.iter().find_map(|line| line.strip_prefix("look ").filter(|rest| rest.starts_with('{')));
        assert_eq!(looked, arguments, "{ran:?}");
        assert_eq!(fixture.results(), [expected]);
    }
}

#[tokio::test(start_paused = true)]
async fn callers_that_run_tools_get_the_rewritten_calls() {
    let turns = vec![Turn::Calls(vec![("look", json!({"at": "/etc"}))])];
    let fixture = fixture(turns, &[("paths", ToolCall, modify(json!({"at": "/tmp"})))]);
    let command = SendCommand {
        tool_execution: Some(ToolExecution::Caller),
        ..SendCommand::new("boss".into(), message("m", "go"))
    };
    let task = fixture.engine().send_and_settle(&me(), command).await.unwrap();
    assert_eq!(task.state, TaskState::InputRequired);
    let asked = baton_rules::parse_tool_calls(task.status_message.as_ref().unwrap());
    assert_eq!(asked[0].arguments.as_str(), "{\"at\":\"/tmp\"}");
}

#[tokio::test(start_paused = true)]
async fn failing_guardrail_blocks_unless_it_fails_open() {
    let broken = json!("exit code 1");
    let closed = fixture(vec![Turn::Says("Fine.")], &[("closed", Input, broken.clone())]);
    let (task, events) = closed.run().await;
    assert_eq!(task.state, TaskState::Rejected);
    assert_eq!(status_text(&task), "BTN-3019: guardrail 'closed': exit code 1");
    assert_eq!(verdicts(&events), [("closed".to_owned(), Unreachable)]);

    let guards =
        [("open", Input, broken), ("open too", Input, json!({"verdict": "yes"})), ("mask", Input, modify(json!("x")))];
    let open = fixture(vec![Turn::Says("Fine.")], &guards);
    let (task, events) = open.run().await;
    assert_eq!(task.state, TaskState::Completed);
    let names = ["open", "open too", "mask"].map(str::to_owned);
    assert_eq!(verdicts(&events), names.into_iter().zip([Unreachable, Unreachable, Rewritten]).collect::<Vec<_>>());
}
