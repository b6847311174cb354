//! Simulated restarts during concurrent changes: push configurations are created, replaced and deleted while the task
//! runs and ends, keyed messages are abandoned and resent through another method, ended tasks are deleted, the process
//! crashes, and commits fail or report a false failure. `BATON_SIM_SEED=n` replays one seed.

use crate::{
    check,
    notification_check::wait_until_delivered,
    slow_journal::SlowJournal,
    world::{World, message},
};
use baton_engine::{Engine, EngineError, IdempotencyKey, SendCommand, TaskRef};
use baton_journal::fault::{Fault, FaultyJournal};
use baton_ports::{Journal, RetentionPolicy};
use baton_types::{
    Digest, JournalEvent, Message, Principal, PushConfig, PushDialect, StreamId, TaskEvent, TaskId, TaskState,
    Timestamp,
};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Instant, sleep, timeout};

const SEEDS: u64 = 400;

const SCRIPTS: [&str; 5] = [
    "ask_user;look;ask_user;say",
    "look,put;ask_user;emit_artifact;say",
    "ask_user;ask_user;reject_task",
    "now,look;ask_user;now",
    "look;look;look;look;say",
];

/// State of the caller that survives restarts of the process.
#[derive(Clone, Default)]
struct Caller(Arc<Mutex<CallerState>>);

#[derive(Clone, Default)]
struct CallerState {
    task: Option<TaskId>,
    turn: u32,
    /// Versions of the first configuration; `placed` is the last acknowledged one.
    versions: u32,
    placed: Option<(u32, usize)>,
    /// Task version when the first configuration was first acknowledged.
    since: Option<u64>,
    /// Notifications of the second configuration when its deletion was acknowledged.
    received_before_delete: Option<usize>,
    abandoned: u32,
}

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

fn to(url: String, id: &str) -> PushConfig {
    PushConfig { id: id.into(), url, token: None, authentication: None, dialect: PushDialect::V1 }
}

fn first(version: u32) -> String {
    format!("https://{}-first-{version}.example", if version.is_multiple_of(3) { "flaky" } else { "steady" })
}

const SECOND: &str = "https://flaky-second.example";

#[test]
fn invariants_hold_during_push_changes_and_crashes() {
    if let Ok(seed) = std::env::var("BATON_SIM_SEED") {
        simulate(seed.parse().unwrap());
        return;
    }
    let abandoned: u32 = (0..SEEDS).map(simulate).sum();
    assert!(abandoned > 200, "only {abandoned} commands were abandoned");
}

fn simulate(seed: u64) -> u32 {
    let mut rng = SmallRng::seed_from_u64(seed);
    let world = World::default();
    let caller = Caller::default();
    let script = SCRIPTS[rng.random_range(0..SCRIPTS.len())];
    let incarnations = rng.random_range(1..=4);
    for life in 0..incarnations {
        let last = life + 1 == incarnations;
        let lifetime = Duration::from_millis(if last { 3_600_000 } else { rng.random_range(1..150) });
        let (fail, lie) = (rng.random_range(0..40_u64), rng.random_range(0..40_u64));
        let plan = move |index| match index {
            index if index == fail => Fault::Fail,
            index if index == lie => Fault::WriteThenFail,
            _ => Fault::Pass,
        };
        let sync = Duration::from_millis(rng.random_range(0..6));
        let read_delay = Duration::from_millis(rng.random_range(0..12));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let life = SmallRng::seed_from_u64(rng.random());
        runtime.block_on(async {
            let journal = Arc::new(FaultyJournal::new(Arc::new(world.journal.clone()), plan));
            let engine = match sync.as_millis() {
                0 => world.engine_on(Arc::clone(&journal) as _),
                _ => {
                    let mut slow = SlowJournal::new(Arc::clone(&journal) as _, sync);
                    slow.read_delay = read_delay;
                    world.engine_on(Arc::new(slow))
                }
            };
            let ran = timeout(lifetime, run_incarnation(seed, &engine, &world, &caller, script, life)).await;
            if last {
                check_end(seed, &engine, &world, &caller).await;
            }
            assert!(ran.is_ok() || !last, "seed {seed}: the last incarnation does not end");
            journal.crash();
        });
    }
    caller.0.lock().unwrap().abandoned
}

