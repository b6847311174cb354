//! The kill loop on the real binary.
//!
//! `BATON_SOAK_CYCLES` is the number of kills (20), `BATON_SOAK_SEED` repeats the choices of another run; the timing is
//! not reproducible.

use baton_testkit::kill_loop::{KillLoopOptions, KillLoopSummary, run};
use std::{
    hash::{BuildHasher, RandomState},
    path::Path,
};

const CYCLES: u32 = 20;
const MAX_SHOWN: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_loop_loses_nothing_and_does_nothing_twice() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let seed = setting("BATON_SOAK_SEED").unwrap_or_else(|| RandomState::new().hash_one("seed") >> 32);
    let cycles = setting("BATON_SOAK_CYCLES").map_or(CYCLES, |cycles| u32::try_from(cycles).expect("a small number"));
    eprintln!("kill loop: seed {seed}; BATON_SOAK_SEED={seed} BATON_SOAK_CYCLES={cycles} repeats its choices");
    let options = KillLoopOptions {
        binary: env!("CARGO_BIN_EXE_baton").into(),
        agents: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/agents/soak"),
        directory: scratch.path().to_owned(),
        cycles,
        seed,
    };
    let failure = match Box::pin(run(&options)).await {
        Ok(outcome) => {
            eprintln!("{}", outcome.summary);
            let shown: Vec<String> = outcome.violations.iter().take(MAX_SHOWN).map(ToString::to_string).collect();
            let more = outcome.violations.len() - shown.len();
            if shown.is_empty() {
                insufficient_activity(&outcome.summary)
            } else {
                Some(format!("{}\nand {more} more", shown.join("\n")))
            }
        }
        Err(error) => Some(format!("{error:#}")),
    };
    if let Some(failure) = failure {
        // Keeps the journal for inspection.
        let kept = scratch.keep();
        panic!("seed {seed}, data kept in {}:\n{failure}", kept.display());
    }
}

/// Fails loops with too little activity. The minimums are far below the activity on a slow machine; loops of a few
/// cycles, for inspection, have none.
fn insufficient_activity(summary: &KillLoopSummary) -> Option<String> {
    let least = if summary.cycles < CYCLES { 0 } else { u64::from(summary.cycles) };
    let counted = |count: usize| u64::try_from(count).expect("a small number");
    let short: Vec<String> = [
        ("kills", summary.kills),
        ("acknowledged sends", counted(summary.acknowledged)),
        ("completed tasks", counted(summary.completed)),
        ("resumed runs", counted(summary.resumed)),
        ("handoffs", counted(summary.handoffs)),
        ("reconnects", summary.reconnects),
        ("tool executions", counted(summary.executions)),
        ("notifications", counted(summary.notified)),
        ("refused notifications", counted(summary.refused)),
        ("repetitions under a key", counted(summary.keyed_again)),
    ]
    .into_iter()
    .filter(|(_, count)| *count < least)
    .map(|(what, count)| format!("only {count} {what} in {} cycles; at least {least} are expected", summary.cycles))
    .collect();
    (!short.is_empty()).then(|| short.join("\n"))
}

fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name}={value} is not a number")))
}
