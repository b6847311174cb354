//! Idempotency keys: a repeated message is not processed again.

use crate::{
    slow_journal::SlowJournal,
    world::{World, message},
};
use baton_engine::{Engine, EngineError, FeedItem, IdempotencyKey, ListTasks, SendCommand};
use baton_journal::fault::{Fault, FaultyJournal};
use baton_types::{Digest, ErrorCode, JournalEvent, Message, Principal, PushConfig, PushDialect, TaskEvent, TaskState};
use std::{sync::Arc, time::Duration};

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

fn keyed(key: &str, message: Message) -> SendCommand {
    let request = Digest::compute(message.text().as_bytes());
    let idempotency = Some(IdempotencyKey { key: key.to_owned(), request });
    SendCommand { idempotency, ..SendCommand::new("boss".into(), message) }
}

fn slow_engine(world: &World) -> Engine {
    let inner = Arc::new(world.journal.clone());
    world.engine_on(Arc::new(SlowJournal::new(inner, Duration::from_millis(5))))
}

async fn total(engine: &Engine) -> u64 {
    engine.tasks(&me(), &ListTasks { limit: 10, ..Default::default() }).await.unwrap().total
}

#[tokio::test(start_paused = true)]
async fn concurrent_identical_sends_create_one_task() {
    let world = World::default();
    let engine = slow_engine(&world);
    let command = || keyed("k", message("m", "look;say"));
    let principal = me();
    let (sent, settled, followed, settled_too) = tokio::join!(
        engine.send(&principal, command()),
        engine.send_and_settle(&principal, command()),
        async {
            let mut feed = engine.send_and_follow(&principal, command()).await.unwrap();
            let mut last = None;
            while let Some(item) = feed.next().await {
                if let FeedItem::Event(event) = item {
                    last = Some(event);
                }
            }
            last.unwrap()
        },
        engine.send_and_settle(&principal, command()),
    );
    let (sent, settled) = (sent.unwrap().task, settled.unwrap());
    assert_eq!(settled.id, sent.id);
    assert_eq!(settled, settled_too.unwrap());
    assert_eq!(settled.state, TaskState::Completed);
    assert_eq!(followed.number, settled.version);
    assert_eq!(total(&engine).await, 1);
}

#[tokio::test(start_paused = true)]
async fn repetition_of_an_abandoned_send_finds_its_task() {
    let world = World::default();
    let engine = slow_engine(&world);
    let hung_up =
        tokio::time::timeout(Duration::from_millis(1), engine.send(&me(), keyed("k", message("m", "say")))).await;
    assert!(hung_up.is_err(), "the sync takes longer than the timeout");
    let again = engine.send_and_settle(&me(), keyed("k", message("m", "say"))).await.unwrap();
    assert_eq!((again.state, total(&engine).await), (TaskState::Completed, 1));
}

#[tokio::test(start_paused = true)]
async fn key_is_scoped_to_one_message_caller_and_agent() {
    let world = World::default();
    let engine = world.engine();
    let unknown = Message { task: Some("nobody".into()), ..message("m", "say") };
    let refused = engine.send(&me(), keyed("k", unknown)).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::TASK_NOT_FOUND);
    let first = engine.send_and_settle(&me(), keyed("k", message("m", "say"))).await.unwrap();
    let other = engine.send(&me(), keyed("k", message("m", "look;say"))).await.unwrap_err();
    assert_eq!(other, EngineError::IdempotencyConflict("k".to_owned()));

    let to_worker = SendCommand { agent: "worker".into(), ..keyed("k", message("m", "say")) };
    assert_ne!(engine.send(&me(), to_worker).await.unwrap().task.id, first.id);
    let stranger = Arc::new(Principal { subject: "stranger".into(), ..Principal::local() });
    assert_ne!(engine.send(&stranger, keyed("k", message("m", "say"))).await.unwrap().task.id, first.id);
    assert_ne!(engine.send(&me(), keyed("l", message("m", "say"))).await.unwrap().task.id, first.id);

    // Keys survive a restart.
    engine.shutdown(Duration::from_secs(5)).await;
    let engine = world.engine();
    assert_eq!(engine.send(&me(), keyed("k", message("m", "say"))).await.unwrap().task, first);
    let mut feed = engine.send_and_follow(&me(), keyed("k", message("m", "say"))).await.unwrap();
    let Some(FeedItem::Task(then)) = feed.next().await else { panic!("no task first") };
    assert_eq!((then.version, then.state), (1, TaskState::Submitted));
    let mut numbers = Vec::new();
    while let Some(FeedItem::Event(event)) = feed.next().await {
        numbers.push(event.number);
    }
    assert_eq!(numbers, (2..=first.version).collect::<Vec<_>>(), "the events of the first send are replayed");
}

