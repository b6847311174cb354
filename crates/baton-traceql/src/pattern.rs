//! Translation of RE2 regular expressions, which TraceQL uses, to the syntax of the `regex` crate.
//!
//! The differences: `\d`, `\w` and `\s` are ASCII in RE2 (these small classes can be repeated often within the size
//! limit), and `[`, `&&`, `--` and `~~` inside a class are ordinary characters.

use regex::{Regex, RegexBuilder};

/// Maximum size of a compiled regular expression in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// Compiles a pattern anchored at both ends; the error is one line.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    let translated = translate(pattern)?;
    RegexBuilder::new(&format!(r"\A(?:{translated})\z"))
        .size_limit(MAX_COMPILED_BYTES)
        .build()
        .map_err(|error| reason(&error))
}

/// The last line of the error; the lines before it display the pattern.
fn reason(error: &regex::Error) -> String {
    if let regex::Error::CompiledTooBig(_) = error {
        return "it is too large".to_owned();
    }
    let lines = error.to_string();
    let last = lines.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// Translates to the syntax of the `regex` crate. It rejects only patterns that would change the enclosing group.
fn translate(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    let mut open = 0_usize;
    let mut chars = pattern.chars().peekable();
    while let Some(next) = chars.next() {
        match next {
            '\\' => match chars.next() {
                Some(escaped) => escape(&mut out, escaped, EscapePosition::Outside),
                None => return Err("trailing backslash".to_owned()),
            },
            '[' => class(&mut out, &mut chars),
            '(' => {
                open += 1;
                out.push('(');
            }
            ')' => {
                open = open.checked_sub(1).ok_or("unopened group")?;
                out.push(')');
            }
            _ => out.push(next),
        }
    }
    Ok(out)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EscapePosition {
    Outside,
    InClass,
}

/// Translates an escape sequence, after the backslash.
fn escape(out: &mut String, escaped: char, position: EscapePosition) {
    let (set, negated) = match escaped {
        'd' | 'D' => ("0-9", escaped == 'D'),
        'w' | 'W' => ("0-9A-Za-z_", escaped == 'W'),
        's' | 'S' => (r"\t\n\f\r ", escaped == 'S'),
        _ => {
            out.push('\\');
            out.push(escaped);
            return;
        }
    };
    match (position, negated) {
        (EscapePosition::InClass, false) => out.push_str(set),
        (EscapePosition::Outside, false) => out.extend(["[", set, "]"]),
        (_, true) => out.extend(["[^", set, "]"]),
    }
}

/// Translates the rest of a class, after its `[`.
fn class(out: &mut String, chars: &mut std::iter::Peekable<std::str::Chars>) {
    out.push('[');
    if let Some(negation) = chars.next_if_eq(&'^') {
        out.push(negation);
    }
    // A leading `]` is an ordinary character.
    if chars.next_if_eq(&']').is_some() {
        out.push_str("\\]");
    }
    while let Some(next) = chars.next() {
        match next {
            ']' => {
                out.push(']');
                return;
            }
            '\\' => match chars.next() {
                Some(escaped) => escape(out, escaped, EscapePosition::InClass),
                None => out.push('\\'),
            },
            '[' if chars.peek() == Some(&':') => {
                // A named class such as `[:alpha:]`, up to its end.
                out.push('[');
                while let Some(named) = chars.next_if(|named| *named != ']') {
                    out.push(named);
                }
                out.extend(chars.next());
            }
            '[' => out.push_str("\\["),
            '&' | '-' | '~' if chars.next_if_eq(&next).is_some() => out.extend(['\\', next, '\\', next]),
            _ => out.push(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn patterns_match_as_in_re2() {
        for (pattern, matching, other) in [
            ("bar", "bar", "xbar"),
            ("a|b", "b", "ab"),
            ("", "", "x"),
            (r"\d{1,250}", "123", "１２３"),
            (r"\w{1,40}", "a_1", "é"),
            (r"\s\S", "\tx", "\u{2003}x"),
            (r"\W\D", "éx", "a1"),
            (r"[\d.]+", "1.2", "1,2"),
            (r"[^\w]", "é", "a"),
            (r"[\D]", "x", "1"),
            ("[[]", "[", "]"),
            ("[]a]+", "]a", "[a"),
            ("[^]a]", "b", "]"),
            ("[a&&b]", "&", "c"),
            ("[a~~b]", "~", "c"),
            ("[[:alpha:]-]+", "a-b", "1"),
            (r"[\]\\]+", r"]\", "["),
            (r"\(\)\[", "()[", "("),
            ("(?i)ABC", "abc", "ab"),
            ("a.c", "a/c", "a\nc"),
            ("a$", "a", "a\n"),
            ("(?m)a$\nb", "a\nb", "a"),
        ] {
            let regex = compile(pattern).unwrap_or_else(|why| panic!("{pattern}: {why}"));
            assert!(regex.is_match(matching), "{pattern} does not match {matching:?}");
            assert!(!regex.is_match(other), "{pattern} matches {other:?}");
        }
    }

    #[test]
    fn invalid_pattern_is_rejected_with_a_reason() {
        for (pattern, reason) in [
            ("a)(b", "unopened group"),
            ("(", "unclosed group"),
            ("[", "unclosed character class"),
            ("a\\", "trailing backslash"),
            ("*", "repetition operator missing expression"),
            ("a{1000}{1000}", "it is too large"),
            ("(?=a)", "look-around, including look-ahead and look-behind, is not supported"),
        ] {
            assert_eq!(compile(pattern).map(|regex| regex.to_string()), Err(reason.to_owned()), "{pattern}");
        }
    }
}
