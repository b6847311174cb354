//! Checks the telemetry export targets.

use super::check::CheckResult;
use crate::{
    commands::trace::formatting::{bytes, count},
    connect::BatonConnection,
};
use baton_api::{ExportEntry, ExportTargetState};
use serde_json::json;

const NAME: &str = "export";
/// Signal that every configured target is expected to accept.
const TRACES_SIGNAL: &str = "traces";

/// One check per target. A target that was assumed, not configured, is only listed once it has accepted data.
pub(super) async fn check(session: &BatonConnection) -> Vec<CheckResult> {
    // Older servers do not have this endpoint.
    let Ok(entries) = session.client.exports().await else { return Vec::new() };
    let mut targets: Vec<Vec<ExportEntry>> = Vec::new();
    for entry in entries {
        match targets.iter_mut().find(|target| target.iter().any(|other| other.target == entry.target)) {
            Some(target) => target.push(entry),
            None => targets.push(vec![entry]),
        }
    }
    let is_listed = |target: &Vec<ExportEntry>| !target.iter().all(|entry| entry.is_default && entry.sent == 0);
    targets.iter().filter(|target| is_listed(target)).map(|target| check_target(target)).collect()
}

fn check_target(target: &[ExportEntry]) -> CheckResult {
    let blocked: Vec<&str> = target
        .iter()
        .filter(|entry| entry.state == ExportTargetState::Blocked)
        .map(|entry| entry.signal.as_str())
        .collect();
    // Many targets accept traces only; this is not an error.
    let in_part = blocked.len() < target.len() && !blocked.contains(&TRACES_SIGNAL);
    let worst = target.iter().max_by_key(|entry| rank(entry.state));
    let name = worst.map(|entry| format!("{} at {}", entry.target, entry.endpoint)).unwrap_or_default();
    let reason = worst.and_then(|entry| entry.reason.as_deref()).unwrap_or("unknown reason");
    let waiting = match target.iter().map(|entry| entry.waiting_bytes).sum() {
        0 => String::new(),
        waiting => format!("; {} queued", bytes(waiting)),
    };
    let rejected_count: u64 = target.iter().map(|entry| entry.failed + entry.dropped).sum();
    let check = match worst.map(|entry| entry.state).unwrap_or_default() {
        ExportTargetState::Blocked if in_part => CheckResult::note(
            NAME,
            format!("{name} rejects {}, but {}: {reason}", blocked.join(" and "), sent(target)),
            "Remove them from `signals` of the target in baton.yaml, or set OTEL_METRICS_EXPORTER=none and \
             OTEL_LOGS_EXPORTER=none.",
        ),
        ExportTargetState::Blocked => CheckResult::failed(
            NAME,
            format!("{name} rejects all data{waiting}: {reason}"),
            "Correct telemetry.export in baton.yaml or the OTEL_EXPORTER_OTLP_* variables and restart, or allow access \
             at the target. Queued data is sent then.",
        ),
        ExportTargetState::Away => CheckResult::note(
            NAME,
            format!("{name} is unavailable{waiting}: {reason}"),
            "Start it, or correct its address in baton.yaml or OTEL_EXPORTER_OTLP_ENDPOINT. Queued data is sent then.",
        ),
        ExportTargetState::Idle | ExportTargetState::Well if rejected_count > 0 => CheckResult::note(
            NAME,
            format!(
                "{name}: {}; {} were rejected, or dropped because the queue was full",
                sent(target),
                count(rejected_count)
            ),
            "See the server log for the reasons.",
        ),
        ExportTargetState::Idle | ExportTargetState::Well => {
            CheckResult::passed(NAME, format!("{name}: {}", sent(target)))
        }
    };
    check.with_data(json!({ "exports": target }))
}

fn sent(target: &[ExportEntry]) -> String {
    let each: Vec<String> = target.iter().map(|entry| format!("{} {}", count(entry.sent), entry.signal)).collect();
    format!("{} sent", each.join(", "))
}

fn rank(state: ExportTargetState) -> u8 {
    match state {
        ExportTargetState::Well => 0,
        ExportTargetState::Idle => 1,
        ExportTargetState::Away => 2,
        ExportTargetState::Blocked => 3,
    }
}
