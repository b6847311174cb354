//! A conversation has the same effect through every binding: equal journals, and equal answers after conversion to
//! 1.0.
//!
//! A client with a random seed sends requests to a new engine over JSON-RPC; then the requests are repeated over
//! HTTP+JSON and gRPC, and in the three bindings of 0.3, each time to another new engine. Clock and ids count their
//! uses, so an additional or missing step changes all later times and ids. [`losses`] lists all permitted differences.
//!
//! `BATON_EQUIVALENCE_SEED=n` replays one conversation, `BATON_EQUIVALENCE_SEEDS=n` sets their number.

mod bindings;
mod content;
mod contextcore;
mod coverage;
mod generate;
mod losses;
mod model;
mod numbers;
mod operation;
mod session;
mod world;
mod wrong;

use bindings::Binding;
use coverage::Coverage;
use generate::Client;
use operation::{ClientRequest, Outcome};
use session::Session;
use std::{
    fmt::Debug,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU64, Ordering},
};
use world::{Record, Setup, World};

/// Number of conversations; each is repeated in six bindings.
const SEEDS: u64 = 150;

#[test]
fn conversations_are_the_same_through_every_binding() {
    let coverage = Coverage::default();
    if let Ok(seed) = std::env::var("BATON_EQUIVALENCE_SEED") {
        return compare(seed.parse().unwrap(), &coverage);
    }
    let seeds = std::env::var("BATON_EQUIVALENCE_SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(SEEDS);
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        return;
                    }
                    if catch_unwind(AssertUnwindSafe(|| compare(seed, &coverage))).is_err() {
                        next.store(seeds, Ordering::Relaxed);
                        panic!("seed {seed} differs between bindings; replay it with BATON_EQUIVALENCE_SEED={seed}");
                    }
                }
            });
        }
    });
    coverage.check(seeds);
}

/// Outcomes and journal of a conversation.
struct Transcript {
    outcomes: Vec<Outcome>,
    record: Record,
}

fn compare(seed: u64, coverage: &Coverage) {
    let mut client = Client::new(seed);
    let setup = client.setup();
    let length = client.length();
    let mut asks = Vec::with_capacity(length);
    let model = run_isolated(async {
        let mut session = Session::new(Binding::MODEL, World::new(setup));
        for _ in 0..length {
            let ask = client.next(&session.world.tasks().await);
            session.ask(&ask).await;
            asks.push(ask);
        }
        session.end().await
    });
    coverage.count(&asks, &model.outcomes);
    for binding in Binding::OTHERS {
        compare_binding(seed, setup, binding, &asks, &model);
    }
}

fn compare_binding(seed: u64, setup: Setup, binding: Binding, asks: &[ClientRequest], model: &Transcript) {
    let transcript = run_isolated(async {
        let mut session = Session::new(binding, World::new(setup));
        for ask in asks {
            session.ask(ask).await;
        }
        session.end().await
    });
    for (index, (ask, (outcome, model))) in asks.iter().zip(transcript.outcomes.iter().zip(&model.outcomes)).enumerate()
    {
        let mut outcome = outcome.clone();
        let mut expect = losses::expected_outcome(binding, model.clone());
        if binding.is_old() {
            outcome = losses::without_history(ask, losses::without_error_text(outcome));
            // 0.3 cannot list tasks, and its JSON-RPC has no pages of push configurations.
            if outcome.result == operation::Result::Absent {
                expect = outcome.clone();
            }
        }
        let what = || format!("seed {seed}, {setup:?}, request {index} over {binding:?}: {ask:#?}");
        assert_same(&expect, &outcome, what);
    }
    let what = || format!("seed {seed}, {setup:?}, the journal over {binding:?} after {asks:#?}");
    assert_same(&losses::expected_record(binding, model.record.clone()), &transcript.record, what);
}

/// Runs on a new runtime with paused time.
fn run_isolated<T>(conversation: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(conversation)
}

/// Reports only the lines around the first difference, because the values are long.
fn assert_same<T: PartialEq + Debug>(expect: &T, found: &T, what: impl Fn() -> String) {
    if expect == found {
        return;
    }
    let (expect, found) = (format!("{expect:#?}"), format!("{found:#?}"));
    let differ = expect.lines().zip(found.lines()).position(|(left, right)| left != right);
    let first = differ.unwrap_or_else(|| expect.lines().count().min(found.lines().count()));
    let near = |text: &str| {
        let lines: Vec<_> = text.lines().skip(first.saturating_sub(30)).take(45).collect();
        lines.join("\n")
    };
    panic!("{}\n\nexpected near line {first}:\n{}\n\nfound:\n{}", what(), near(&expect), near(&found));
}
