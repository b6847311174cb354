//! Push notifications: all visible events arrive in order, despite failures of the receiver.

use crate::{
    check,
    notification_check::wait_until_delivered,
    receivers::Behavior,
    slow_journal::SlowJournal,
    world::{World, message},
};
use baton_engine::{Engine, EngineError, EngineOptions, ListTasks, SendCommand, TaskRef, error_codes};
use baton_journal::fault::{Fault, FaultyJournal};
use baton_ports::{Journal, OutboxEntry};
use baton_types::{JournalEvent, Message, Principal, PushConfig, PushDialect, StreamId, TaskId, TaskState, TaskView};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

const A: &str = "https://a.example/hook";
const B: &str = "https://b.example/hook";

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

fn to(url: &str, id: &str) -> PushConfig {
    PushConfig { id: id.into(), url: url.to_owned(), token: None, authentication: None, dialect: PushDialect::V1 }
}

fn command_with_push(script: &str, config: PushConfig) -> SendCommand {
    SendCommand { push: Some(config), ..SendCommand::new("boss".into(), message("m", script)) }
}

fn reference(task: &TaskId) -> TaskRef {
    TaskRef { task: task.clone(), agent: None }
}

async fn start_engine(world: &World) -> Engine {
    let engine = world.engine();
    engine.recover().await.unwrap();
    engine
}

/// Numbers of the caller-visible events of a task.
async fn visible_numbers(world: &World, task: &TaskId) -> Vec<u64> {
    let events = check::all_events(&world.journal).await;
    let of_task = events.iter().filter(|event| event.stream == StreamId::Task(task.clone()));
    of_task
        .filter(|event| matches!(&event.fact, JournalEvent::Task(fact) if fact.is_visible()))
        .map(|event| event.number)
        .collect()
}

async fn outbox_entries(world: &World, task: &TaskId) -> Vec<OutboxEntry> {
    world.journal.outbox("push", &StreamId::Task(task.clone())).await.unwrap()
}

