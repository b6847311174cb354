//! Difference between a call and the nearest recorded one.

use serde_json::Value;
use std::collections::HashMap;

/// Maximum number of lines displayed per side, and of characters per line.
const MAX_DIFF_LINES: usize = 12;
const MAX_DIFF_LINE_CHARS: usize = 160;

/// Diff against the recorded call with the most lines in common: `-` is recorded, `+` is the current call.
pub(super) fn difference<'a>(current: &Value, recorded: impl Iterator<Item = &'a Value>) -> Option<String> {
    let current = lines(current);
    let nearest = recorded.map(lines).max_by_key(|lines| in_common(lines, &current))?;
    let start = nearest.iter().zip(&current).take_while(|(a, b)| a == b).count();
    let (recorded, current) = (&nearest[start..], &current[start..]);
    let end = recorded.iter().rev().zip(current.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut shown = Vec::new();
    for (sign, lines) in [('-', &recorded[..recorded.len() - end]), ('+', &current[..current.len() - end])] {
        shown.extend(lines.iter().take(MAX_DIFF_LINES).map(|line| {
            let cut: String = line.chars().take(MAX_DIFF_LINE_CHARS).collect();
            format!("{sign} {cut}")
        }));
        if lines.len() > MAX_DIFF_LINES {
            shown.push(format!("{sign} … and {} more lines", lines.len() - MAX_DIFF_LINES));
        }
    }
    Some(shown.join("\n"))
}

fn lines(value: &Value) -> Vec<String> {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.lines().map(|line| line.trim_end_matches(',').to_owned()).collect()
}

fn in_common(a: &[String], b: &[String]) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in a {
        *counts.entry(line).or_default() += 1;
    }
    b.iter().filter(|line| counts.get_mut(line.as_str()).is_some_and(take_one)).count()
}

fn take_one(left: &mut usize) -> bool {
    let some = *left > 0;
    *left = left.saturating_sub(1);
    some
}