async fn run_incarnation(seed: u64, engine: &Engine, world: &World, caller: &Caller, script: &str, mut rng: SmallRng) {
    while engine.recover().await.is_err() {
        sleep(Duration::from_millis(20)).await;
    }
    let task = send_until_acknowledged(engine, caller, "m0", message("m0", script), &mut rng).await;
    caller.0.lock().unwrap().task = Some(task.clone());
    let reference = TaskRef { task: task.clone(), agent: None };
    let (mut one, mut two) = (SmallRng::seed_from_u64(rng.random()), SmallRng::seed_from_u64(rng.random()));
    tokio::join!(
        answer_questions(engine, caller, &reference, &mut rng),
        replace_first_config(engine, world, caller, &reference, &mut one),
        toggle_second_config(engine, world, caller, &reference, &mut two),
        long_poll(seed, engine, &reference),
    );
}

async fn check_end(seed: u64, engine: &Engine, world: &World, caller: &Caller) {
    let state = caller.0.lock().unwrap().clone();
    let task = state.task.clone().unwrap();
    let events = check::all_events(&world.journal).await;
    let forget = RetentionPolicy { ended_before: Some(Timestamp::from_millis(i64::MAX)), ..Default::default() };
    let forgets = async {
        loop {
            world.journal.apply_retention(forget.clone()).await.unwrap();
            sleep(Duration::from_millis(300)).await;
        }
    };
    tokio::select! {
        () = wait_until_delivered(world) => {}
        () = forgets => {}
    }
    engine.shutdown(Duration::from_secs(60)).await;

    let of_task = || events.iter().filter(|event| event.stream == StreamId::Task(task.clone()));
    let tasks =
        events.iter().filter(|event| matches!(&event.fact, JournalEvent::Task(TaskEvent::Submitted { .. }))).count();
    assert_eq!(tasks, 1, "seed {seed}: one message made {tasks} tasks");
    for turn in 0..state.turn {
        let id = format!("a{turn}");
        let received = |fact: &JournalEvent| matches!(fact, JournalEvent::Task(TaskEvent::MessageReceived { message, .. }) if message.id.as_str() == id);
        let times = of_task().filter(|event| received(&event.fact)).count();
        assert_eq!(times, 1, "seed {seed}: answer {turn} was recorded {times} times");
    }
    let shown: Vec<u64> = of_task()
        .filter(|event| matches!(&event.fact, JournalEvent::Task(fact) if fact.is_visible()))
        .map(|event| event.number)
        .collect();
    let mut received: Vec<u64> = world.receivers.all("-first-").iter().map(|arrival| arrival.number).collect();
    received.dedup();
    let since = state.since.unwrap_or(u64::MAX);
    let begun = received.first().copied().unwrap_or(u64::MAX);
    let owed: Vec<u64> = shown.iter().copied().filter(|number| *number > since || *number >= begun).collect();
    assert_eq!(received, owed, "seed {seed}: a replaced receiver missed a notification or got it out of order");
    let second: Vec<u64> = world.receivers.numbers(SECOND);
    assert!(second.is_sorted() && second.iter().all(|number| shown.contains(number)), "seed {seed}: {second:?}");
    assert_no_late_notifications(world, &state);
}

/// A replaced or deleted receiver gets no notification after the acknowledgement.
fn assert_no_late_notifications(world: &World, state: &CallerState) {
    if let Some((version, received)) = state.placed {
        let older = (0..version).map(|old| world.receivers.at(&first(old)).len()).sum::<usize>();
        assert_eq!(older, received, "a replaced receiver still gets notifications");
    }
    if let Some(received) = state.received_before_delete {
        assert_eq!(world.receivers.at(SECOND).len(), received, "a deleted receiver still gets notifications");
    }
}

