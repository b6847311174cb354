//! Simulation: the real engine on the in-memory journal, killed before and after appends, with commits that fail and
//! commits that succeed but report a failure. `BATON_SIM_SEED=n` replays one seed, `BATON_SIM_SEEDS=n` sets the number
//! of seeds.

use crate::{
    answering::answer,
    check,
    notification_check::{NotificationCounts, check_notifications, receiver, wait_until_delivered},
    peer_network::{FAR, VAGUE},
    slow_journal::SlowJournal,
    world::{World, message},
};
use baton_engine::{Engine, EngineError, FeedItem, IdempotencyKey, SendCommand, Subscription, TaskRef};
use baton_journal::fault::{Fault, FaultyJournal};
use baton_types::{Digest, JournalEvent, Message, MessageId, Principal, TaskEvent, TaskId, TaskState, ToolExecution};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

const SCRIPTS: [&str; 32] = [
    "say",
    "look;say",
    "look,put;say",
    "act;say",
    "look,act,put;look;say",
    "handoff(say);say",
    "handoff(look/say);say",
    "handoff(act/say),look;say",
    "handoff(handoff-never/say),handoff(say);say",
    "emit_artifact;say",
    "ask_user;say",
    "reject_task",
    "handoff(say),reject_task",
    "handoff(look/say),ask_user;say",
    "now,look;now",
    "now,act;now,look;now",
    "handoff(far:say it);say",
    "handoff(far:make it),handoff(look/say);say",
    "handoff(vague:say it),look;say",
    "handoff(far:ask me);say",
    "quiz;say",
    "guess,look;say",
    "gate;say",
    "gate,quiz;gate;say",
    "quiz,ask_user,act;say",
    "far_act,guess;say",
    "handoff(gate/say);say",
    "handoff(gate+look/gate/say),gate;say",
    "handoff(quiz/say),handoff(ask_user/say);say",
    "handoff(act/quiz/act/say),ask_user;say",
    "handoff(gate/say),handoff(gate/say),act;say",
    "handoff(far:lend it),look;say",
];

/// Scripts for direct calls of peers.
const PEER_SCRIPTS: [&str; 5] = ["say it", "make it now", "ask me", "fail", "lend a hand"];

/// Default number of seeds.
const SEEDS: u64 = 10_000;

/// Time limit, so that the simulation can run with every change.
const TIME_LIMIT: Duration = Duration::from_secs(180);

#[derive(Clone)]
struct Plan {
    agent: &'static str,
    script: &'static str,
    tools: ToolExecution,
    /// Cancels after this many milliseconds.
    cancel: Option<u64>,
    /// Sends another message after this many milliseconds.
    aside: Option<u64>,
    /// Registers a receiver with the task, and another one with the aside message.
    push: Option<&'static str>,
    /// Sends with an idempotency key until acknowledged.
    keyed: bool,
}

/// State of the clients that survives restarts of the process.
#[derive(Clone, Default)]
struct Clients {
    acknowledged: Arc<Mutex<Vec<TaskId>>>,
    transcripts: Arc<Mutex<BTreeMap<TaskId, Transcript>>>,
    /// Plans with an acknowledged send.
    sent: Arc<Mutex<BTreeSet<usize>>>,
    sent_again: Arc<AtomicU64>,
}

/// Events of one subscriber, which reconnects with its cursor after every crash.
#[derive(Default)]
struct Transcript {
    cursor: Option<u64>,
    numbers: Vec<u64>,
    ended: bool,
    connections: u32,
}

/// Counts of simulated situations; a simulation without them proves nothing.
#[derive(Default)]
struct Coverage {
    crashes: AtomicU64,
    resumed: AtomicU64,
    handoffs: AtomicU64,
    in_doubt: AtomicU64,
    questions: AtomicU64,
    passed_up: AtomicU64,
    denied: AtomicU64,
    canceled: AtomicU64,
    crash_loops: AtomicU64,
    reconnected: AtomicU64,
    notifications: AtomicU64,
    failed_notifications: AtomicU64,
    repeated_notifications: AtomicU64,
    sent_again: AtomicU64,
    chosen: AtomicU64,
}

