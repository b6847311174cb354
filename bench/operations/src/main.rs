//! Runs one operation of the whole server in memory: `operations NAME COUNT [FIGURE=AMOUNT]...`.
//!
//! The server has a journal on disk, spans and the shipped allocator. It is opened, does COUNT operations one after the
//! other, and is closed, so that the background work of all operations is done when the process ends. Every reply is
//! checked. The difference between two counts is free of start and shutdown.
//!
//! Prints one line of JSON: the allocations of the process, their bytes, and the memory resident before it was closed.
//! A FIGURE such as `allocations=3` makes every operation dearer: a comparison must notice it.

mod exchange;
mod frozen_clock;
mod operation;
mod planted_cost;
mod served;

use alloc_tracker::{Allocator, Session};
use anyhow::{Context as _, Result, bail};
use frozen_clock::FrozenClock;
use mimalloc::MiMalloc;
use operation::Operation;
use planted_cost::PlantedCost;
use served::ServedAgents;
use std::io::Write as _;

#[global_allocator]
static ALLOCATOR: Allocator<MiMalloc> = Allocator::new(MiMalloc);

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(count)) = (arguments.next(), arguments.next()) else {
        bail!("usage: operations NAME COUNT [FIGURE=AMOUNT]...; the names are {}", Operation::NAMES.join(", "));
    };
    let count = count.parse().context("COUNT is not a number")?;
    let planted = PlantedCost::parse(arguments)?;

    let session = Session::new().no_stdout().no_file();
    let process = session.operation("process");
    let span = process.measure_process().iterations(1);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let resident = runtime.block_on(run(&name, count, planted))?;
    drop(runtime);
    drop(span);
    let report = session.to_report();
    let (_, totals) = report.operations().next().context("nothing was allocated")?;
    let figures = serde_json::json!({
        "allocations": totals.total_allocations_count(),
        "allocated_bytes": totals.total_bytes_allocated(),
        "resident_bytes": resident,
    });
    writeln!(std::io::stdout(), "{figures}")?;
    Ok(())
}

/// Does the operation `count` times; returns the resident memory afterwards.
async fn run(name: &str, count: u64, mut planted: PlantedCost) -> Result<u64> {
    let home = tempfile::tempdir()?;
    let served = ServedAgents::open(&home.path().join("data")).await?;
    let mut operation = Operation::prepare(name, &served).await?;
    let clock = FrozenClock::freeze();
    for number in 0..count {
        operation.perform(&served, number).await?;
        planted.spend();
        clock.step().await;
    }
    let resident = resident_bytes()?;
    clock.thaw().await?;
    served.close().await;
    Ok(resident)
}

/// Resident memory of this process; zero where the system does not tell.
fn resident_bytes() -> Result<u64> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return Ok(0) };
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")).context("no VmRSS in the status")?;
    Ok(kilobytes.trim().parse::<u64>()? * 1024)
}
