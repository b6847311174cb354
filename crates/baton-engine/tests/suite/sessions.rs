//! Sessions: forked at every event, imported, deleted, with settings.

use crate::{
    slow_journal::SlowJournal,
    world::{World, message},
};
use baton_engine::{
    Engine, EngineError, ForkSession, ImportSession, ListSessions, SendCommand, SessionChange, SessionError,
    SessionRef, SessionView, TaskRef, UnfinishedPolicy,
};
use baton_ports::{ChatMessage, ConversationSummary, Journal as _, SessionStore as _};
use baton_types::{
    ContextId, ItemKind, ItemName, JournalEvent, Message, Principal, SessionEntry, SessionOverrides, TaskEvent,
    TaskState, TaskView, Thousandths,
};
use std::{collections::BTreeSet, sync::Arc, time::Duration};

const LONG_SCRIPT: &str = "look,put;ask_user;handoff(look/say);emit_artifact;act;say";

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

fn named(context: &str) -> SessionRef {
    SessionRef { context: context.into(), agent: None }
}

fn session(conversation: &ConversationSummary) -> SessionRef {
    SessionRef { context: conversation.context.clone(), agent: Some(conversation.agent.clone()) }
}

async fn say(engine: &Engine, context: &ContextId, id: &str, text: &str) -> Arc<TaskView> {
    let message = Message { context: Some(context.clone()), ..message(id, text) };
    engine.send_and_settle(&me(), SendCommand::new("boss".into(), message)).await.unwrap()
}

async fn answer(engine: &Engine, task: &TaskView, id: &str) -> Arc<TaskView> {
    let message = Message { task: Some(task.id.clone()), ..message(id, "this one") };
    engine.send_and_settle(&me(), SendCommand::new("boss".into(), message)).await.unwrap()
}

/// A conversation with tools, a question, a handoff, an artifact, a message during a run, and three tasks, one of which
/// fails.
async fn build_conversation(engine: &Engine, context: &str) -> Vec<Arc<TaskView>> {
    let context = context.into();
    let asked = say(engine, &context, "m1", LONG_SCRIPT).await;
    assert_eq!(asked.state, TaskState::InputRequired);
    let first = answer(engine, &asked, "m2").await;
    assert_eq!(first.state, TaskState::Completed);
    let second = say(engine, &context, "m3", "and then?").await;
    assert_eq!(second.state, TaskState::Completed);
    let hanging = Message { context: Some(context.clone()), ..message("m4", "once more") };
    let hanging = engine.send(&me(), SendCommand::new("boss".into(), hanging)).await.unwrap().task;
    let reference = TaskRef { task: hanging.id.clone(), agent: None };
    let third = engine.cancel(&me(), &reference).await.unwrap();
    vec![first, second, third]
}

async fn view(engine: &Engine, context: &str) -> SessionView {
    engine.session(&me(), &named(context)).await.unwrap()
}

/// Whether every call is followed by its results, as models require.
fn is_paired(messages: &[ChatMessage]) -> bool {
    let mut open = BTreeSet::new();
    for message in messages {
        match message {
            ChatMessage::Assistant { calls, .. } => {
                if !open.is_empty() {
                    return false;
                }
                open = calls.iter().map(|call| call.id.clone()).collect();
            }
            ChatMessage::Tool { call, .. } => {
                if !open.remove(call) {
                    return false;
                }
            }
            ChatMessage::User { .. } => {
                if !open.is_empty() {
                    return false;
                }
            }
        }
    }
    open.is_empty()
}

/// Comparable form of entries: without ids and tasks.
fn without_ids(entries: impl IntoIterator<Item = SessionEntry>) -> Vec<SessionEntry> {
    let strip = |mut entry: SessionEntry| {
        (entry.message.context, entry.message.task) = (None, None);
        entry
    };
    entries.into_iter().map(strip).collect()
}

