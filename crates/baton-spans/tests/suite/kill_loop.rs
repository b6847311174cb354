//! A real process is killed repeatedly while it stores spans.

use crate::store_sample::{PER_TRACE, batch, found, open, small};
use baton_span_ports::{SpanBatch, SpanStore};
use baton_spans::SpanStoreOptions;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

const DIRECTORY: &str = "BATON_TEST_SPANS_DIRECTORY";
const FIRST: &str = "BATON_TEST_SPANS_FIRST";
/// Spans per batch of the child; `IN_FLIGHT` batches are in flight.
const BATCH: u64 = PER_TRACE;
const IN_FLIGHT: u64 = 8;

fn options() -> SpanStoreOptions {
    SpanStoreOptions { head_spans: 120, merged_spans: 2000, ..small() }
}

/// The process to kill: this test, started again with a directory; it prints the number of every stored batch.
#[tokio::test]
async fn child() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    let first: u64 = std::env::var(FIRST).unwrap().parse().unwrap();
    let store = open(Path::new(&directory), &options());
    let bringing: Vec<_> = (0..IN_FLIGHT)
        .map(|who| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                for part in (first + who..).step_by(usize::try_from(IN_FLIGHT).unwrap()) {
                    let batch = SpanBatch { mark: Some(("child", part)), ..batch(BATCH * part..BATCH * (part + 1)) };
                    store.ingest(batch).await.unwrap();
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "kept {part}").unwrap();
                    out.flush().unwrap();
                }
            })
        })
        .collect();
    for task in bringing {
        task.await.unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "the child must be a process that nothing can end but the test")]
fn spawn(directory: &Path, first: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["kill_loop::child", "--exact", "--nocapture"])
        .env(DIRECTORY, directory)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn acknowledged_batches_survive_every_kill() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = StdRng::seed_from_u64(7);
    let begun = Instant::now();
    let (mut first, mut kills) = (0, 0);
    let mut acknowledged = std::collections::BTreeSet::new();
    while begun.elapsed() < Duration::from_secs(8) && kills < 60 {
        let mut child = spawn(directory.path(), first);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let patience = random.random_range(1..150);
        // All acknowledgements printed before the end count, including those still in the pipe at the kill.
        let mut said = 0;
        let mut kept = |line: String| {
            // Output of the test runner can precede the child's.
            let part = line.rsplit_once("kept ").and_then(|(_, part)| part.parse::<u64>().ok());
            acknowledged.extend(part);
            said += u64::from(part.is_some());
            said
        };
        while lines.next().is_some_and(|line| kept(line) < patience) {}
        child.kill().unwrap();
        lines.for_each(|line| {
            kept(line);
        });
        child.wait().unwrap();
        kills += 1;

        let store = open(directory.path(), &options());
        first = acknowledged.last().map_or(0, |last| last + 1).max(first) + 2 * IN_FLIGHT;
        let found = found(&store, BATCH * first).await;
        for part in &acknowledged {
            assert!((BATCH * part..BATCH * (part + 1)).all(|number| found.contains(&number)), "kill {kills}: {part}");
        }
        // An unacknowledged batch may be stored, but only completely.
        for number in &found {
            let part = number / BATCH;
            assert!((BATCH * part..BATCH * (part + 1)).all(|number| found.contains(&number)), "kill {kills}: {part}");
        }
        assert_eq!(store.stats().await.unwrap().spans, found.len() as u64, "kill {kills}: no span is stored twice");
        assert!(store.mark("child") >= acknowledged.last().copied(), "kill {kills}");
        first = first.max(found.last().map_or(0, |last| last / BATCH + 1));
        if kills % 3 == 0 {
            store.close().await;
        }
    }
    assert!(kills >= 3 && acknowledged.len() > 50, "{kills} kills, {} batches", acknowledged.len());
}
