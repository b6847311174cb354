//! Retention: tasks that `baton up` deletes, and tasks that it never deletes.

use crate::binary::{Home, get};
use baton_journal::{JournalOptions, SqliteJournal};
use baton_ports::{Commit, Journal as _, StreamHeadUpdate, Write};
use baton_types::{
    Digest, JournalEvent, Message, Part, Principal, Role, StreamId, TaskEvent, TaskState, Timestamp, ToolExecution,
};
use std::sync::Arc;

/// A day in 2020, old by any clock.
const LONG_AGO: i64 = 1_580_000_000_000;

/// A task in this state, updated this many seconds after `LONG_AGO`.
fn task(id: &str, state: TaskState, second: i64) -> Write {
    let at = Timestamp::from_millis(LONG_AGO + second * 1_000);
    let said = Message::new("m".into(), Role::User, vec![Part::text("hi")]).with_task(&"c".into(), &id.into());
    let submitted = TaskEvent::Submitted {
        context: "c".into(),
        agent: "one".into(),
        message: said,
        tool_execution: ToolExecution::Agent,
        parent: None,
        depth: 0,
        autonomous: false,
    };
    let started =
        TaskEvent::RunStarted { run: "r".into(), agent: Digest::compute(b""), deadline: at, autonomous: false };
    let changed = TaskEvent::StatusChanged { state, message: None, reason: None };
    Write {
        stream: StreamId::Task(id.into()),
        expected_version: 0,
        epoch: 1,
        principal: Arc::new(Principal::local()),
        run: None,
        trace: None,
        at,
        facts: [submitted, started, changed].map(JournalEvent::Task).into(),
        head: StreamHeadUpdate {
            agent: "one".into(),
            context: "c".into(),
            state: state.as_str(),
            status_at: at,
            active: false,
            terminal: state.is_terminal(),
        },
        snapshot: None,
    }
}

#[tokio::test]
async fn start_deletes_old_ended_tasks_beyond_the_kept_count() {
    let home = Home::new();
    home.agent("one", "", "rules: [{ say: hello }]\n");
    let journal = SqliteJournal::open(&home.path(".baton"), JournalOptions::default()).expect("a journal");
    let writes = vec![
        task("asks", TaskState::InputRequired, 0),
        task("oldest", TaskState::Rejected, 1),
        task("older", TaskState::Failed, 2),
        task("old", TaskState::Canceled, 3),
    ];
    journal.append(Commit::from_writes(writes)).await.expect("written");
    journal.close();

    let there = |url: &str, id: &str| get(url, &format!("/api/v1/tasks/{id}")).starts_with("HTTP/1.1 200");
    let (server, url) = home.up(&["--port", "0"]);
    assert!(["asks", "oldest", "older", "old"].iter().all(|id| there(&url, id)), "without a rule nothing is deleted");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));

    home.write("baton.yaml", "retention: { keep: 1 }\n");
    let (server, url, line) = home.up_and_line(&[], &["--port", "0", "--log", "info"], "forgotten");
    assert!(line.contains("forgotten=2"), "{line}");
    let left: Vec<&str> = ["asks", "oldest", "older", "old"].into_iter().filter(|id| there(&url, id)).collect();
    assert_eq!(left, ["asks", "old"]);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn recently_ended_task_is_never_deleted() {
    let home = Home::new();
    home.agent("one", "", "rules: [{ say: hello }]\n");
    let asked = home.run(&["run", "one", "hi", "--json"]);
    let task: serde_json::Value = serde_json::from_str(&asked.stdout).expect("JSON");
    home.write("baton.yaml", "retention: { keep: 0 }\n");
    let (_server, url, line) = home.up_and_line(&[], &["--port", "0", "--log", "info"], "forgotten");
    assert!(line.contains("forgotten=0"), "{line}");
    let id = task["id"].as_str().expect("an id");
    assert!(get(&url, &format!("/api/v1/tasks/{id}")).starts_with("HTTP/1.1 200"));
}