#[tokio::test(start_paused = true)]
async fn a_conversation_can_be_forked_at_every_event_and_both_branches_go_on() {
    let world = World::default();
    let engine = world.engine();
    let tasks = build_conversation(&engine, "c").await;
    let whole = view(&engine, "c").await;
    let mut forks = 0;
    for task in &tasks {
        for event in 1..=task.version {
            let at = Some((task.id.clone(), event));
            let fork = ForkSession { session: named("c"), at: at.clone(), context: None };
            let forked = engine.fork_session(&me(), fork).await.unwrap();
            let copy = engine.session(&me(), &session(&forked)).await.unwrap();
            let record = copy.record.as_ref().unwrap();
            assert!(copy.lines.iter().all(|line| line.place.is_none()));
            assert_eq!(copy.lines.len(), record.history.len());
            // The branch consists of entries of the original, in the same order.
            let original = without_ids(whole.lines.iter().map(|line| line.entry.clone()));
            let taken = without_ids(record.history.clone());
            let mut rest = original.iter();
            assert!(
                taken.iter().all(|entry| rest.any(|other| other.message.id == entry.message.id)),
                "{}:{event} {taken:#?}",
                task.id
            );

            // The branch continues, and its model gets complete turns only.
            let before = world.model_inputs.lock().unwrap().len();
            let went_on = say(&engine, &forked.context, &format!("f{forks}"), "go on").await;
            assert!(
                matches!(went_on.state, TaskState::Completed | TaskState::InputRequired),
                "{}:{event} {:?}",
                task.id,
                went_on.state
            );
            let model_input = world.model_inputs.lock().unwrap()[before..].to_vec();
            assert!(model_input.iter().all(|messages| is_paired(messages)), "{}:{event} {model_input:#?}", task.id);
            let first = &model_input[0];
            assert!(matches!(first.last(), Some(ChatMessage::User { text, .. }) if text == "go on"));
            let known = taken.iter().filter(|entry| !entry.notice && !entry.message.text().is_empty()).count();
            assert!(first.len() > known, "the branch has the history: {first:#?}");
            forks += 1;
        }
    }
    assert!(forks > 30, "the conversation has many events: {forks}");
    // The original is unchanged and continues too.
    assert_eq!(view(&engine, "c").await.lines, whole.lines);
    assert_eq!(say(&engine, &"c".into(), "last", "go on").await.state, TaskState::Completed);

    let everything = ForkSession { session: named("c"), at: None, context: Some("copy".into()) };
    let copy = engine.fork_session(&me(), everything.clone()).await.unwrap();
    let (original, copy) = (view(&engine, "c").await, view(&engine, copy.context.as_str()).await);
    let entries = |view: SessionView| without_ids(view.lines.into_iter().map(|line| line.entry));
    assert_eq!(entries(copy), entries(original));
    assert_eq!(engine.fork_session(&me(), everything).await.unwrap_err(), SessionError::Exists("copy".into()));
    for (task, event) in [(tasks[0].id.clone(), 0), (tasks[0].id.clone(), 999), ("nowhere".into(), 1)] {
        let fork = ForkSession { session: named("c"), at: Some((task, event)), context: None };
        let refused = engine.fork_session(&me(), fork).await.unwrap_err();
        assert!(matches!(refused, SessionError::NoSuchEvent { .. }), "{refused}");
    }
}

#[tokio::test(start_paused = true)]
async fn deleted_and_imported_session_differs_only_in_ids() {
    let world = World::default();
    let engine = world.engine();
    build_conversation(&engine, "c").await;
    let settings = SessionOverrides { temperature: Some(Thousandths(200)), ..SessionOverrides::default() };
    let style = ItemName { kind: ItemKind::Rule, name: "style".to_owned() };
    let changes = vec![
        SessionChange::Rename(Some("Trip".to_owned())),
        SessionChange::Settings(settings),
        SessionChange::Include(style.clone()),
        SessionChange::Exclude(ItemName { kind: ItemKind::Tool, name: "put".to_owned() }),
    ];
    engine.change_session(&me(), &named("c"), changes).await.unwrap();
    let original = view(&engine, "c").await;
    let record = original.record.clone().unwrap();
    let history: Vec<SessionEntry> = original.lines.into_iter().map(|line| line.entry).collect();

    let deleted = engine.delete_session(&me(), &named("c"), UnfinishedPolicy::Refuse).await.unwrap();
    assert_eq!((deleted.conversation.tasks, deleted.canceled), (3, 0));
    assert_eq!(engine.session(&me(), &named("c")).await.unwrap_err(), SessionError::NotFound("c".into()));
    let left = world.journal.tail(0, 10_000).await.unwrap();
    assert!(left.iter().all(|event| event.stream.kind() != "session"), "no event of the session is left: {left:?}");

    let import = ImportSession {
        agent: "boss".into(),
        context: None,
        original_context: Some("c".to_owned()),
        title: record.title.clone(),
        settings: record.settings.clone(),
        included: record.included.clone(),
        excluded: record.excluded.clone(),
        history: history.clone(),
    };
    let imported = engine.import_session(&me(), import.clone()).await.unwrap();
    assert_eq!(imported.cut, 0);
    let again = engine.session(&me(), &session(&imported.conversation)).await.unwrap();
    let anew = again.record.unwrap();
    assert_eq!(without_ids(again.lines.into_iter().map(|line| line.entry)), without_ids(history));
    assert_eq!(
        (anew.title, anew.settings, anew.included, anew.excluded),
        (record.title, record.settings, record.included, record.excluded)
    );
    let went_on = say(&engine, &imported.conversation.context, "m9", "go on").await;
    assert_eq!(went_on.state, TaskState::Completed);
    assert!(is_paired(world.model_inputs.lock().unwrap().last().unwrap()));
    let nobody = ImportSession { agent: "nobody".into(), ..import };
    let refused = engine.import_session(&me(), nobody).await.unwrap_err();
    assert_eq!(refused, SessionError::Engine(EngineError::AgentNotFound("nobody".into())));
}

