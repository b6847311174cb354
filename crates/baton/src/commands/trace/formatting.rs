//! Formats durations, timestamps, counts and values for display.

use baton_types::{SpanValue, Timestamp};
use std::fmt::Write as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Formats nanoseconds with about three digits.
pub(crate) fn duration(nanos: u64) -> String {
    match nanos {
        0 => "0s".to_owned(),
        nanos if nanos < MICRO => format!("{nanos}ns"),
        nanos if nanos < MILLI => three_digits(nanos, MICRO, "us"),
        nanos if nanos < SECOND => three_digits(nanos, MILLI, "ms"),
        nanos if nanos < MINUTE => three_digits(nanos, SECOND, "s"),
        nanos if nanos < HOUR => format!("{}m{:02}s", nanos / MINUTE, nanos % MINUTE / SECOND),
        nanos if nanos < 2 * DAY => format!("{}h{:02}m", nanos / HOUR, nanos % HOUR / MINUTE),
        nanos => format!("{}d{:02}h", nanos / DAY, nanos % DAY / HOUR),
    }
}

/// Rounds down, so a value never reaches the next unit.
fn three_digits(number: u64, unit: u64, name: &str) -> String {
    let (whole, rest) = (number / unit, number % unit);
    let decimals = match whole {
        0..=9 => format!("{:02}", rest * 100 / unit),
        10..=99 => (rest * 10 / unit).to_string(),
        _ => String::new(),
    };
    match decimals.trim_end_matches('0') {
        "" => format!("{whole}{name}"),
        decimals => format!("{whole}.{decimals}{name}"),
    }
}

/// Formats nanoseconds since the Unix epoch as date and time, with millisecond precision.
pub(crate) fn moment(nanos: u64) -> String {
    let text = Timestamp::from_millis(i64::try_from(nanos / MILLI).unwrap_or(i64::MAX)).to_string();
    text.trim_end_matches('Z').replacen('T', " ", 1)
}

/// Formats a count with thousands separators.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun, in the plural unless it is 1.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let plural = match (number, noun.ends_with('h')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {noun}{plural}", count(number))
}

/// Formats a count in at most five characters.
pub(crate) fn short_count(number: u64) -> String {
    match number {
        number if number < 10_000 => number.to_string(),
        number if number < 1_000_000 => three_digits(number, 1_000, "k"),
        number if number < 1_000_000_000 => three_digits(number, 1_000_000, "M"),
        number => three_digits(number, 1_000_000_000, "G"),
    }
}

/// Formats bytes in binary units.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if number < 1024 {
        return format!("{number} B");
    }
    let power = (number.ilog2() / 10).min(5);
    three_digits(number, 1 << (10 * power), &format!(" {}", UNITS[usize::try_from(power).unwrap_or(1) - 1]))
}

/// Formats dollars; smaller amounts get more digits.
pub(crate) fn money(dollars: f64) -> String {
    match dollars {
        dollars if dollars >= 1.0 => format!("${dollars:.2}"),
        dollars if dollars >= 0.01 => format!("${dollars:.3}"),
        dollars if dollars >= 0.000_1 || dollars == 0.0 => format!("${dollars:.4}"),
        _ => "<$0.0001".to_owned(),
    }
}

/// Display width of a text, in terminal columns.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Truncates a text to one line of at most `max_width` columns, replaces control characters, and marks the truncation.
pub(crate) fn fit(text: &str, max_width: usize, more: char) -> String {
    let (mut line, mut width) = (String::new(), 0);
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut characters = text.trim_end().chars().map(clean).peekable();
    while let Some(character) = characters.next() {
        let wide = character.width().unwrap_or(0);
        let room = max_width - width.min(max_width);
        let is_last = characters.peek().is_none();
        if wide > room || (!is_last && wide == room) {
            if room > 0 {
                line.push(more);
            }
            break;
        }
        line.push(character);
        width += wide;
    }
    line
}

/// Pads a text on the right; longer texts are unchanged.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(columns(text));
    format!("{text}{}", " ".repeat(missing))
}

/// Pads a text on the left.
pub(crate) fn right_aligned(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(columns(text));
    format!("{}{text}", " ".repeat(missing))
}

