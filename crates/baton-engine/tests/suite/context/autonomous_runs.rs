//! Autonomous runs: history, visibility, questions and refusals.

use super::fixture::{ContextFixture, ask, change, me, to};
use crate::world::message;
use baton_engine::{EngineError, FeedItem, ImportSession, SendCommand, SessionChange, SessionRef, TaskRef};
use baton_rules::error_codes;
use baton_types::{
    AgentSpec, JournalEvent, Json, Knowledge, Message, Part, Role, SessionOverrides, TaskEvent, TaskState,
    ToolExecution,
};
use serde_json::json;

fn autonomous(fixture: &ContextFixture) {
    let mut spec = fixture.spec.lock().unwrap();
    *spec = spec.take().map(|spec| AgentSpec { autonomous: true, ..spec });
}

fn setting(autonomous: Option<bool>) -> SessionChange {
    SessionChange::Settings(SessionOverrides { autonomous, ..SessionOverrides::default() })
}

fn with_mode(autonomous: bool) -> Message {
    let metadata = Json::from(json!({ "dev.baton/session": { "autonomous": autonomous } }));
    Message { metadata: Some(metadata), ..message("said", "Work.") }
}

#[tokio::test(start_paused = true)]
async fn teamspark_18_interactive_runs_get_the_history_and_autonomous_runs_do_not() {
    let fixture = ContextFixture::new(Knowledge::default());
    let engine = fixture.engine();
    ask(&engine, Some("talk"), "First").await;
    ask(&engine, Some("talk"), "Second").await;
    assert_eq!(fixture.last_messages().len(), 3, "{:?}", fixture.last_messages());
    // The session is autonomous for one message.
    change(&engine, "talk", setting(Some(true))).await;
    ask(&engine, Some("talk"), "Third").await;
    assert_eq!(fixture.last_messages(), ["user: Third"]);
    change(&engine, "talk", setting(None)).await;
    ask(&engine, Some("talk"), "Fourth").await;
    assert_eq!(
        fixture.last_messages().len(),
        7,
        "messages of autonomous runs are part of the conversation: {:?}",
        fixture.last_messages()
    );
    autonomous(&fixture);
    ask(&engine, Some("talk"), "Fifth").await;
    assert_eq!(fixture.last_messages(), ["user: Fifth"]);
}

#[tokio::test(start_paused = true)]
async fn callers_see_only_the_result_of_an_autonomous_run() {
    let fixture = ContextFixture::new(Knowledge::default());
    autonomous(&fixture);
    let engine = fixture.engine();
    *fixture.script.lock().unwrap() = vec!["nothing"];
    let mut feed = engine.send_and_follow(&me(), SendCommand::new("boss".into(), message("m", "Work."))).await.unwrap();
    let mut seen = Vec::new();
    let mut id = None;
    while let Some(item) = feed.next().await {
        match item {
            FeedItem::Task(view) => id = Some(view.id.clone()),
            FeedItem::Event(event) => seen.push(event.fact.kind().to_owned()),
            FeedItem::OpenText { .. } | FeedItem::Delta { .. } => panic!("text was shown before the answer"),
        }
    }
    assert_eq!(seen, ["task.run_started", "task.answered", "task.status_changed"]);
    let task = TaskRef { task: id.unwrap(), agent: None };
    let view = engine.task(&me(), &task).await.unwrap();
    assert_eq!(view.state, TaskState::Completed);
    let roles: Vec<Role> = view.history.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Agent]);
    assert_eq!(view.generation, 4, "the submission and the three events after it");
    let session = SessionRef { context: view.context.clone(), agent: None };
    let lines = engine.session(&me(), &session).await.unwrap().lines;
    assert_eq!(lines.len(), 2);
    let all = engine.events(&me(), &task, 0, 100).await.unwrap();
    let is_call = |fact: &JournalEvent| matches!(fact, JournalEvent::Task(TaskEvent::ToolsCalled { .. }));
    assert!(all.iter().any(|event| is_call(&event.fact)));
    let shown = engine.visible_events(&me(), &task, 0, 100).await.unwrap();
    assert!(shown.len() == 4 && !shown.iter().any(|event| is_call(&event.fact)));
}

#[tokio::test(start_paused = true)]
async fn autonomous_agent_refuses_interactive_sessions_and_caller_tools() {
    let fixture = ContextFixture::new(Knowledge::default());
    let engine = fixture.engine();
    let refused = |error: EngineError| assert_eq!(error.code(), error_codes::MODE_REFUSED, "{error}");
    let send = |said: Message, tools: Option<ToolExecution>| {
        let command = SendCommand { tool_execution: tools, ..SendCommand::new("boss".into(), said) };
        let engine = engine.clone();
        async move { engine.send_and_settle(&me(), command).await }
    };
    // A message to an interactive agent can request an autonomous run, but not together with caller tools.
    send(with_mode(true), None).await.unwrap();
    refused(send(with_mode(true), Some(ToolExecution::Caller)).await.unwrap_err());
    send(with_mode(false), Some(ToolExecution::Caller)).await.unwrap();
    ask(&engine, Some("talk"), "Hello").await;
    autonomous(&fixture);
    refused(send(with_mode(false), None).await.unwrap_err());
    refused(send(message("m", "Work."), Some(ToolExecution::Caller)).await.unwrap_err());
    let session = SessionRef { context: "talk".into(), agent: None };
    let error = engine.change_session(&me(), &session, vec![setting(Some(false))]).await.unwrap_err();
    assert_eq!(error.code(), error_codes::MODE_REFUSED);
    let settings = SessionOverrides { autonomous: Some(false), ..SessionOverrides::default() };
    let import = ImportSession {
        agent: "boss".into(),
        context: None,
        original_context: None,
        title: None,
        settings,
        included: Vec::new(),
        excluded: Vec::new(),
        history: Vec::new(),
    };
    let error = engine.import_session(&me(), import.clone()).await.unwrap_err();
    assert_eq!(error.code(), error_codes::MODE_REFUSED);
    engine.import_session(&me(), ImportSession { settings: SessionOverrides::default(), ..import }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_session_can_change_the_mode_of_a_task_and_a_message_cannot() {
    let fixture = ContextFixture::new(Knowledge::default());
    fixture.spec.lock().unwrap().as_mut().unwrap().control_tools.ask_user = true;
    *fixture.script.lock().unwrap() = vec!["ask_user", "ask_user"];
    let engine = fixture.engine();
    let asked = ask(&engine, Some("talk"), "Begin").await;
    assert_eq!(asked.state, TaskState::InputRequired);
    let answer = || to(&asked, "answer", Part::text("This one."));
    let send = async |said: Message| engine.send_and_settle(&me(), SendCommand::new("boss".into(), said)).await;
    let switched = Message { metadata: with_mode(true).metadata, ..answer() };
    assert_eq!(send(switched).await.unwrap_err().code(), error_codes::MODE_REFUSED);

    change(&engine, "talk", setting(Some(true))).await;
    let done = send(answer()).await.unwrap();
    assert_eq!(done.state, TaskState::Completed, "the second question is refused without asking a user: {done:?}");
    let seen: Vec<(Role, String)> = done.history.iter().map(|message| (message.role, message.text())).collect();
    let expect = [(Role::User, "Begin"), (Role::User, "This one."), (Role::Agent, "answer 3")];
    assert_eq!(seen, expect.map(|(role, text)| (role, text.to_owned())));
}
