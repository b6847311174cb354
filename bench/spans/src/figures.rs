//! Measured values.

use anyhow::{Context as _, Result};
use std::path::Path;

/// A quantile of the measured values.
pub fn quantile(took: &mut [f64], quantile: f64) -> f64 {
    took.sort_by(f64::total_cmp);
    let last = took.len().saturating_sub(1);
    took.get(((last as f64) * quantile).round() as usize).copied().unwrap_or(f64::NAN)
}

/// Resident memory in megabytes.
pub fn resident_megabytes() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
    let kilobytes: u64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
    Ok(kilobytes / 1024)
}

/// CPU time of the process in milliseconds, with a resolution of ten; independent of other processes.
pub fn cpu_milliseconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The process name may contain any characters; only numbers follow it.
    let (_, numbers) = stat.rsplit_once(')').context("no process name")?;
    let ticks = numbers.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.collect::<Result<Vec<_>, _>>()?.iter().sum::<f64>() * 10.0)
}

/// Total bytes of all files in a directory tree.
pub fn size(dir: &Path) -> Result<u64> {
    let mut total = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        total += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(total)
}