#[tokio::test(start_paused = true)]
async fn repeated_answer_is_recorded_once_and_streams_its_own_turn() {
    let world = World::default();
    let engine = slow_engine(&world);
    let asked = engine.send_and_settle(&me(), keyed("q", message("m", "ask_user;ask_user;say"))).await.unwrap();
    let answer = |id: &str, text: &str| Message { task: Some(asked.id.clone()), ..message(id, text) };
    let (one, two) = (keyed("a", answer("n", "first")), keyed("a", answer("n", "first")));
    let principal = me();
    let both = tokio::join!(engine.send(&principal, one), engine.send(&principal, two.clone()));
    assert_eq!(both.0.unwrap().task.id, both.1.unwrap().task.id);
    let asked_again = engine.send_and_settle(&me(), two.clone()).await.unwrap();
    assert_eq!(asked_again.state, TaskState::InputRequired);
    let done = engine.send_and_settle(&me(), keyed("b", answer("o", "second"))).await.unwrap();
    assert_eq!(done.state, TaskState::Completed);
    let said = done.history.iter().filter(|message| message.id.as_str() == "n").count();
    assert_eq!(said, 1);

    let mut feed = engine.send_and_follow(&me(), two.clone()).await.unwrap();
    let mut last = None;
    while let Some(item) = feed.next().await {
        if let FeedItem::Event(event) = item {
            last = Some(event);
        }
    }
    let last = last.unwrap();
    assert_eq!(last.number, asked_again.version, "the end of that turn, not of the task");
    assert!(matches!(&last.fact, JournalEvent::Task(TaskEvent::StatusChanged { state: TaskState::InputRequired, .. })));
    // The repetition is recognized even though the task has ended and changed.
    let late = SendCommand { if_generation: Some(asked.generation), ..two };
    assert_eq!(engine.send(&me(), late).await.unwrap().task, done);
}

#[tokio::test(start_paused = true)]
async fn send_with_a_lost_acknowledgement_is_found_and_a_failed_one_is_not() {
    for (fault, before) in [(Fault::WriteThenFail, 1), (Fault::Fail, 0)] {
        let world = World::default();
        let plan = move |index| if index == 0 { fault } else { Fault::Pass };
        let engine = world.engine_on(Arc::new(FaultyJournal::new(Arc::new(world.journal.clone()), plan)));
        assert!(engine.send(&me(), keyed("k", message("m", "look;say"))).await.is_err());
        assert_eq!(total(&engine).await, before, "{fault:?}");
        let done = engine.send_and_settle(&me(), keyed("k", message("m", "look;say"))).await.unwrap();
        assert_eq!((done.state, total(&engine).await), (TaskState::Completed, 1), "{fault:?}");
        engine.shutdown(Duration::from_secs(5)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn slow_receiver_lookup_does_not_block_other_keys() {
    let world = World::default();
    let engine = world.engine();
    let push = |url: &str| PushConfig {
        id: "c".into(),
        url: url.to_owned(),
        token: None,
        authentication: None,
        dialect: PushDialect::V1,
    };
    let slow = || SendCommand { push: Some(push("https://slow-name.example")), ..keyed("k", message("m", "say")) };
    let begun = tokio::time::Instant::now();
    let principal = me();
    let others = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        for index in 0..2_000 {
            engine.send(&principal, keyed(&format!("k{index}"), message("m", "say"))).await.unwrap();
        }
        begun.elapsed()
    };
    let (one, two, took) = tokio::join!(engine.send(&principal, slow()), engine.send(&principal, slow()), others);
    assert!(took < Duration::from_secs(1), "{took:?}");
    let first = one.unwrap().task.id.clone();
    assert_eq!(two.unwrap().task.id, first);
    // A repetition does not check the receiver.
    let begun = tokio::time::Instant::now();
    assert_eq!(engine.send(&principal, slow()).await.unwrap().task.id, first);
    assert!(begun.elapsed() < Duration::from_secs(1));
}
