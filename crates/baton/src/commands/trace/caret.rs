//! Points at the error position in an invalid query.

use super::formatting::columns;
use crate::{
    connect,
    failure::{CliError, Exit},
    screen::{Screen, escape_for_terminal},
};
use baton_client::ClientError;
use baton_types::ErrorCode;

/// Converts a client error. For an invalid query it also prints the query with a caret at the error position.
pub(super) fn failure(error: ClientError, query: &str, screen: Screen) -> CliError {
    let Some(refusal) = error.refusal().filter(|refusal| is_about_query(refusal)) else {
        return connect::client_failure(error);
    };
    show(&refusal.message, query, screen);
    CliError::new(ErrorCode::TRACEQL_INVALID, refusal.message.as_str()).exit(Exit::Usage)
}

/// Prints the error position, in text output only.
pub(super) fn show(message: &str, query: &str, screen: Screen) {
    if !screen.is_json() {
        caret_lines(message, query).iter().for_each(|line| screen.print_stderr(line));
    }
}

fn is_about_query(refusal: &baton_client::ServerRefusal) -> bool {
    refusal.baton_code.as_deref() == Some(ErrorCode::TRACEQL_INVALID.code)
}

/// The line of the query named in the message, and a caret below the column; empty if the message has no position.
fn caret_lines(message: &str, query: &str) -> Vec<String> {
    let Some((line, column)) = error_position(message) else { return Vec::new() };
    let Some(text) = query.lines().nth(line.saturating_sub(1)) else { return Vec::new() };
    let before: String = text.chars().take(column.saturating_sub(1)).collect();
    let shown = escape_for_terminal(text).replace('\t', " ");
    vec![format!("  {shown}"), format!("  {}^", " ".repeat(columns(&escape_for_terminal(&before).replace('\t', " "))))]
}

/// Line and column in `... at line 1, col 14: ...`.
fn error_position(message: &str) -> Option<(usize, usize)> {
    let (_, after) = message.split_once("at line ")?;
    let (line, after) = after.split_once(", col ")?;
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    Some((line.parse().ok()?, after[..end].parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caret_is_below_the_error_position() {
        let message = "invalid TraceQL query: parse error at line 1, col 9: expected a value after `=`";
        assert_eq!(caret_lines(message, "{ .天気 = }"), ["  { .天気 = }", "            ^"]);
        let second = "parse error at line 2, col 1: unknown identifier: x";
        assert_eq!(caret_lines(second, "{ } |\nx"), ["  x", "  ^"]);
        assert_eq!(caret_lines("rate() is not supported in a search", "{ } | rate()"), [""; 0]);
        assert_eq!(caret_lines("parse error at line 9, col 1: no", "{"), [""; 0]);
    }
}
