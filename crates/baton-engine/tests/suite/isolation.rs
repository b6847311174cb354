//! Crash isolation: a crash is attributed to the run that causes it.

use crate::world::{World, message};
use baton_engine::{Engine, EngineOptions, ListTasks, Ports, SendCommand, TaskRef};
use baton_journal::{
    MemoryJournal,
    fault::{Fault, FaultyJournal},
};
use baton_ports::{BoxFuture, ToolHost, ToolInvocation, ToolOutcome};
use baton_types::{AgentSpec, Message, Principal, TaskId, TaskState, TaskView, ToolSpec};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use std::{sync::Arc, time::Duration};

/// Seeds per simulation.
const SEEDS: u64 = 40;

/// Incarnations within which the crashing run must be found.
const MAX_INCARNATIONS: usize = 12;

/// A tool host whose tool `put` crashes the process after a delay.
struct CrashingTools {
    tools: Arc<dyn ToolHost>,
    journal: Arc<FaultyJournal<MemoryJournal>>,
    after: Duration,
    /// Duration of `look`.
    work: Duration,
}

impl ToolHost for CrashingTools {
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            if run.tool.name == "put" {
                tokio::time::sleep(self.after).await;
                self.journal.crash();
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(self.work).await;
            self.tools.call(run).await
        })
    }

    fn available_tools<'a>(&'a self, agent: &'a AgentSpec, patience: Duration) -> BoxFuture<'a, Vec<ToolSpec>> {
        self.tools.available_tools(agent, patience)
    }
}

/// Delay until `put` crashes, and duration of the other tools.
type ToolDelays = (Duration, Duration);

const NO_DELAY: ToolDelays = (Duration::ZERO, Duration::ZERO);

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

/// Runs one incarnation of the process until `until` completes or the process crashes; returns whether it crashed.
fn run_incarnation<F: Future<Output = ()>>(
    world: &World,
    (after, work): ToolDelays,
    until: impl FnOnce(Engine) -> F,
) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let journal = Arc::new(FaultyJournal::new(Arc::new(world.journal.clone()), |_| Fault::Pass));
        let ports = world.ports(Arc::clone(&journal) as _);
        let tools =
            Arc::new(CrashingTools { tools: Arc::clone(&ports.tools), journal: Arc::clone(&journal), after, work });
        let engine = Engine::new(EngineOptions::default(), Ports { tools, ..ports });
        tokio::select! {
            biased;
            () = journal.until_crashed() => true,
            () = until(engine) => false,
        }
    })
}

async fn send(engine: &Engine, id: &str, script: &str) -> TaskId {
    engine.send(&me(), SendCommand::new("boss".into(), message(id, script))).await.unwrap().task.id.clone()
}

async fn tasks(engine: &Engine) -> Vec<TaskId> {
    let query = ListTasks { limit: 100, ..ListTasks::default() };
    engine.tasks(&me(), &query).await.unwrap().tasks.iter().map(|task| task.id.clone()).collect()
}

async fn view(engine: &Engine, task: &TaskId) -> Arc<TaskView> {
    engine.task(&me(), &TaskRef { task: task.clone(), agent: None }).await.unwrap()
}