impl Coverage {
    fn count(&self, all: &check::FoldedJournal) {
        let add = |counter: &AtomicU64, count: usize| counter.fetch_add(count as u64, Ordering::Relaxed);
        let facts = || all.events.values().flatten().map(|event| &event.fact);
        add(
            &self.resumed,
            facts().filter(|fact| matches!(fact, JournalEvent::Task(TaskEvent::RunResumed { .. }))).count(),
        );
        add(&self.handoffs, all.handoffs.len());
        add(
            &self.chosen,
            facts().filter(|fact| matches!(fact, JournalEvent::Task(TaskEvent::ContextSelected { .. }))).count(),
        );
        add(
            &self.questions,
            facts().filter(|fact| matches!(fact, JournalEvent::Task(TaskEvent::ToolInputRequested { .. }))).count(),
        );
        let passed = |fact: &&JournalEvent| matches!(fact, JournalEvent::Task(TaskEvent::HandoffInputRequested { .. }));
        add(&self.passed_up, facts().filter(passed).count());
        let denied = |fact: &&JournalEvent| matches!(fact, JournalEvent::Task(TaskEvent::ToolFinished { result }) if result.output.as_str().contains("BTN-3012"));
        add(&self.denied, facts().filter(denied).count());
        let said = |words: &str| {
            facts().filter(|fact| matches!(fact, JournalEvent::Task(TaskEvent::StatusChanged { message: Some(message), .. }) if message.text().contains(words))).count()
        };
        add(&self.in_doubt, said("was interrupted"));
        add(&self.crash_loops, said("BTN-3005"));
        add(&self.canceled, all.tasks.values().filter(|task| task.state == TaskState::Canceled).count());
    }

    fn count_notifications(&self, counts: &NotificationCounts) {
        self.notifications.fetch_add(counts.notifications, Ordering::Relaxed);
        self.failed_notifications.fetch_add(counts.failed, Ordering::Relaxed);
        self.repeated_notifications.fetch_add(counts.repeated, Ordering::Relaxed);
    }

    fn report(&self) -> BTreeMap<&'static str, u64> {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        BTreeMap::from([
            ("crashes", read(&self.crashes)),
            ("resumed runs", read(&self.resumed)),
            ("handoffs", read(&self.handoffs)),
            ("calls in doubt", read(&self.in_doubt)),
            ("questions of tools", read(&self.questions)),
            ("questions that passed up", read(&self.passed_up)),
            ("denied calls", read(&self.denied)),
            ("canceled tasks", read(&self.canceled)),
            ("crash loops", read(&self.crash_loops)),
            ("reconnected subscribers", read(&self.reconnected)),
            ("notifications", read(&self.notifications)),
            ("notifications that failed", read(&self.failed_notifications)),
            ("notifications that were repeated", read(&self.repeated_notifications)),
            ("messages sent again", read(&self.sent_again)),
            ("context selections", read(&self.chosen)),
        ])
    }
}

#[test]
fn invariants_hold_over_ten_thousand_crashing_seeds() {
    let coverage = Coverage::default();
    if let Ok(seed) = std::env::var("BATON_SIM_SEED") {
        return simulate(seed.parse().unwrap(), &coverage);
    }
    let seeds: u64 = std::env::var("BATON_SIM_SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(SEEDS);
    let begun = Instant::now();
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        return;
                    }
                    if catch_unwind(AssertUnwindSafe(|| simulate(seed, &coverage))).is_err() {
                        next.store(seeds, Ordering::Relaxed);
                        panic!("seed {seed} violated an invariant; replay it with BATON_SIM_SEED={seed}");
                    }
                }
            });
        }
    });
    let took = begun.elapsed();
    println!("{seeds} seeds in {:.1} s: {:#?}", took.as_secs_f32(), coverage.report());
    for (situation, count) in coverage.report() {
        assert!(seeds < 1_000 || count >= seeds / 1_000, "{seeds} seeds saw only {count} {situation}");
    }
    assert!(
        seeds != SEEDS || took <= TIME_LIMIT,
        "{SEEDS} seeds took {:.1} s; they may take {} s",
        took.as_secs_f32(),
        TIME_LIMIT.as_secs()
    );
}