#[tokio::test(start_paused = true)]
async fn settings_apply_from_the_next_run_and_are_hidden_from_the_model() {
    let world = World::default();
    let engine = world.engine();
    say(&engine, &"c".into(), "m1", "say").await;
    let set = async |settings| engine.change_session(&me(), &named("c"), vec![SessionChange::Settings(settings)]).await;
    let one_turn = SessionOverrides { max_turns: Some(1), ..SessionOverrides::default() };
    set(SessionOverrides { model: Some("other:model".to_owned()), ..one_turn }).await.unwrap();
    let cut = say(&engine, &"c".into(), "m3", "look").await;
    assert_eq!(cut.state, TaskState::Completed, "one model call is enough for an answer");
    let pinned = async |task: &TaskView| {
        let task = TaskRef { task: task.id.clone(), agent: None };
        let events = engine.events(&me(), &task, 0, 10).await.unwrap();
        let run = events.iter().find_map(|event| match &event.fact {
            JournalEvent::Task(TaskEvent::RunStarted { agent, .. }) => Some(agent.clone()),
            _ => None,
        });
        let blob = world.journal.blob(&run.unwrap()).await.unwrap().unwrap();
        serde_json::from_slice::<serde_json::Value>(&blob).unwrap()
    };
    let spec = pinned(&cut).await;
    assert_eq!((&spec["limits"]["max_turns"], &spec["writing"]["model"]), (&1.into(), &"other:model".into()));

    // The definition applies again, and other conversations are unaffected.
    set(SessionOverrides::default()).await.unwrap();
    let shown = view(&engine, "c").await;
    let notices: Vec<&SessionEntry> = shown.lines.iter().map(|line| &line.entry).filter(|entry| entry.notice).collect();
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(notices[0].message.text().contains("other:model"));
    // The notice is placed where the model changed.
    let place = shown.lines.iter().position(|line| line.entry.notice).unwrap();
    assert_eq!(shown.lines[place + 1].entry.message.id.as_str(), "m3");
    say(&engine, &"c".into(), "m4", "and now?").await;
    let model_input = world.model_inputs.lock().unwrap().last().unwrap().clone();
    let observed = format!("{model_input:?}");
    assert!(observed.contains("and now?") && !observed.contains("The model is now"), "{observed}");
    let wrong = SessionOverrides { max_turns: Some(0), ..SessionOverrides::default() };
    assert!(matches!(set(wrong).await, Err(SessionError::Setting(refused)) if refused.setting == "max_turns"));
}

#[tokio::test(start_paused = true)]
async fn unfinished_task_prevents_deletion_unless_it_is_canceled() {
    let world = World::default();
    let engine = world.engine();
    let hanging = Message { context: Some("c".into()), ..message("m1", "handoff(hang);say") };
    let task = engine.send(&me(), SendCommand::new("boss".into(), hanging)).await.unwrap().task;
    let refused = engine.delete_session(&me(), &named("c"), UnfinishedPolicy::Refuse).await.unwrap_err();
    assert_eq!(refused, SessionError::Unfinished { context: "c".into(), task: task.id.clone() });
    let reference = TaskRef { task: task.id.clone(), agent: None };
    assert_eq!(engine.task(&me(), &reference).await.unwrap().state, TaskState::Working);
    let deleted = engine.delete_session(&me(), &named("c"), UnfinishedPolicy::Cancel).await.unwrap();
    assert_eq!((deleted.conversation.tasks, deleted.canceled), (1, 1));
    assert_eq!(engine.task(&me(), &reference).await.unwrap_err(), EngineError::TaskNotFound(task.id.clone()));
    // No run loop is left behind, and the context name can be reused.
    engine.shutdown(std::time::Duration::from_secs(5)).await;
    let engine = world.engine();
    engine.recover().await.unwrap();
    say(&engine, &"c".into(), "m3", "say").await;
    assert_eq!(view(&engine, "c").await.conversation.tasks, 1);
    assert!(world.model_inputs.lock().unwrap().last().unwrap().len() == 1, "no earlier message is in the model input");
}

