//! Checks the span store: size and retention.

use super::check::CheckResult;
use crate::{
    commands::trace::formatting::{bytes, count, counted, duration},
    connect::{BatonConnection, client_failure},
    error_codes,
};
use baton_api::SpanStatsEntry;
use baton_client::ClientError;
use baton_server::now;
use baton_types::Timestamp;
use serde_json::json;

/// Percentage of the allowed bytes above which a retention note is shown.
const NEARLY_FULL_PERCENT: u64 = 90;

/// Checks of size, retention and dropped spans, and whether a span store exists.
pub(super) async fn check(session: &BatonConnection) -> (Vec<CheckResult>, bool) {
    let stats = match session.client.span_stats().await {
        Ok(stats) => stats,
        Err(error) if is_absent(&error) => {
            let next = "Enable telemetry.enabled in baton.yaml, or update the server.";
            return (vec![CheckResult::note("spans", "this server stores no spans", next)], false);
        }
        Err(error) => return (vec![CheckResult::from_failure("spans", &client_failure(error))], false),
    };
    (vec![check_size(&stats), check_retention(&stats)], true)
}

/// Servers without a span store return an error code; older servers return 404.
fn is_absent(error: &ClientError) -> bool {
    match error {
        ClientError::Refused(refusal) => {
            refusal.status == 404 || refusal.baton_code.as_deref() == Some(error_codes::NOT_OFFERED.code)
        }
        ClientError::InvalidResponse(text) => text.starts_with("status 404"),
        _ => false,
    }
}

fn check_size(stats: &SpanStatsEntry) -> CheckResult {
    let mut message =
        format!("{}, {} in {}", counted(stats.spans, "span"), bytes(stats.bytes), counted(stats.blocks, "block"));
    if stats.head_spans > 0 {
        message.push_str(&format!(" and the log ({} in memory)", count(stats.head_spans)));
    }
    if let (Some(oldest), Some(newest)) = (stats.oldest.as_deref(), stats.newest.as_deref()) {
        message.push_str(&format!("; oldest {} ago, newest {} ago", ago(oldest), ago(newest)));
    }
    let check = match stats.dropped {
        0 => CheckResult::passed("spans", message),
        dropped => {
            let message = format!("{message}; {} could not be stored", counted(dropped, "span"));
            CheckResult::note(
                "spans",
                message,
                "Spans arrived faster than the disk could write them, or the disk was full. For details, see the server log.",
            )
        }
    };
    check.with_data(json!(stats))
}

fn check_retention(stats: &SpanStatsEntry) -> CheckResult {
    let age = stats.max_age_seconds.map(|seconds| format!("older than {}", days(seconds)));
    let size = stats.max_bytes.map(|max_bytes| format!("beyond {}", bytes(max_bytes)));
    let rules: Vec<String> = [age, size].into_iter().flatten().collect();
    let message = match rules.is_empty() {
        true => "spans are kept forever".to_owned(),
        false => format!("telemetry {} is deleted; insights, handoffs and gate results are kept", rules.join(" or ")),
    };
    match stats.max_bytes {
        Some(max_bytes) if stats.bytes >= max_bytes / 100 * NEARLY_FULL_PERCENT => {
            let message = format!("{message}; {} used", bytes(stats.bytes));
            CheckResult::note(
                "retention",
                message,
                "The oldest telemetry is deleted first. To keep more, raise telemetry.retention in baton.yaml.",
            )
        }
        _ => CheckResult::passed("retention", message),
    }
}

fn days(seconds: u64) -> String {
    match seconds {
        seconds if seconds >= 86_400 && seconds.is_multiple_of(86_400) => counted(seconds / 86_400, "day"),
        seconds => duration(seconds.saturating_mul(1_000_000_000)),
    }
}

/// Age of a timestamp.
fn ago(moment: &str) -> String {
    let Ok(moment) = Timestamp::parse(moment) else { return "?".to_owned() };
    match moment.until(now()).as_secs() {
        0 => "less than a second".to_owned(),
        seconds => duration(seconds.saturating_mul(1_000_000_000)),
    }
}