fn simulate(seed: u64, coverage: &Coverage) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let world = World::default();
    let clients = Clients::default();
    let plans: Vec<Plan> = (0..rng.random_range(1..=2))
        .map(|_| {
            let pick = |rng: &mut SmallRng, scripts: &[&'static str]| scripts[rng.random_range(0..scripts.len())];
            match rng.random_range(0..10) {
                0 => (FAR, pick(&mut rng, &PEER_SCRIPTS)),
                1 => (VAGUE, pick(&mut rng, &PEER_SCRIPTS)),
                _ => ("boss", pick(&mut rng, &SCRIPTS)),
            }
        })
        .collect::<Vec<_>>()
        .into_iter()
        .map(|(agent, script)| Plan {
            agent,
            script,
            tools: if rng.random_bool(0.2) { ToolExecution::Caller } else { ToolExecution::Agent },
            cancel: rng.random_bool(0.15).then(|| rng.random_range(0..12)),
            aside: rng.random_bool(0.2).then(|| rng.random_range(0..12)),
            push: rng.random_bool(0.3).then(|| if rng.random_bool(0.7) { "flaky" } else { "steady" }),
            keyed: rng.random_bool(0.3),
        })
        .collect();
    let lives = rng.random_range(1..=3);
    for life in 0..=lives {
        let last = life == lives;
        let plan = faults(&mut rng, last);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let journal = Arc::new(FaultyJournal::new(Arc::new(world.journal.clone()), plan));
            // In half of the worlds a sync takes longer than a model call or a tool.
            let engine = match seed % 4 {
                0 | 1 => world.engine_on(Arc::clone(&journal) as _),
                slowness => {
                    let sync = Duration::from_millis(if slowness == 2 { 1 } else { 7 });
                    world.engine_on(Arc::new(SlowJournal::new(Arc::clone(&journal) as _, sync)))
                }
            };
            let life = if life == 0 {
                Incarnation::First
            } else if last {
                Incarnation::Last
            } else {
                Incarnation::Later
            };
            let living = run_incarnation(&engine, &world, &clients, &plans, life);
            tokio::select! {
                biased;
                () = journal.until_crashed() => {
                    assert!(!last, "the last incarnation must not crash");
                    coverage.crashes.fetch_add(1, Ordering::Relaxed);
                }
                () = living => {}
            }
        });
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let acknowledged = clients.acknowledged.lock().unwrap().clone();
        let all = check::assert_invariants(&world, &acknowledged).await;
        coverage.count(&all);
        coverage.sent_again.fetch_add(clients.sent_again.load(Ordering::Relaxed), Ordering::Relaxed);
        for (task, transcript) in clients.transcripts.lock().unwrap().iter() {
            let version = all.tasks[task].version;
            let expected: Vec<u64> = (transcript.numbers.first().copied().unwrap_or(version + 1)..=version).collect();
            assert_eq!(transcript.numbers, expected, "{task}: a subscriber missed or repeated an event");
            assert!(transcript.ended, "{task}: a subscriber never got the end");
            coverage.reconnected.fetch_add(u64::from(transcript.connections > 1), Ordering::Relaxed);
        }
        for (index, plan) in plans.iter().enumerate() {
            let id = format!("m{index}");
            let tasks: Vec<_> = all.tasks.values().filter(|task| task.history[0].id.as_str() == id).collect();
            assert!(!plan.keyed || tasks.len() == 1, "{} tasks of one message", tasks.len());
            for task in tasks {
                let counts = check_notifications(&world, &all, task, plan.push, index).await;
                coverage.count_notifications(&counts);
            }
        }
    });
}

