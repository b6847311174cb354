//! Nesting depth of JSON text, computed without parsing.

/// Whether no value in `json` is nested deeper than `limit`.
///
/// One linear pass that recognizes only strings and brackets, so it is safe on any bytes and runs before any parser.
pub fn depth_within(json: &[u8], limit: usize) -> bool {
    let mut depth = 0_usize;
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                while let Some(string_byte) = bytes.next() {
                    match string_byte {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return false;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_of_strings() {
        for (json, limit, expect) in [
            ("", 0, true),
            ("[]", 0, false),
            ("[[1],[2],[3]]", 2, true),
            ("[[1],[2],[3]]", 1, false),
            (r#"{"a":"[[[[","b":["\"[[["]}"#, 2, true),
            (r#""\\"[["#, 1, false),
            ("]]]][", 1, true),
        ] {
            assert_eq!(depth_within(json.as_bytes(), limit), expect, "{json}");
        }
        assert!(!depth_within(&b"[".repeat(10_000), 100));
        assert!(depth_within(&b"[1],".repeat(10_000), 1));
    }
}
