//! Lexing of numbers and durations.

use crate::lex::TokenKind;

const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
    ("w", 604_800_000_000_000),
];

/// Magnitude of `i64::MIN`; the largest positive value is one less.
const MAX_MAGNITUDE: u64 = 1 << 63;

/// Reads an unsigned integer, float or duration; returns the token and its length.
pub(crate) fn number(text: &str) -> (Result<TokenKind, String>, usize) {
    let run = length_while(text, |next| next.is_alphanumeric() || next == '.' || next == '_');
    let word = text.get(..run).unwrap_or_default();
    if let Some(duration) = duration(word) {
        let read = duration.filter(|nanos| *nanos <= MAX_MAGNITUDE).map(TokenKind::Duration);
        return (read.ok_or_else(|| format!("`{word}` is too large for a duration")), run);
    }
    let length = numeral(text);
    let digits = text.get(..length).unwrap_or_default();
    if length < run {
        return (Err(format!("`{word}` is neither a number nor a duration")), run);
    }
    let read = if digits.bytes().all(|digit| digit.is_ascii_digit()) {
        digits.parse().ok().filter(|integer| *integer <= MAX_MAGNITUDE).map(TokenKind::Int)
    } else {
        digits.parse().ok().filter(|number: &f64| number.is_finite()).map(TokenKind::Float)
    };
    (read.ok_or_else(|| format!("`{digits}` is too large for a number")), length)
}

fn length_while(text: &str, accept: impl Fn(char) -> bool) -> usize {
    text.find(|next| !accept(next)).unwrap_or(text.len())
}

fn digits(text: &str) -> usize {
    length_while(text, |next| next.is_ascii_digit())
}

/// Length of the numeral at the start of a text: digits, fraction, exponent.
fn numeral(text: &str) -> usize {
    let mut length = digits(text);
    if let Some(fraction) = text.get(length..).and_then(|rest| rest.strip_prefix('.')) {
        length += 1 + digits(fraction);
    }
    let rest = text.get(length..).unwrap_or_default();
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let power = digits(unsigned);
        if power > 0 {
            length += rest.len() - unsigned.len() + power;
        }
    }
    length
}

/// Nanoseconds if the whole text is a duration; `Some(None)` on overflow.
fn duration(text: &str) -> Option<Option<u64>> {
    let mut rest = text;
    let mut total = Some(0_u64);
    while !rest.is_empty() {
        let (integer, after) = rest.split_at_checked(digits(rest))?;
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => after.split_at_checked(digits(after))?,
            None => ("", after),
        };
        if integer.is_empty() && fraction.is_empty() {
            return None;
        }
        let unit_length = length_while(after, char::is_alphabetic);
        let (unit, after) = after.split_at_checked(unit_length)?;
        let (_, nanos) = UNITS.iter().find(|(name, _)| *name == unit)?;
        total = total.zip(part(integer, fraction, *nanos)).and_then(|(sum, part)| sum.checked_add(part));
        rest = after;
    }
    (!text.is_empty()).then_some(total)
}

fn part(integer: &str, fraction: &str, unit: u64) -> Option<u64> {
    let integer: u64 = if integer.is_empty() { 0 } else { integer.parse().ok()? };
    let mut scaled: u128 = 0;
    let mut scale: u128 = 1;
    // Further digits are below one nanosecond in every unit.
    for digit in fraction.bytes().take(18) {
        scaled = scaled * 10 + u128::from(digit - b'0');
        scale *= 10;
    }
    integer.checked_mul(unit)?.checked_add(u64::try_from(scaled * u128::from(unit) / scale).ok()?)
}
