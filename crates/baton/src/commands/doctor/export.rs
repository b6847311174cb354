//! Those who are sent what is kept: whether they take it.

use super::check::Check;
use crate::{
    commands::trace::words::{bytes, count},
    connect::Session,
};
use baton_wire::api::{ExportEntry, ExportStanding};
use serde_json::json;

const NAME: &str = "export";
/// What nobody who is named should turn away.
const SPANS: &str = "traces";

/// One line for each target. One that nobody named is only worth a line when it takes something.
pub(super) async fn check(session: &Session) -> Vec<Check> {
    // Older servers do not say.
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
    // Many take spans and nothing else: that is no mistake.
    let in_part = blocked.len() < target.len() && !blocked.contains(&SPANS);
    let worst = target.iter().max_by_key(|entry| rank(entry.state));
    let who = worst.map(|entry| format!("{} at {}", entry.target, entry.place)).unwrap_or_default();
    let why = worst.and_then(|entry| entry.why.as_deref()).unwrap_or("no reason is known");
    let waiting = match target.iter().map(|entry| entry.waiting_bytes).sum() {
        0 => String::new(),
        waiting => format!("; {} wait", bytes(waiting)),
    };
    let gone: u64 = target.iter().map(|entry| entry.failed + entry.dropped).sum();
    let check = match worst.map(|entry| entry.state).unwrap_or_default() {
        ExportStanding::Blocked if in_part => Check::remark(
            NAME,
            format!("{who} takes no {}, but {}: {why}", blocked.join(" and no "), sent(target)),
            "Leave them out of `signals` of the target in baton.yaml, or set OTEL_METRICS_EXPORTER=none and \
             OTEL_LOGS_EXPORTER=none.",
        ),
        ExportStanding::Blocked => Check::bad(
            NAME,
            format!("{who} turns everything away{waiting}: {why}"),
            "Correct telemetry.export in baton.yaml or the OTEL_EXPORTER_OTLP_* variables and restart, or let it in \
             there; what waits is sent then.",
        ),
        ExportStanding::Away => Check::remark(
            NAME,
            format!("{who} takes nothing at the moment{waiting}: {why}"),
            "Start it, or correct its address in baton.yaml or OTEL_EXPORTER_OTLP_ENDPOINT; what waits is sent then.",
        ),
        ExportStanding::Idle | ExportStanding::Well if gone > 0 => Check::remark(
            NAME,
            format!("{who}: {}; {} were refused for good, or went because too many waited", sent(target), count(gone)),
            "The log of the server says why.",
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