async fn done(engine: &Engine, task: &TaskId) -> Arc<TaskView> {
    let mut feed = engine.subscribe(&me(), &reference(task), Some(1)).await.unwrap();
    while feed.next().await.is_some() {}
    engine.task(&me(), &reference(task)).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn visible_events_arrive_in_order_with_the_task_at_that_event() {
    let world = World::default();
    let engine = start_engine(&world).await;
    let view = engine.send_and_settle(&me(), command_with_push("look,act;emit_artifact;say", to(A, ""))).await.unwrap();
    assert_eq!(view.state, TaskState::Completed);
    wait_until_delivered(&world).await;
    let arrivals = world.receivers.at(A);
    let numbers: Vec<u64> = arrivals.iter().map(|arrival| arrival.number).collect();
    assert_eq!(numbers, visible_numbers(&world, &view.id).await, "each event arrives once, because no delivery failed");
    assert!(arrivals.iter().all(|arrival| arrival.version == arrival.number));
    let states: Vec<TaskState> = arrivals.iter().map(|arrival| arrival.state).collect();
    assert_eq!((states[0], states[1]), (TaskState::Submitted, TaskState::Working));
    assert_eq!(states.last(), Some(&TaskState::Completed));

    let stored = outbox_entries(&world, &view.id).await;
    assert_eq!((stored.len(), stored[0].progress.open, stored[0].progress.cursor), (1, false, view.version));
    let configs = engine.pushes(&me(), &reference(&view.id)).await.unwrap();
    assert_eq!(stored[0].id, format!("{}/{}", view.id, configs[0].id), "an id is generated");
    assert!(!configs[0].id.as_str().is_empty());
}

#[tokio::test(start_paused = true)]
async fn failing_receiver_backs_off_without_delaying_others() {
    let world = World::default();
    let engine = start_engine(&world).await;
    world.receivers.rule(A, None, Behavior::Fail);
    let sent = engine.send(&me(), command_with_push("ask_user;look;say", to(A, "a"))).await.unwrap();
    let old = PushConfig { dialect: PushDialect::V03, ..to(B, "b") };
    engine.create_push(&me(), &reference(&sent.task.id), old).await.unwrap();
    world.receivers.wait_for_attempts(A, 8).await;
    let tries = world.receivers.attempts(A);
    assert!(tries.iter().all(|tried| tried.number == tries[0].number), "later events wait for the first");
    for (index, expect) in [500, 1000, 2000, 4000, 8000, 16_000, 30_000].into_iter().enumerate() {
        let pause = (tries[index + 1].at - tries[index].at).as_millis();
        assert!((expect * 8 / 10..=expect * 12 / 10 + 10).contains(&pause), "pause {index} is {pause} ms");
    }
    let entry = outbox_entries(&world, &sent.task.id).await.into_iter().find(|entry| entry.id.ends_with("/a")).unwrap();
    assert_eq!(entry.progress.attempts, 8);
    assert!(entry.progress.failing_since.is_some() && entry.progress.cursor == 0);

    // New events do not shorten the pause.
    let reply = Message { task: Some(sent.task.id.clone()), ..message("n", "this one") };
    let view = engine.send_and_settle(&me(), SendCommand::new("boss".into(), reply)).await.unwrap();
    assert_eq!((view.state, world.receivers.attempts(A).len()), (TaskState::Completed, 8));
    let all = visible_numbers(&world, &view.id).await;
    world.receivers.rule(A, None, Behavior::Accept);
    wait_until_delivered(&world).await;
    assert_eq!(world.receivers.numbers(A), all);
    let observed = world.receivers.numbers(B);
    assert!(
        observed.len() < all.len() && observed.iter().all(|number| all.contains(number)),
        "the dialect cannot represent results: {observed:?}"
    );
    assert_eq!(observed.last(), all.last());
}

#[tokio::test(start_paused = true)]
async fn delivery_resumes_at_its_cursor_after_a_restart() {
    let world = World::default();
    let engine = start_engine(&world).await;
    world.receivers.rule(A, None, Behavior::Fail);
    world.receivers.rule(A, Some(1), Behavior::Accept);
    world.receivers.rule(B, Some(2), Behavior::Hang);
    let sent = engine.send(&me(), command_with_push("look;say", to(A, "a"))).await.unwrap();
    engine.create_push(&me(), &reference(&sent.task.id), to(B, "b")).await.unwrap();
    done(&engine, &sent.task.id).await;
    world.receivers.wait_for_attempts(A, 4).await;
    engine.shutdown(Duration::from_secs(5)).await;

    let before = world.receivers.attempts(A).len();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(world.receivers.attempts(A).len(), before, "a stopped engine delivers nothing");
    let idle = world.engine();
    idle.send(&me(), command_with_push("say", to(B, "b"))).await.unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(world.receivers.attempts(A).len(), before, "an engine without recovery delivers nothing");
    idle.shutdown(Duration::from_secs(5)).await;

    world.receivers.rule(A, None, Behavior::Accept);
    world.receivers.rule(B, None, Behavior::Accept);
    let engine = start_engine(&world).await;
    wait_until_delivered(&world).await;
    assert_eq!(world.receivers.numbers(A), visible_numbers(&world, &sent.task.id).await);
    engine.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn deletion_stops_notifications_immediately() {
    let world = World::default();
    let engine = start_engine(&world).await;
    for behavior in [Behavior::Fail, Behavior::Hang] {
        world.receivers.rule(A, None, behavior);
        let before = world.receivers.attempts(A).len();
        let sent = engine.send(&me(), command_with_push("look;say", to(A, "a"))).await.unwrap();
        let task = reference(&sent.task.id);
        world.receivers.wait_for_attempts(A, before + 1).await;
        let tries = world.receivers.attempts(A).len();
        engine.delete_push(&me(), &task, &"a".into()).await.unwrap();
        done(&engine, &sent.task.id).await;
        tokio::time::sleep(Duration::from_secs(600)).await;
        assert_eq!(world.receivers.attempts(A).len(), tries, "{behavior:?}");
        assert_eq!(engine.pushes(&me(), &task).await.unwrap(), []);
        engine.delete_push(&me(), &task, &"a".into()).await.unwrap();
    }
    engine.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn a_notification_is_given_up_at_its_deadline_and_the_next_goes_out() {
    let world = World::default();
    let options = EngineOptions { push_deadline: Duration::from_secs(60), ..EngineOptions::default() };
    let engine = Engine::new(options, world.ports(Arc::new(world.journal.clone())));
    engine.recover().await.unwrap();
    world.receivers.rule(A, Some(2), Behavior::Fail);
    let view = engine.send_and_settle(&me(), command_with_push("look;say", to(A, "a"))).await.unwrap();
    wait_until_delivered(&world).await;
    let mut expected = visible_numbers(&world, &view.id).await;
    expected.retain(|number| *number != 2);
    assert_eq!(world.receivers.numbers(A), expected);
    let failed: Vec<_> = world.receivers.attempts(A).into_iter().filter(|tried| tried.number == 2).collect();
    let lasted = failed.last().unwrap().at - failed[0].at;
    assert!((Duration::from_secs(60)..Duration::from_secs(61)).contains(&lasted), "{lasted:?}");
}

#[tokio::test(start_paused = true)]
async fn overdue_notifications_are_given_up_together() {
    let world = World::default();
    let options = EngineOptions { push_deadline: Duration::from_secs(60), ..EngineOptions::default() };
    let engine = Engine::new(options, world.ports(Arc::new(world.journal.clone())));
    engine.recover().await.unwrap();
    world.receivers.rule(A, None, Behavior::Fail);
    let view = engine.send_and_settle(&me(), command_with_push("look;say", to(A, "a"))).await.unwrap();
    wait_until_delivered(&world).await;
    assert!(world.receivers.numbers(A).is_empty());
    let tries = world.receivers.attempts(A);
    let mut tried: Vec<_> = tries.iter().map(|tried| tried.number).collect();
    tried.dedup();
    assert_eq!(tried, visible_numbers(&world, &view.id).await, "each event is attempted");
    let lasted = tries.last().unwrap().at - tries[0].at;
    assert!((Duration::from_secs(60)..Duration::from_secs(62)).contains(&lasted), "{lasted:?}");
}

#[tokio::test(start_paused = true)]
async fn configuration_is_stored_atomically_with_its_message() {
    let world = World::default();
    let engine = start_engine(&world).await;
    let refused = engine.send(&me(), command_with_push("say", to("https://forbidden.example", "a"))).await.unwrap_err();
    assert_eq!((refused.code(), refused.to_string().as_str()), (error_codes::PUSH_URL_REFUSED, "not there"));
    let list = ListTasks { limit: 10, ..Default::default() };
    assert_eq!(engine.tasks(&me(), &list).await.unwrap().total, 0);

    let asked =
        engine.send_and_settle(&me(), SendCommand::new("boss".into(), message("m", "ask_user;say"))).await.unwrap();
    let reply = |text| Message { task: Some(asked.id.clone()), ..message("n", text) };
    let wrong = Message { context: Some("other".into()), ..reply("x") };
    let wrong = SendCommand { push: Some(to(A, "a")), ..SendCommand::new("boss".into(), wrong) };
    assert!(engine.send(&me(), wrong).await.is_err());
    assert_eq!(engine.pushes(&me(), &reference(&asked.id)).await.unwrap(), [], "the message was refused");
    let right = SendCommand { push: Some(to(A, "a")), ..SendCommand::new("boss".into(), reply("this")) };
    let view = engine.send_and_settle(&me(), right).await.unwrap();
    wait_until_delivered(&world).await;
    let mut expected = visible_numbers(&world, &view.id).await;
    expected.retain(|number| *number > asked.version);
    assert_eq!(world.receivers.numbers(A), expected, "events before the message are not delivered");
    engine.shutdown(Duration::from_secs(5)).await;

    for (fault, tasks) in [(Fault::Fail, 0), (Fault::WriteThenFail, 1)] {
        let world = World::default();
        let plan = move |index| if index == 0 { fault } else { Fault::Pass };
        let engine = world.engine_on(Arc::new(FaultyJournal::new(Arc::new(world.journal.clone()), plan)));
        engine.recover().await.unwrap();
        assert!(engine.send(&me(), command_with_push("say", to(A, "a"))).await.is_err());
        let found = engine.tasks(&me(), &list).await.unwrap().tasks;
        assert_eq!(found.len(), tasks, "{fault:?}");
        for task in found {
            done(&engine, &task.id).await;
            wait_until_delivered(&world).await;
            assert_eq!(
                world.receivers.numbers(A),
                visible_numbers(&world, &task.id).await,
                "all journaled events are delivered"
            );
        }
        assert_eq!(world.receivers.at(A).is_empty(), tasks == 0);
        engine.shutdown(Duration::from_secs(5)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn configurations_are_scoped_to_owner_and_agent_and_limited() {
    let world = World::default();
    let engine = start_engine(&world).await;
    let ended = engine.send_and_settle(&me(), SendCommand::new("boss".into(), message("m", "say"))).await.unwrap();
    let task = reference(&ended.id);
    let first = engine.create_push(&me(), &task, to(A, "")).await.unwrap();
    assert_eq!(engine.push(&me(), &task, &first.id).await.unwrap(), first);
    assert!(
        outbox_entries(&world, &ended.id).await.iter().all(|entry| !entry.progress.open),
        "an ended task has no open entry"
    );
    for index in 1..16 {
        engine.create_push(&me(), &task, to(A, &format!("c{index:02}"))).await.unwrap();
    }
    let full = engine.create_push(&me(), &task, to(A, "more")).await.unwrap_err();
    assert!(matches!(&full, EngineError::Invalid { code: error_codes::PUSH_FULL, field, .. } if field == "taskId"));
    engine.create_push(&me(), &task, to(B, "c07")).await.unwrap();
    assert_eq!(engine.push(&me(), &task, &"c07".into()).await.unwrap().url, B);
    let all = engine.pushes(&me(), &task).await.unwrap();
    assert_eq!(all.len(), 16);
    assert!(all.is_sorted_by_key(|config| config.id.clone()));
    let missing = engine.push(&me(), &task, &"more".into()).await.unwrap_err();
    assert_eq!(missing, EngineError::PushNotFound { task: ended.id.clone(), config: "more".into() });

    let stranger = Arc::new(Principal { subject: "stranger".into(), ..Principal::local() });
    let other_agent = TaskRef { agent: Some("worker".into()), ..task.clone() };
    for (principal, task) in [(&stranger, &task), (&me(), &other_agent)] {
        let unknown = EngineError::TaskNotFound(ended.id.clone());
        assert_eq!(engine.create_push(principal, task, to(A, "x")).await.unwrap_err(), unknown);
        assert_eq!(engine.push(principal, task, &first.id).await.unwrap_err(), unknown);
        assert_eq!(engine.pushes(principal, task).await.unwrap_err(), unknown);
        assert_eq!(engine.delete_push(principal, task, &first.id).await.unwrap_err(), unknown);
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(world.receivers.attempts(A).is_empty());
}

#[tokio::test(start_paused = true)]
async fn pending_notifications_go_to_the_new_address() {
    let world = World::default();
    let engine = start_engine(&world).await;
    world.receivers.rule(A, None, Behavior::Hang);
    let sent = engine.send(&me(), command_with_push("look;say", to(A, "a"))).await.unwrap();
    done(&engine, &sent.task.id).await;
    world.receivers.wait_for_attempts(A, 1).await;
    engine.create_push(&me(), &reference(&sent.task.id), to(B, "a")).await.unwrap();
    wait_until_delivered(&world).await;
    assert_eq!(world.receivers.numbers(B), visible_numbers(&world, &sent.task.id).await);
    assert_eq!(world.receivers.attempts(A).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn unavailable_outbox_delays_notifications_without_repetition() {
    let world = World::default();
    let journal = SlowJournal::new(Arc::new(world.journal.clone()), Duration::from_millis(3));
    let down = Arc::clone(&journal.outbox_down);
    let engine = world.engine_on(Arc::new(journal));
    down.store(true, Ordering::Relaxed);
    engine.recover().await.unwrap();
    let sent = engine.send(&me(), command_with_push("look;say", to(A, "a"))).await.unwrap();
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert!(world.receivers.attempts(A).is_empty(), "the pending entries cannot be read");
    down.store(false, Ordering::Relaxed);
    world.receivers.wait_for_attempts(A, 1).await;
    down.store(true, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(world.receivers.at(A).len(), 1, "the dispatcher waits for the outbox");
    down.store(false, Ordering::Relaxed);
    wait_until_delivered(&world).await;
    let numbers: Vec<u64> = world.receivers.at(A).iter().map(|arrival| arrival.number).collect();
    assert_eq!(numbers, visible_numbers(&world, &sent.task.id).await);
    engine.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn long_histories_and_many_receivers_are_served_from_snapshots() {
    let world = World::default();
    let engine = start_engine(&world).await;
    let urls: Vec<String> = (0..100).map(|index| format!("https://r{index}.example")).collect();
    world.receivers.rule(A, None, Behavior::Fail);
    let script = "look;".repeat(18) + "ask_user";
    let first = engine.send_and_settle(&me(), command_with_push(&script, to(A, "down"))).await.unwrap();
    assert!(first.version > 64, "{} events have no snapshot", first.version);
    let late = engine.create_push(&me(), &reference(&first.id), to(B, "late")).await.unwrap();
    for url in &urls {
        engine.send(&me(), command_with_push("look;say", to(url, "r"))).await.unwrap();
    }
    let reply = Message { task: Some(first.id.clone()), ..message("n", "this one") };
    let view = engine.send_and_settle(&me(), SendCommand::new("boss".into(), reply)).await.unwrap();
    assert_eq!(view.state, TaskState::Completed);
    world.receivers.rule(A, None, Behavior::Accept);
    wait_until_delivered(&world).await;
    let all = visible_numbers(&world, &view.id).await;
    assert_eq!(world.receivers.numbers(A), all);
    let since: Vec<u64> = all.into_iter().filter(|number| *number > first.version).collect();
    assert_eq!((world.receivers.numbers(B), late.id.as_str()), (since, "late"));
    for url in &urls {
        assert_eq!(world.receivers.at(url).last().unwrap().state, TaskState::Completed, "{url}");
    }
}

#[tokio::test(start_paused = true)]
async fn receivers_that_never_answer_do_not_keep_others_waiting() {
    let world = World::default();
    let engine = start_engine(&world).await;
    let holes: Vec<String> = (0..200).map(|index| format!("https://hole{index}.example")).collect();
    for url in &holes {
        engine.send(&me(), command_with_push("now", to(url, "h"))).await.unwrap();
    }
    for url in &holes {
        world.receivers.wait_for_attempts(url, 2).await;
    }
    for _ in 0..20 {
        let before = world.receivers.at(A).len();
        let begun = tokio::time::Instant::now();
        engine.send(&me(), command_with_push("now", to(A, "a"))).await.unwrap();
        world.receivers.wait_for_attempts(A, before + 1).await;
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        tokio::time::sleep(Duration::from_secs(7)).await;
    }
    engine.shutdown(Duration::from_secs(5)).await;
}
