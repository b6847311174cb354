//! Checks the telemetry export targets.

use super::check::Check;
use crate::{
    commands::trace::words::{bytes, count},
    connect::Session,
};
use baton_wire::api::{ExportEntry, ExportStanding};
use serde_json::json;

const NAME: &str = "export";
/// Signal that every configured target is expected to accept.
const SPANS: &str = "traces";

/// One check per target. A target that was assumed, not configured, is only listed once it has accepted data.
pub(super) async fn check(session: &Session) -> Vec<Check> {
    // Older servers do not have this endpoint.
    let Ok(entries) = session.client.exports().await else { return Vec::new() };
    let mut targets: Vec<Vec<ExportEntry>> = Vec::new();
    for entry in entries {
        match targets.iter_mut().find(|target| target.iter().any(|other| other.target == entry.target)) {
            Some(target) => target.push(entry),
            None => targets.push(vec![entry]),
        }
    }
    let told = |target: &Vec<ExportEntry>| !target.iter().all(|entry| entry.assumed && entry.sent == 0);
    targets.iter().filter(|target| told(target)).map(|target| of(target)).collect()
}

fn of(target: &[ExportEntry]) -> Check {
    let blocked: Vec<&str> = target
        .iter()
        .filter(|entry| entry.state == ExportStanding::Blocked)
        .map(|entry| entry.signal.as_str())
        .collect();
    // Many targets accept traces only; this is not an error.
    let in_part = blocked.len() < target.len() && !blocked.contains(&SPANS);
    let worst = target.iter().max_by_key(|entry| rank(entry.state));
    let who = worst.map(|entry| format!("{} at {}", entry.target, entry.place)).unwrap_or_default();
    let why = worst.and_then(|entry| entry.why.as_deref()).unwrap_or("unknown reason");
    let waiting = match target.iter().map(|entry| entry.waiting_bytes).sum() {
        0 => String::new(),
        waiting => format!("; {} queued", bytes(waiting)),
    };
    let gone: u64 = target.iter().map(|entry| entry.failed + entry.dropped).sum();
    let check = match worst.map(|entry| entry.state).unwrap_or_default() {
        ExportStanding::Blocked if in_part => Check::remark(
            NAME,
            format!("{who} rejects {}, but {}: {why}", blocked.join(" and "), sent(target)),
            "Remove them from `signals` of the target in baton.yaml, or set OTEL_METRICS_EXPORTER=none and \
             OTEL_LOGS_EXPORTER=none.",
        ),
        ExportStanding::Blocked => Check::bad(
            NAME,
            format!("{who} rejects all data{waiting}: {why}"),
            "Correct telemetry.export in baton.yaml or the OTEL_EXPORTER_OTLP_* variables and restart, or allow access \
             at the target. Queued data is sent then.",
        ),
        ExportStanding::Away => Check::remark(
            NAME,
            format!("{who} is unavailable{waiting}: {why}"),
            "Start it, or correct its address in baton.yaml or OTEL_EXPORTER_OTLP_ENDPOINT. Queued data is sent then.",
        ),
        ExportStanding::Idle | ExportStanding::Well if gone > 0 => Check::remark(
            NAME,
            format!("{who}: {}; {} were rejected, or dropped because the queue was full", sent(target), count(gone)),
            "See the server log for the reasons.",
        ),
        ExportStanding::Idle | ExportStanding::Well => Check::good(NAME, format!("{who}: {}", sent(target))),
    };
    check.with(json!({ "exports": target }))
}

fn sent(target: &[ExportEntry]) -> String {
    let each: Vec<String> = target.iter().map(|entry| format!("{} {}", count(entry.sent), entry.signal)).collect();
    format!("{} sent", each.join(", "))
}

fn rank(state: ExportStanding) -> u8 {
    match state {
        ExportStanding::Well => 0,
        ExportStanding::Idle => 1,
        ExportStanding::Away => 2,
        ExportStanding::Blocked => 3,
    }
}