#[tokio::test(start_paused = true)]
async fn session_is_visible_to_its_owner_only() {
    let world = World::default();
    let engine = world.engine();
    let stranger = Arc::new(Principal { subject: "stranger".into(), ..Principal::local() });
    let task = say(&engine, &"c".into(), "m1", "say").await;
    engine.change_session(&me(), &named("c"), vec![SessionChange::Rename(Some("Mine".to_owned()))]).await.unwrap();
    let missing = || SessionError::NotFound("c".into());
    let agent = SessionRef { agent: Some("boss".into()), ..named("c") };
    for wanted in [named("c"), agent] {
        assert_eq!(engine.session(&stranger, &wanted).await.unwrap_err(), missing());
        let rename = vec![SessionChange::Rename(None)];
        assert_eq!(engine.change_session(&stranger, &wanted, rename).await.unwrap_err(), missing());
        let fork = ForkSession { session: wanted.clone(), at: Some((task.id.clone(), 1)), context: None };
        assert_eq!(engine.fork_session(&stranger, fork).await.unwrap_err(), missing());
        assert_eq!(engine.delete_session(&stranger, &wanted, UnfinishedPolicy::Cancel).await.unwrap_err(), missing());
    }
    let all = ListSessions { limit: 10, ..ListSessions::default() };
    assert_eq!(engine.sessions(&stranger, &all).await.unwrap().total, 0);
    // The same name is another conversation for another principal, and positions do not carry over.
    let theirs = Message { context: Some("c".into()), ..message("m2", "say") };
    engine.send_and_settle(&stranger, SendCommand::new("boss".into(), theirs)).await.unwrap();
    let fork = ForkSession { session: named("c"), at: Some((task.id.clone(), 1)), context: None };
    let refused = engine.fork_session(&stranger, fork).await.unwrap_err();
    assert!(matches!(refused, SessionError::NoSuchEvent { .. }), "{refused}");
    assert_eq!(engine.session(&stranger, &named("c")).await.unwrap().record, None);
    let mine = engine.sessions(&me(), &all).await.unwrap();
    assert_eq!((mine.total, mine.sessions[0].title.as_deref()), (1, Some("Mine")));
    assert!(mine.sessions[0].last_message.is_some());
    // A second agent in the context has its own conversation, and a reference must name the agent.
    let other = Message { context: Some("c".into()), ..message("m3", "say") };
    engine.send_and_settle(&me(), SendCommand::new("worker".into(), other)).await.unwrap();
    let refused = engine.session(&me(), &named("c")).await.unwrap_err();
    assert!(matches!(&refused, SessionError::Ambiguous { agents, .. } if agents.len() == 2), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn concurrent_session_changes_are_all_applied() {
    let world = World::default();
    let engine = world.engine();
    say(&engine, &"c".into(), "m1", "say").await;
    let include = |index: usize| {
        let engine = engine.clone();
        tokio::spawn(async move {
            let item = ItemName { kind: ItemKind::Rule, name: format!("rule-{index}") };
            engine.change_session(&me(), &named("c"), vec![SessionChange::Include(item)]).await.unwrap();
        })
    };
    for said in (0..100).map(include).collect::<Vec<_>>() {
        said.await.unwrap();
    }
    let record = view(&engine, "c").await.record.unwrap();
    assert_eq!((record.included.len(), record.version), (100, 101), "all changes are applied, also past the snapshot");
    // Tools address the session by the id of their task.
    let task = view(&engine, "c").await.lines[0].place.clone().unwrap().0;
    let tool = ItemName { kind: ItemKind::Tool, name: "look".to_owned() };
    assert_eq!(engine.exclude(&task, tool.clone()).await, Ok(true));
    assert_eq!(engine.exclude(&task, tool.clone()).await, Ok(false));
    let items = engine.items(&task).await.unwrap();
    assert_eq!((items.included.len(), items.excluded), (100, vec![tool.clone()]));
    assert_eq!(engine.include(&task, tool).await, Ok(true));
    assert_eq!(engine.items(&task).await.unwrap().included.len(), 101);
    assert_eq!(engine.items(&"nowhere".into()).await.unwrap_err().code, baton_types::ErrorCode::TASK_NOT_FOUND);
    // A repeated change is not recorded.
    let item = record.included[0].clone();
    engine.change_session(&me(), &named("c"), vec![SessionChange::Include(item)]).await.unwrap();
    assert_eq!(view(&engine, "c").await.record.unwrap().version, 103);
}

#[tokio::test(start_paused = true)]
async fn session_is_found_by_task_id_before_the_task_is_journaled() {
    let world = World::default();
    let slow = SlowJournal::new(Arc::new(world.journal.clone()), Duration::from_secs(60));
    let engine = world.engine_on(Arc::new(slow));
    let context: ContextId = "c".into();
    let sending = tokio::spawn({
        let (engine, context) = (engine.clone(), context.clone());
        async move { say(&engine, &context, "m1", "say").await }
    });
    while world.model_inputs.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let mut found = 0;
    for id in 0..32 {
        found += usize::from(engine.items(&format!("{id:06}").as_str().into()).await.is_ok());
    }
    assert_eq!(found, 1, "the task is known by its id");
    let task = sending.await.unwrap();
    assert!(engine.items(&task.id).await.is_ok());
}
