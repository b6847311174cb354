//! A conversation is the same through every binding: the same journal, and answers that are equal once they are said
//! in the words of 1.0.
//!
//! A client that is chosen by a seed talks to a fresh engine over JSON-RPC; then its requests are repeated over
//! HTTP+JSON and gRPC, and in the three bindings of 0.3, each time to another fresh engine. Clock and ids count their
//! uses, so a binding that did anything more or less would be noticed by every moment and id after it. [`lose`] lists
//! all that may differ.
//!
//! `BATON_EQUIVALENCE_SEED=n` replays one conversation, `BATON_EQUIVALENCE_SEEDS=n` sets how many there are.

mod ask;
mod bindings;
mod content;
mod contextcore;
mod coverage;
mod generate;
mod lose;
mod model;
mod numbers;
mod session;
mod world;
mod wrong;

use ask::{Ask, Outcome};
use bindings::Binding;
use coverage::Coverage;
use generate::Client;
use session::Session;
use std::{
    fmt::Debug,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU64, Ordering},
};
use world::{Record, Setup, World};

/// Conversations, each in six bindings.
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
                        panic!("seed {seed} is not the same everywhere; replay it with BATON_EQUIVALENCE_SEED={seed}");
                    }
                }
            });
        }
    });
    coverage.check(seeds);
}

/// What one conversation came to.
struct Told {
    outcomes: Vec<Outcome>,
    record: Record,
}

fn compare(seed: u64, coverage: &Coverage) {
    let mut client = Client::new(seed);
    let setup = client.setup();
    let length = client.length();
    let mut asks = Vec::with_capacity(length);
    let model = on_its_own(async {
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
        same(seed, setup, binding, &asks, &model);
    }
}

fn same(seed: u64, setup: Setup, binding: Binding, asks: &[Ask], model: &Told) {
    let told = on_its_own(async {
        let mut session = Session::new(binding, World::new(setup));
        for ask in asks {
            session.ask(ask).await;
        }
        session.end().await
    });
    for (index, (ask, (outcome, model))) in asks.iter().zip(told.outcomes.iter().zip(&model.outcomes)).enumerate() {
        let mut outcome = outcome.clone();
        let mut expect = lose::carried(binding, model.clone());
        if binding.is_old() {
            outcome = lose::without_history(ask, lose::without_words(outcome));
            // 0.3 cannot list tasks, and its JSON-RPC has no pages of push configurations.
            if outcome.result == ask::Result::Absent {
                expect = outcome.clone();
            }
        }
        let what = || format!("seed {seed}, {setup:?}, request {index} over {binding:?}: {ask:#?}");
        assert_same(&expect, &outcome, what);
    }
    let what = || format!("seed {seed}, {setup:?}, the journal over {binding:?} after {asks:#?}");
    assert_same(&lose::recorded(binding, model.record.clone()), &told.record, what);
}

/// Runs in a world of its own, whose time passes only when nothing else can happen.
fn on_its_own<T>(conversation: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(conversation)
}

/// Shows the lines that differ, because the values are long.
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