/// Wraps a text into at most `max_lines` lines of `width` columns, between words where possible.
pub(crate) fn wrap(text: &str, width: usize, max_lines: usize) -> Vec<String> {
    let width = width.max(8);
    let mut lines = Vec::new();
    for paragraph in text.trim().lines() {
        let mut line = String::new();
        for word in paragraph.split_inclusive(' ') {
            let clean: String = word.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            if columns(&line) + columns(clean.trim_end()) > width && !line.trim().is_empty() {
                lines.push(line.trim_end().to_owned());
                line.clear();
            }
            for character in clean.chars() {
                if columns(&line) + character.width().unwrap_or(0) > width && character != ' ' {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(character);
            }
            if lines.len() > max_lines {
                break;
            }
        }
        lines.push(line.trim_end().to_owned());
        if lines.len() > max_lines {
            break;
        }
    }
    if lines.len() > max_lines {
        lines.truncate(max_lines);
        if let Some(last) = lines.last_mut() {
            *last = format!("{} ...", fit(last, width.saturating_sub(4), ' ').trim_end());
        }
    }
    lines
}

/// Formats a value in TraceQL syntax, without quotes around text.
pub(crate) fn plain(value: &SpanValue) -> String {
    match value {
        SpanValue::Text(text) => text.to_string(),
        SpanValue::Bool(flag) => flag.to_string(),
        SpanValue::Int(number) => number.to_string(),
        SpanValue::Float(number) => number.to_string(),
        SpanValue::List(items) => format!("[{}]", items.iter().map(quoted).collect::<Vec<_>>().join(", ")),
        SpanValue::Map(pairs) => {
            let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}: {}", quoted(value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        SpanValue::Bytes(bytes) => bytes.iter().fold("0x".to_owned(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }),
        SpanValue::Empty => "nil".to_owned(),
    }
}

/// Like `plain`, with quotes around text that is not a single word.
pub(crate) fn quoted(value: &SpanValue) -> String {
    let text = plain(value);
    let is_word = |text: &str| !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || "\"{}[],".contains(c));
    match value {
        SpanValue::Text(_) if !is_word(&text) => format!("{text:?}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_about_three_digits_and_are_rounded_down() {
        for (nanos, expect) in [
            (0, "0s"),
            (999, "999ns"),
            (1_500, "1.5us"),
            (999_999, "999us"),
            (1_000_000, "1ms"),
            (12_340_000, "12.3ms"),
            (1_849_999_999, "1.84s"),
            (59_999_999_999, "59.9s"),
            (60 * SECOND, "1m00s"),
            (3_725 * SECOND, "1h02m"),
            (50 * HOUR, "2d02h"),
            (u64::MAX, "213503d23h"),
        ] {
            assert_eq!(duration(nanos), expect);
        }
    }

    #[test]
    fn counts_bytes_and_money() {
        assert_eq!([count(7), count(1_000), count(12_345_678)], ["7", "1,000", "12,345,678"]);
        assert_eq!(
            [short_count(9_999), short_count(10_000), short_count(123_456), short_count(7_500_000)],
            ["9999", "10k", "123k", "7.5M"]
        );
        assert_eq!([bytes(1_023), bytes(1_024), bytes(1_536), bytes(5 << 30)], ["1023 B", "1 KB", "1.5 KB", "5 GB"]);
        assert_eq!(
            [money(12.345), money(0.0123), money(0.001_2), money(1e-6)],
            ["$12.35", "$0.012", "$0.0012", "<$0.0001"]
        );
    }

    #[test]
    fn text_is_truncated_to_display_width() {
        for (text, most, expect) in [
            ("plan", 4, "plan"),
            ("plans", 4, "pla…"),
            ("天気予報", 7, "天気予…"),
            ("天気予報", 8, "天気予報"),
            ("a\nb", 4, "a b"),
            ("ab", 0, ""),
        ] {
            assert_eq!(fit(text, most, '…'), expect, "{text} in {most}");
        }
        assert_eq!(wrap("one two three\nfour", 8, 9), ["one two", "three", "four"]);
        assert_eq!(wrap("to be there.", 9, 9), ["to be", "there."]);
        assert_eq!(wrap("abcdefghijkl", 8, 9), ["abcdefgh", "ijkl"]);
        assert_eq!(wrap("a\nb\nc", 8, 2), ["a", "b ..."]);
    }
}
