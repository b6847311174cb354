//! Timeouts of a server, in the units that different programs use.

use super::{McpDialect, value};
use baton_document::{DocumentNode, DocumentReader, Fields, NodeValue, duration};
use baton_types::McpTimeouts;
use std::time::Duration;

const MIN_TIMEOUT: Duration = Duration::from_millis(1);
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
/// A smaller bare number is too short to be in milliseconds.
const MIN_PLAUSIBLE_MILLIS: f64 = 1000.0;

pub(super) fn read(reader: &mut DocumentReader, dialect: McpDialect, fields: &mut Fields) -> McpTimeouts {
    let default = McpTimeouts::default();
    let mut startup = None;
    let mut call = None;
    let mut total = None;
    if let Some(mut own) = fields.take("timeouts").and_then(|node| Fields::open(reader, "timeouts", node)) {
        let mut take = |reader: &mut DocumentReader, key: &'static str| {
            own.take(key).and_then(|node| reader.duration(key, &node, MIN_TIMEOUT, MAX_TIMEOUT))
        };
        startup = take(reader, "startup");
        call = take(reader, "call");
        total = take(reader, "total");
        value::close(reader, dialect, own);
    }
    let mut number = |reader: &mut DocumentReader, key: &'static str, unit: f64| {
        fields.take(key).and_then(|node| parse_timeout(reader, key, &node, unit))
    };
    let startup = startup
        .or_else(|| number(reader, "startup_timeout_sec", 1.0))
        .or_else(|| number(reader, "startup_timeout_ms", 0.001));
    // Other programs have one limit per call, which progress does not extend.
    let timeout = number(reader, "tool_timeout_sec", 1.0);
    let timeout = fields.take("timeout").and_then(|node| plain(reader, dialect, &node)).or(timeout);
    let call = call.or(timeout);
    let total = total.or(timeout);
    McpTimeouts {
        startup: startup.unwrap_or(default.startup),
        call: call.unwrap_or(default.call),
        total: total.unwrap_or_else(|| default.total.max(call.unwrap_or_default())),
    }
}

/// `timeout`: a duration with a unit, or milliseconds in files of other programs.
fn plain(reader: &mut DocumentReader, dialect: McpDialect, node: &DocumentNode) -> Option<Duration> {
    let NodeValue::Number(number) = &node.value else {
        return reader.duration("timeout", node, MIN_TIMEOUT, MAX_TIMEOUT);
    };
    if dialect.is_strict() {
        return reader.duration("timeout", node, MIN_TIMEOUT, MAX_TIMEOUT);
    }
    let count = number.as_f64().unwrap_or_default();
    if count >= MIN_PLAUSIBLE_MILLIS {
        return parse_timeout(reader, "timeout", node, 0.001);
    }
    let message = format!("timeout is {number}, which is too short in milliseconds and is read as seconds");
    reader.warning(node.location, message, format!("Cline uses seconds; for Baton alone, \"{number}s\" is clearer"));
    parse_timeout(reader, "timeout", node, 1.0)
}

/// A bare number in `unit` seconds; text with a unit is accepted as well.
fn parse_timeout(reader: &mut DocumentReader, key: &str, node: &DocumentNode, unit: f64) -> Option<Duration> {
    let read = match &node.value {
        NodeValue::Number(number) => number.as_f64().and_then(|count| Duration::try_from_secs_f64(count * unit).ok()),
        NodeValue::Text(text) => duration(text),
        _ => return reader.report_expected(key, "a number", node),
    };
    let read = read.filter(|read| (MIN_TIMEOUT..=MAX_TIMEOUT).contains(read));
    if read.is_none() {
        let hint = format!("choose a time from {MIN_TIMEOUT:?} to {MAX_TIMEOUT:?}");
        reader.error(node.location, format!("{key} is not a valid timeout"), hint);
    }
    read
}
