//! Durations and sizes with units.

use std::time::Duration;

/// Parses `500ms`, `30s`, `5m`, `2h` or `1d`; `None` for a number without a unit.
pub fn duration(text: &str) -> Option<Duration> {
    let (digits, unit) = split(text)?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 60 * 60 * 1000,
        "d" => 24 * 60 * 60 * 1000,
        _ => return None,
    };
    Some(Duration::from_millis(digits.checked_mul(millis)?))
}

/// Parses `65536`, `64KB`, `1MB` or `2GB`; units are powers of 1024.
pub fn size(text: &str) -> Option<usize> {
    let (digits, unit) = split(text)?;
    let bytes = match unit {
        "" | "B" => 1,
        "KB" | "kB" | "KiB" => 1 << 10,
        "MB" | "MiB" => 1 << 20,
        "GB" | "GiB" => 1 << 30,
        _ => return None,
    };
    usize::try_from(digits.checked_mul(bytes)?).ok()
}

fn split(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_parsed() {
        for (text, expect) in [
            ("500ms", Some(500)),
            ("30s", Some(30_000)),
            ("5 m", Some(300_000)),
            ("2h", Some(7_200_000)),
            ("1d", Some(86_400_000)),
            ("30", None),
            ("s", None),
            ("-1s", None),
            ("99999999999999999999s", None),
            ("18446744073709551615d", None),
        ] {
            assert_eq!(duration(text).map(|d| d.as_millis()), expect, "{text}");
        }
        for (text, expect) in [
            ("10", Some(10)),
            ("64KB", Some(65536)),
            ("1 MB", Some(1 << 20)),
            ("1GB", Some(1 << 30)),
            ("1XB", None),
            ("", None),
        ] {
            assert_eq!(size(text), expect, "{text}");
        }
    }
}
