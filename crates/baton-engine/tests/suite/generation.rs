//! Generation conditions and long polls.

use crate::{
    slow_journal::SlowJournal,
    world::{World, message},
};
use baton_engine::{Engine, EngineError, EngineOptions, FeedItem, SendCommand, TaskRef};
use baton_rules::{parse_tool_calls, results_part};
use baton_types::{JournalEvent, Json, Message, Principal, Role, TaskState, TaskView, ToolExecution, ToolResult};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, timeout};

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

fn reply(task: &TaskView, id: &str, generation: Option<u64>) -> SendCommand {
    let message = Message { task: Some(task.id.clone()), ..message(id, "this one") };
    SendCommand { if_generation: generation, ..SendCommand::new("boss".into(), message) }
}

async fn asked(engine: &Engine) -> Arc<TaskView> {
    engine.send_and_settle(&me(), SendCommand::new("boss".into(), message("m", "ask_user;hang"))).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn one_of_the_messages_for_a_generation_is_accepted() {
    let world = World::default();
    let engine = world.engine();
    let asked = asked(&engine).await;
    let sends = (0..8).map(|index| {
        let (engine, command) = (engine.clone(), reply(&asked, &format!("n{index}"), Some(asked.generation)));
        tokio::spawn(async move { engine.send(&me(), command).await })
    });
    let mut said = 0;
    let mut now = 0;
    for send in sends.collect::<Vec<_>>() {
        match send.await.unwrap() {
            Ok(sent) => {
                said += 1;
                now = sent.task.generation;
            }
            Err(EngineError::GenerationMismatch { task, actual }) => {
                assert_eq!(task, asked.id);
                assert!(actual > asked.generation);
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(said, 1);
    let stale = engine.send(&me(), reply(&asked, "late", Some(now - 1))).await.unwrap_err();
    assert_eq!(stale, EngineError::GenerationMismatch { task: asked.id.clone(), actual: now });
    engine.send(&me(), reply(&asked, "late", Some(now))).await.unwrap();
    engine.send(&me(), reply(&asked, "any", None)).await.unwrap();

    let new =
        |generation| SendCommand { if_generation: generation, ..SendCommand::new("boss".into(), message("m", "say")) };
    let refused = engine.send(&me(), new(Some(1))).await.unwrap_err();
    assert!(matches!(refused, EngineError::GenerationMismatch { actual: 0, .. }));
    engine.send(&me(), new(Some(0))).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn generation_counts_the_events_visible_to_callers() {
    let world = World::default();
    let engine = world.engine();
    let done =
        engine.send_and_settle(&me(), SendCommand::new("boss".into(), message("m", "look,act;say"))).await.unwrap();
    let task = TaskRef { task: done.id.clone(), agent: None };
    let events = engine.events(&me(), &task, 0, 1000).await.unwrap();
    let shown =
        events.iter().filter(|event| matches!(&event.fact, JournalEvent::Task(fact) if fact.is_visible())).count();
    assert_eq!(done.generation, shown as u64);
    assert!(done.generation < done.version);
}

#[tokio::test(start_paused = true)]
async fn long_poll_returns_on_a_change_or_at_its_timeout() {
    let world = World::default();
    let engine = world.engine();
    let asked = asked(&engine).await;
    let task = TaskRef { task: asked.id.clone(), agent: None };
    let begun = Instant::now();
    let at_once = engine.wait_for_change(&me(), &task, asked.generation - 1, Duration::from_secs(30)).await.unwrap();
    assert_eq!((at_once, begun.elapsed()), (asked.clone(), Duration::ZERO));
    let same = engine.wait_for_change(&me(), &task, asked.generation, Duration::from_secs(30)).await.unwrap();
    assert_eq!((same, begun.elapsed()), (asked.clone(), Duration::from_secs(30)));

    let waiting = tokio::spawn({
        let (engine, task, generation) = (engine.clone(), task.clone(), asked.generation);
        async move { engine.wait_for_change(&me(), &task, generation, Duration::from_secs(3600)).await }
    });
    tokio::time::sleep(Duration::from_secs(60)).await;
    engine.send(&me(), reply(&asked, "n", None)).await.unwrap();
    let changed = waiting.await.unwrap().unwrap();
    assert!(changed.generation > asked.generation && changed.state == TaskState::Working);
    assert!(begun.elapsed() < Duration::from_secs(100));

    // A message for the next turn is not a visible change.
    let waiting = tokio::spawn({
        let (engine, task) = (engine.clone(), task.clone());
        async move { engine.wait_for_change(&me(), &task, 1_000, Duration::from_secs(3600)).await }
    });
    tokio::time::sleep(Duration::from_secs(60)).await;
    engine.send(&me(), reply(&asked, "o", None)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!waiting.is_finished());
    engine.cancel(&me(), &task).await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap().state, TaskState::Canceled, "the end of the task ends the long poll");
    let stranger = Arc::new(Principal { subject: "stranger".into(), ..Principal::local() });
    let missing = engine.wait_for_change(&stranger, &task, 0, Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(missing, EngineError::TaskNotFound(asked.id.clone()));
}

#[tokio::test(start_paused = true)]
async fn stream_of_a_partial_answer_ends_with_its_turn() {
    let world = World::default();
    let engine = world.engine();
    let command = SendCommand {
        tool_execution: Some(ToolExecution::Caller),
        ..SendCommand::new("boss".into(), message("m", "look,put;say"))
    };
    let asked = engine.send_and_settle(&me(), command).await.unwrap();
    let call = parse_tool_calls(asked.status_message.as_ref().unwrap()).remove(0);
    let result = ToolResult { call: call.id, name: call.name, output: Json::string("x"), is_error: false };
    let half = Message::new("r".into(), Role::User, vec![results_part(&[result])]);
    let half = Message { task: Some(asked.id.clone()), ..half };
    let mut feed = engine.send_and_follow(&me(), SendCommand::new("boss".into(), half)).await.unwrap();
    let Some(FeedItem::Task(still)) = feed.next().await else { panic!("no task first") };
    assert_eq!(still.state, TaskState::InputRequired);
    assert!(feed.next().await.is_none(), "the turn is over");
}

#[tokio::test(start_paused = true)]
async fn refusals_are_based_on_durable_state() {
    let world = World::default();
    let inner = Arc::new(world.journal.clone());
    let engine = world.engine_on(Arc::new(SlowJournal::new(inner, Duration::from_millis(50))));
    let sent = engine.send(&me(), SendCommand::new("boss".into(), message("m", "look;look;say"))).await.unwrap();
    let task = TaskRef { task: sent.task.id.clone(), agent: None };
    loop {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let refused = engine.send(&me(), reply(&sent.task, "n", Some(0))).await.unwrap_err();
        let stored = engine.task(&me(), &task).await.unwrap();
        match refused {
            EngineError::GenerationMismatch { actual, .. } => {
                assert!(
                    stored.generation >= actual,
                    "generation {actual} is reported, {} is durable",
                    stored.generation
                );
            }
            EngineError::TaskFinished { state, .. } => {
                assert_eq!(stored.state, state, "an end is reported that is not durable yet");
                break;
            }
            error => panic!("{error}"),
        }
    }
    // A caller that disconnects before the refusal leaves no state behind.
    let options = EngineOptions { max_live: 1, ..EngineOptions::default() };
    let slow = SlowJournal::new(Arc::new(world.journal.clone()), Duration::from_millis(50));
    let engine = Engine::new(options, world.ports(Arc::new(slow)));
    for millis in [25, 75, 125] {
        let hung_up = timeout(Duration::from_millis(millis), engine.send(&me(), reply(&sent.task, "n", None))).await;
        assert!(!matches!(hung_up, Ok(Ok(_))));
        tokio::time::sleep(Duration::from_millis(200)).await;
        engine.send_and_settle(&me(), SendCommand::new("boss".into(), message("m", "say"))).await.unwrap();
    }
}
