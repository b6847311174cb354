//! Timeouts of a server, in the units that different programs use.

use super::{Habits, value};
use crate::document::{Fields, Node, Reader, Value, duration};
use baton_types::McpTimeouts;
use std::time::Duration;

const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// A smaller bare number is too short to be in milliseconds.
const LEAST_MILLISECONDS: f64 = 1000.0;

pub(super) fn read(reader: &mut Reader, habits: Habits, fields: &mut Fields) -> McpTimeouts {
    let default = McpTimeouts::default();
    let mut startup = None;
    let mut call = None;
    let mut total = None;
    if let Some(mut own) = fields.take("timeouts").and_then(|node| Fields::open(reader, "timeouts", node)) {
        let mut take = |reader: &mut Reader, key: &'static str| {
            own.take(key).and_then(|node| reader.duration(key, &node, SHORTEST, LONGEST))
        };
        startup = take(reader, "startup");
        call = take(reader, "call");
        total = take(reader, "total");
        value::close(reader, habits, own);
    }
    let mut number = |reader: &mut Reader, key: &'static str, unit: f64| {
        fields.take(key).and_then(|node| counted(reader, key, &node, unit))
    };
    let startup = startup
        .or_else(|| number(reader, "startup_timeout_sec", 1.0))
        .or_else(|| number(reader, "startup_timeout_ms", 0.001));
    // Other programs have one limit per call, which progress does not extend.
    let whole = number(reader, "tool_timeout_sec", 1.0);
    let whole = fields.take("timeout").and_then(|node| plain(reader, habits, &node)).or(whole);
    let call = call.or(whole);
    let total = total.or(whole);
    McpTimeouts {
        startup: startup.unwrap_or(default.startup),
        call: call.unwrap_or(default.call),
        total: total.unwrap_or_else(|| default.total.max(call.unwrap_or_default())),
    }
}

/// `timeout`: a duration with a unit, or milliseconds in files of other programs.
fn plain(reader: &mut Reader, habits: Habits, node: &Node) -> Option<Duration> {
    let Value::Number(number) = &node.value else {
        return reader.duration("timeout", node, SHORTEST, LONGEST);
    };
    if habits.are_strict() {
        return reader.duration("timeout", node, SHORTEST, LONGEST);
    }
    let count = number.as_f64().unwrap_or_default();
    if count >= LEAST_MILLISECONDS {
        return counted(reader, "timeout", node, 0.001);
    }
    let message = format!("timeout is {number}, which is too short in milliseconds and is read as seconds");
    reader.warning(node.place, message, format!("Cline uses seconds; for Baton alone, \"{number}s\" is clearer"));
    counted(reader, "timeout", node, 1.0)
}

/// A bare number in `unit` seconds; text with a unit is accepted as well.
fn counted(reader: &mut Reader, key: &str, node: &Node, unit: f64) -> Option<Duration> {
    let read = match &node.value {
        Value::Number(number) => number.as_f64().and_then(|count| Duration::try_from_secs_f64(count * unit).ok()),
        Value::Text(text) => duration(text),
        _ => return reader.expected(key, "a number", node),
    };
    let read = read.filter(|read| (SHORTEST..=LONGEST).contains(read));
    if read.is_none() {
        let hint = format!("choose a time from {SHORTEST:?} to {LONGEST:?}");
        reader.error(node.place, format!("{key} is not a time to wait"), hint);
    }
    read
}