/// An incarnation ends with a crash before or after an append; some commits fail or report a false failure.
fn faults(rng: &mut SmallRng, last: bool) -> impl Fn(u64) -> Fault + Send + Sync + 'static {
    let crash_at = rng.random_range(0..24u64);
    let after = rng.random_bool(0.5);
    let fail_at = rng.random_bool(0.3).then(|| rng.random_range(0..24u64));
    let lie_at = rng.random_bool(0.3).then(|| rng.random_range(0..24u64));
    move |index| match index {
        index if !last && index == crash_at => {
            if after {
                Fault::CrashAfter
            } else {
                Fault::CrashBefore
            }
        }
        index if fail_at == Some(index) => Fault::Fail,
        index if lie_at == Some(index) => Fault::WriteThenFail,
        _ => Fault::Pass,
    }
}

/// Incarnation of the process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Incarnation {
    First,
    Later,
    /// Without a crash, so that all tasks end.
    Last,
}

/// One incarnation: recover, send the planned messages, follow all tasks, answer questions, until all is at rest.
async fn run_incarnation(engine: &Engine, world: &World, clients: &Clients, plans: &[Plan], life: Incarnation) {
    while let Err(error) = engine.recover().await {
        assert!(matches!(error, EngineError::Journal(_)), "{error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let acknowledged = clients.sent.lock().unwrap().clone();
    let due =
        |(index, plan): &(usize, &Plan)| !acknowledged.contains(index) && (life == Incarnation::First || plan.keyed);
    let sends = plans.iter().enumerate().filter(due).map(|(index, plan)| send(engine, clients, index, plan));
    futures_util::future::join_all(sends).await;
    let tasks = clients.acknowledged.lock().unwrap().clone();
    let follows = tasks.iter().map(|task| follow(engine, clients, task));
    let answers = tasks.iter().map(|task| answer(engine, task));
    tokio::join!(futures_util::future::join_all(follows), futures_util::future::join_all(answers));
    // Unacknowledged tasks must come to rest too.
    wait_for_rest(engine, life == Incarnation::Last).await;
    if life == Incarnation::Last {
        wait_until_delivered(world).await;
        // Peer tasks are canceled in the background; a journal that fails once delays this.
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    engine.shutdown(Duration::from_secs(60)).await;
}

async fn send(engine: &Engine, clients: &Clients, index: usize, plan: &Plan) {
    let principal = Arc::new(Principal::local());
    let message_id = format!("m{index}");
    let command = SendCommand {
        tool_execution: Some(plan.tools),
        push: plan.push.map(|kind| receiver(kind, "new", index)),
        idempotency: plan.keyed.then(|| IdempotencyKey { key: message_id.clone(), request: Digest::compute(b"") }),
        ..SendCommand::new(plan.agent.into(), message(&message_id, plan.script))
    };
    let sent = loop {
        match engine.send(&principal, command.clone()).await {
            Ok(sent) => break sent,
            Err(EngineError::Journal(_)) if plan.keyed => {
                clients.sent_again.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Err(_) => return,
        }
    };
    let task = sent.task.id.clone();
    clients.sent.lock().unwrap().insert(index);
    clients.acknowledged.lock().unwrap().push(task.clone());
    let aside = async {
        let Some(after) = plan.aside else { return };
        tokio::time::sleep(Duration::from_millis(after)).await;
        let message = Message { task: Some(task.clone()), ..message(&format!("aside{index}"), "by the way") };
        let push = plan.push.map(|kind| receiver(kind, "aside", index));
        let command = SendCommand { push, ..SendCommand::new(plan.agent.into(), message) };
        if let Ok(settled) = engine.send_and_settle(&principal, command).await {
            let said = settled.history.iter().filter(|message| message.id.as_str().starts_with("aside")).count();
            assert_eq!(said, 1, "{task}: the returned task does not contain the acknowledged message");
        }
    };
    let cancel = async {
        let Some(after) = plan.cancel else { return };
        tokio::time::sleep(Duration::from_millis(after)).await;
        let _ = engine.cancel(&principal, &TaskRef { task: task.clone(), agent: None }).await;
    };
    // Following and answering must not wait for these two, or a question would never be answered.
    let rest = async {
        follow(engine, clients, &task).await;
        answer(engine, &task).await;
    };
    tokio::join!(aside, cancel, async { tokio::join!(rest, answer(engine, &task)) });
}

async fn follow(engine: &Engine, clients: &Clients, task: &TaskId) {
    let principal = Arc::new(Principal::local());
    let reference = TaskRef { task: task.clone(), agent: None };
    loop {
        let cursor = {
            let mut transcripts = clients.transcripts.lock().unwrap();
            let transcript = transcripts.entry(task.clone()).or_default();
            if transcript.ended {
                return;
            }
            transcript.connections += 1;
            transcript.cursor
        };
        match engine.subscribe(&principal, &reference, cursor).await {
            Ok(subscription) => read(subscription, clients, task).await,
            Err(EngineError::TaskFinished { .. }) => {
                // Never connected before the end: there is nothing to resume.
                clients.transcripts.lock().unwrap().entry(task.clone()).or_default().ended = true;
            }
            Err(EngineError::Journal(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
            Err(error) => panic!("{error}"),
        }
    }
}

async fn read(mut subscription: Subscription, clients: &Clients, task: &TaskId) {
    let mut open: Option<(MessageId, u32, String)> = None;
    while let Some(item) = subscription.next().await {
        let mut transcripts = clients.transcripts.lock().unwrap();
        let transcript = transcripts.get_mut(task).unwrap();
        match item {
            FeedItem::Task(view) => {
                if let Some(cursor) = transcript.cursor {
                    assert_eq!(view.version, cursor, "{task}: the snapshot does not match the cursor");
                }
                transcript.cursor = Some(view.version);
                transcript.ended = view.state.is_terminal();
            }
            FeedItem::Event(event) => {
                transcript.cursor = Some(event.number);
                transcript.numbers.push(event.number);
                match &event.fact {
                    JournalEvent::Task(TaskEvent::Answered { message, .. }) => {
                        if let Some((id, _, text)) = open.take() {
                            assert_eq!(
                                (id, text),
                                (message.id.clone(), message.text()),
                                "{task}: the live text differs"
                            );
                        }
                    }
                    JournalEvent::Task(TaskEvent::StatusChanged { state, .. }) => {
                        open = None;
                        transcript.ended = state.is_terminal();
                    }
                    JournalEvent::Task(TaskEvent::AttemptStarted { .. } | TaskEvent::ToolsCalled { .. }) => open = None,
                    _ => {}
                }
            }
            FeedItem::OpenText { message, attempt, text } => open = Some((message, attempt, text.to_string())),
            FeedItem::Delta { message, attempt, offset, text } => {
                let (id, number, shown) = open.get_or_insert_with(|| (message.clone(), attempt, String::new()));
                assert_eq!((&*id, *number, shown.len()), (&message, attempt, offset), "{task}: a delta is missing");
                shown.push_str(&text);
            }
        }
    }
}

async fn wait_for_rest(engine: &Engine, last: bool) {
    let principal = Arc::new(Principal::local());
    for _ in 0..10_000 {
        let query = baton_engine::ListTasks { limit: 100, ..Default::default() };
        if let Ok(page) = engine.tasks(&principal, &query).await {
            let open: Vec<_> = page.tasks.iter().filter(|task| !task.state.is_terminal()).collect();
            if open.is_empty() {
                return;
            }
            // A task with a lost acknowledgement may ask a question; its caller is gone.
            for task in open.iter().filter(|task| task.state.is_interrupted()) {
                let _ = engine.cancel(&principal, &TaskRef { task: task.id.clone(), agent: None }).await;
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!last, "a task never comes to rest");
}