/// Waits until nothing is in progress.
async fn all_ended(engine: &Engine) {
    for task in tasks(engine).await {
        while !view(engine, &task).await.state.is_terminal() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Message id, state and status text of each task.
fn outcomes(world: &World) -> Vec<(String, TaskState, String)> {
    let mut ends = Vec::new();
    run_incarnation(world, NO_DELAY, |engine| {
        let ends = &mut ends;
        async move {
            for task in tasks(&engine).await {
                let view = view(&engine, &task).await;
                let words = view.status_message.as_ref().map(Message::text).unwrap_or_default();
                ends.push((view.history[0].id.to_string(), view.state, words));
            }
        }
    });
    ends
}

/// Restarts until all tasks have ended; returns the number of crashes.
fn count_crashes(world: &World, times: ToolDelays, plans: &[(String, &str)]) -> usize {
    let mut plans = plans;
    for life in 0..MAX_INCARNATIONS {
        let died = run_incarnation(world, times, |engine| async move {
            engine.recover().await.unwrap();
            for (id, script) in plans {
                send(&engine, id, script).await;
            }
            all_ended(&engine).await;
        });
        plans = &[];
        if !died {
            return life;
        }
    }
    panic!("still crashing after {MAX_INCARNATIONS} incarnations: {:?}", outcomes(world));
}

#[test]
fn a_run_that_kills_the_process_three_times_at_the_same_event_fails() {
    for after in [Duration::ZERO, Duration::from_secs(100)] {
        let world = World::default();
        assert_eq!(count_crashes(&world, (after, Duration::ZERO), &[("killer".to_owned(), "put;say")]), 3);
        let [(_, state, words)] = &outcomes(&world)[..] else { panic!() };
        assert_eq!(*state, TaskState::Failed);
        assert!(words.contains("BTN-3005: the process died 3 times while the run was at event"), "{words}");
    }
}

#[test]
fn crashing_run_among_many_is_found_and_only_it_fails() {
    for seed in 0..SEEDS {
        let mut rng = SmallRng::seed_from_u64(seed);
        let after = Duration::from_millis(rng.random_range(0..40_000));
        let work = Duration::from_millis(rng.random_range(0..60_000));
        let count = rng.random_range(1..40_usize);
        let killer = rng.random_range(0..count);
        let plan = |at: usize| match at == killer {
            true => ("killer".to_owned(), "put;say"),
            false => (format!("m{at}"), ["say", "look;say", "look,look;look;say"][at % 3]),
        };
        let plans: Vec<(String, &str)> = (0..count).map(plan).collect();
        let world = World::default();
        let died = count_crashes(&world, (after, work), &plans);
        assert!(died >= 3, "seed {seed}: given up after {died} crashes");
        for (id, state, words) in outcomes(&world) {
            let expect = if id == "killer" { TaskState::Failed } else { TaskState::Completed };
            assert_eq!(state, expect, "seed {seed}: {id}: {words}");
            assert_eq!(id == "killer", words.contains("BTN-3005"), "seed {seed}: {id}: {words}");
        }
    }
}

#[test]
fn kills_from_outside_fail_no_task() {
    for seed in 0..SEEDS {
        let mut rng = SmallRng::seed_from_u64(seed);
        let world = World::default();
        for life in 0..60 {
            // Usually too short for any progress, sometimes long enough for all tasks.
            let lived = [0, 1, 2, 3, 4, 30, 4_000][rng.random_range(0..7)];
            run_incarnation(&world, NO_DELAY, |engine| async move {
                engine.recover().await.unwrap();
                for at in 0..if life < 50 { 2 } else { 0 } {
                    send(&engine, &format!("m{life}-{at}"), ["look;say", "say", "look,look;look;say"][life % 3]).await;
                }
                tokio::time::sleep(Duration::from_millis(lived)).await;
            });
        }
        run_incarnation(&world, NO_DELAY, |engine| async move {
            engine.recover().await.unwrap();
            all_ended(&engine).await;
        });
        for (id, state, words) in outcomes(&world) {
            assert_eq!(state, TaskState::Completed, "seed {seed}: {id}: {words}");
        }
    }
}

#[test]
fn a_suspect_can_be_canceled_while_it_waits() {
    let world = World::default();
    let plans = [("killer".to_owned(), "put;say")];
    let mut plans = plans.as_slice();
    for _ in 0..2 {
        assert!(run_incarnation(&world, NO_DELAY, |engine| async move {
            engine.recover().await.unwrap();
            for (id, script) in plans {
                send(&engine, id, script).await;
            }
            all_ended(&engine).await;
        }));
        plans = &[];
    }
    let died = run_incarnation(&world, NO_DELAY, |engine| async move {
        engine.recover().await.unwrap();
        let task = tasks(&engine).await.remove(0);
        engine.cancel(&me(), &TaskRef { task, agent: None }).await.unwrap();
        // Longer than the suspect would have waited.
        tokio::time::sleep(Duration::from_secs(60)).await;
    });
    assert!(!died, "the canceled suspect did not run again");
    assert_eq!(outcomes(&world)[0].1, TaskState::Canceled);
}
