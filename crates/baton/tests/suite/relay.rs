//! Handoffs between two Batons, either of which is killed at random moments.
//!
//! `BATON_RELAY_HANDOFFS` is the number of handoffs (100); `BATON_SOAK_SEED` repeats the random choices of another run.

use baton_testkit::relay::{RelayOptions, run};
use std::hash::{BuildHasher, RandomState};

const HANDOFFS: usize = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handoffs_between_batons_have_one_effect_despite_kills() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let setting = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().expect("a number"));
    let seed = setting("BATON_SOAK_SEED").unwrap_or_else(|| RandomState::new().hash_one("seed") >> 32);
    let handoffs = setting("BATON_RELAY_HANDOFFS").map_or(HANDOFFS, |count| usize::try_from(count).expect("a number"));
    eprintln!("relay: seed {seed}; BATON_SOAK_SEED={seed} repeats its choices");
    let options = RelayOptions {
        binary: env!("CARGO_BIN_EXE_baton").into(),
        directory: scratch.path().to_owned(),
        handoffs,
        seed,
    };
    let failure = match Box::pin(run(&options)).await {
        Ok(outcome) => {
            eprintln!(
                "{} handoffs completed; {} and {} kills; {} runs found their work again; {} effects, {} calls in doubt",
                outcome.completed,
                outcome.kills.0,
                outcome.kills.1,
                outcome.reattached,
                outcome.effects,
                outcome.doubts
            );
            let enough = handoffs < HANDOFFS
                || outcome.kills.0 >= 5 && outcome.kills.1 >= 5 && outcome.reattached >= 3 && outcome.doubts >= 1;
            let too_little = (!enough).then(|| format!("too little happened: {outcome:?}"));
            outcome.violations.first().cloned().or(too_little)
        }
        Err(error) => Some(format!("{error:#}")),
    };
    if let Some(failure) = failure {
        // The journals are kept for analysis.
        let kept = scratch.keep();
        panic!("seed {seed}, data kept in {}:\n{failure}", kept.display());
    }
}
