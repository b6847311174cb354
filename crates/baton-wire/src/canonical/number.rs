//! Numbers as ECMAScript prints them.

use std::iter::repeat_n;

/// Beyond this many digits before the point, and from [`SMALLEST_POINT`] down, an exponent is written.
const LARGEST_POINT: i32 = 21;
const SMALLEST_POINT: i32 = -6;

/// Appends a finite number: the fewest digits that give the same double when they are read.
pub(super) fn write(out: &mut String, value: f64) {
    // Negative zero is printed without its sign.
    if value == 0.0 {
        out.push('0');
        return;
    }
    if value < 0.0 {
        out.push('-');
    }
    // Rust's exponential form has those fewest digits; only their layout differs.
    let shortest = format!("{:e}", value.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    // The value is 0.DIGITS times ten to the power of `point`.
    let (count, point) = (i32::try_from(digits.len()).unwrap_or(i32::MAX), exponent + 1);
    let zeros = |count: i32| repeat_n('0', usize::try_from(count).unwrap_or(0));
    match usize::try_from(point) {
        Ok(_) if (count..=LARGEST_POINT).contains(&point) => {
            out.push_str(&digits);
            out.extend(zeros(point - count));
        }
        Ok(before @ 1..) if point <= LARGEST_POINT => {
            let (whole, rest) = digits.split_at(before);
            out.extend([whole, ".", rest]);
        }
        _ if (SMALLEST_POINT + 1..=0).contains(&point) => {
            out.push_str("0.");
            out.extend(zeros(-point));
            out.push_str(&digits);
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let sign = if exponent < 0 { "-" } else { "+" };
            out.extend([first, point, rest, "e", sign, &exponent.unsigned_abs().to_string()]);
        }
    }
}