/// Sends a message until it is acknowledged, each time through another method; some attempts are abandoned.
async fn send_until_acknowledged(
    engine: &Engine,
    caller: &Caller,
    key: &str,
    message: Message,
    rng: &mut SmallRng,
) -> TaskId {
    let idempotency = Some(IdempotencyKey { key: key.to_owned(), request: Digest::compute(key.as_bytes()) });
    let command = SendCommand { idempotency, ..SendCommand::new("boss".into(), message) };
    loop {
        let principal = me();
        let limit = Duration::from_millis(if rng.random_bool(0.3) { rng.random_range(0..8) } else { 100_000 });
        let way = rng.random_range(0..3);
        let sending = async {
            match way {
                0 => engine.send(&principal, command.clone()).await.map(|sent| sent.task.id.clone()),
                1 => engine.send_and_settle(&principal, command.clone()).await.map(|task| task.id.clone()),
                _ => {
                    let mut feed = engine.send_and_follow(&principal, command.clone()).await?;
                    let Some(baton_engine::FeedItem::Task(task)) = feed.next().await else {
                        return Err(EngineError::ShuttingDown);
                    };
                    while feed.next().await.is_some() {}
                    Ok(task.id.clone())
                }
            }
        };
        match timeout(limit, sending).await {
            Ok(Ok(task)) => return task,
            Ok(Err(EngineError::Journal(_))) => sleep(Duration::from_millis(20)).await,
            Ok(Err(error)) => panic!("{error}"),
            Err(_) => caller.0.lock().unwrap().abandoned += 1,
        }
    }
}

async fn answer_questions(engine: &Engine, caller: &Caller, task: &TaskRef, rng: &mut SmallRng) {
    loop {
        match engine.task(&me(), task).await {
            Ok(view) if view.state.is_terminal() => return,
            Ok(view) if view.state == TaskState::InputRequired => {
                let turn = caller.0.lock().unwrap().turn;
                let reply = Message { task: Some(task.task.clone()), ..message(&format!("a{turn}"), "this") };
                send_until_acknowledged(engine, caller, &format!("a{turn}"), reply, rng).await;
                caller.0.lock().unwrap().turn += 1;
            }
            _ => {}
        }
        sleep(Duration::from_millis(rng.random_range(1..10))).await;
    }
}

async fn replace_first_config(engine: &Engine, world: &World, caller: &Caller, task: &TaskRef, rng: &mut SmallRng) {
    for _ in 0..rng.random_range(1..6) {
        sleep(Duration::from_millis(rng.random_range(0..15))).await;
        let version = {
            let mut state = caller.0.lock().unwrap();
            state.versions += 1;
            state.versions
        };
        let limit = Duration::from_millis(if rng.random_bool(0.2) { rng.random_range(0..6) } else { 100_000 });
        let principal = me();
        match timeout(limit, engine.create_push(&principal, task, to(first(version), "first"))).await {
            Ok(Ok(_)) => {
                let received = (0..version).map(|old| world.receivers.at(&first(old)).len()).sum();
                let known = engine.task(&principal, task).await.ok();
                let mut state = caller.0.lock().unwrap();
                state.placed = Some((version, received));
                state.since = state.since.or(known.map(|view| view.version));
            }
            Ok(Err(error)) => assert!(matches!(error, EngineError::Journal(_)), "{error}"),
            Err(_) => caller.0.lock().unwrap().abandoned += 1,
        }
    }
}

async fn toggle_second_config(engine: &Engine, world: &World, caller: &Caller, task: &TaskRef, rng: &mut SmallRng) {
    for _ in 0..rng.random_range(1..6) {
        sleep(Duration::from_millis(rng.random_range(0..15))).await;
        assert_no_late_notifications(world, &caller.0.lock().unwrap());
        caller.0.lock().unwrap().received_before_delete = None;
        let _ = engine.create_push(&me(), task, to(SECOND.to_owned(), "second")).await;
        sleep(Duration::from_millis(rng.random_range(0..15))).await;
        let principal = me();
        if rng.random_bool(0.5) && engine.delete_push(&principal, task, &"second".into()).await.is_ok() {
            caller.0.lock().unwrap().received_before_delete = Some(world.receivers.at(SECOND).len());
        }
    }
}

/// Long-polls for every change; each one must arrive soon, because every question is answered.
async fn long_poll(seed: u64, engine: &Engine, task: &TaskRef) {
    let mut seen = 0;
    loop {
        let begun = Instant::now();
        match engine.wait_for_change(&me(), task, seen, Duration::from_secs(3000)).await {
            Ok(view) => {
                assert!(view.generation > seen || view.state.is_terminal(), "seed {seed}: nothing new at {seen}");
                if view.state.is_terminal() {
                    return;
                }
                seen = view.generation;
            }
            Err(EngineError::Journal(_)) => sleep(Duration::from_millis(20)).await,
            Err(error) => panic!("{error}"),
        }
        assert!(
            begun.elapsed() < Duration::from_secs(100),
            "seed {seed}: the change arrived after {:?}",
            begun.elapsed()
        );
    }
}
