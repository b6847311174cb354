//! Tables of valid queries with their canonical form, and of invalid ones with their errors.

use std::fmt::Write;

use baton_traceql::{Mode, ParsedQuery, parse};

pub(crate) const VALID: &str = include_str!("queries/valid.txt");
const INVALID: &str = include_str!("queries/invalid.txt");

#[test]
fn valid_queries_have_one_canonical_form() {
    let mut table = String::new();
    for written in VALID.lines() {
        let ParsedQuery { query, warnings } =
            parse(written, Mode::Strict).unwrap_or_else(|why| panic!("{written}: {why}"));
        assert!(warnings.is_empty(), "{written}: {warnings:?}");
        let canonical = query.to_string();
        writeln!(table, "{written}\n    {canonical}").unwrap();
        let again = parse(&canonical, Mode::Strict).unwrap_or_else(|why| panic!("{canonical}: {why}"));
        assert_eq!(again.query, query, "{canonical} parses differently from {written}");
        assert_eq!(again.query.to_string(), canonical);
        let lenient = parse(written, Mode::Lenient).unwrap_or_else(|why| panic!("{written}: {why}"));
        assert_eq!(lenient, again, "{written} parses differently in lenient mode");
    }
    assert!(VALID.lines().count() >= 150);
    insta::assert_snapshot!("valid", table);
}

#[test]
fn parse_errors_have_a_message_and_a_position() {
    let mut table = String::new();
    for written in INVALID.lines() {
        match parse(written, Mode::Strict) {
            Ok(parsed) => panic!("{written} is read as {}", parsed.query),
            Err(why) => writeln!(table, "{written}\n    {why}").unwrap(),
        }
    }
    assert!(INVALID.lines().count() >= 80);
    insta::assert_snapshot!("invalid", table);
}

#[test]
fn error_position_is_a_line_and_a_column_in_characters() {
    let why = parse("{ .größe = 1 &&\n  .straße =\n}", Mode::Strict).unwrap_err();
    assert_eq!((why.line, why.column), (3, 1));
    assert_eq!(why.to_string(), "parse error at line 3, col 1: expected a value after `=`, found `}`");
    let why = parse("{ .größe = 1 && ß = 1 }", Mode::Strict).unwrap_err();
    assert_eq!(why.to_string(), "parse error at line 1, col 17: unknown identifier: ß");
}

#[test]
fn exceeded_limits_are_errors_without_stack_overflow() {
    let deep = |open: &str, middle: &str, close: &str, times: usize| {
        format!("{}{middle}{}", open.repeat(times), close.repeat(times))
    };
    for (query, words) in [
        (format!("{{ {} }}", deep("(", ".a", ")", 20_000)), "nested"),
        (format!("{{ {}.a }}", "!".repeat(20_000)), "nested"),
        (format!("{{ {}.a }}", "- ".repeat(20_000)), "nested"),
        (deep("(", "{ }", ")", 20_000), "nested"),
        (format!("{{ {} }}", vec![".a"; 10_000].join("^")), "nested"),
        (format!("{{ {} }}", vec![".a"; 10_000].join("&&")), "operators"),
        (vec!["{}"; 10_000].join("&&"), "operators"),
        (format!("{{ {} }}", vec![".a=~``"; 33].join("&&")), "regular expressions"),
        (format!("{{ .a = \"{}\" }}", "x".repeat(70_000)), "bytes"),
    ] {
        let why = parse(&query, Mode::Strict).unwrap_err();
        assert!(why.message.contains(words), "{why}");
    }
    let most = format!("{{ {} }}", vec![".a"; 512].join(" && "));
    assert_eq!(parse(&most, Mode::Strict).unwrap().query.to_string(), most);
    assert!(parse(&format!("{{ {} }}", deep("(", ".a", ")", 90)), Mode::Strict).is_ok());
}

#[test]
fn limits_apply_to_the_canonical_form() {
    let canonical = "the query is too long or nested too deep once it is in canonical form";
    for written in [
        format!("{{ {}.a }}", "-".repeat(95)),
        format!("{{ {} }}", vec![".a && .b"; 120].join(" || ")),
        format!("{{ {} }}", vec!["-.a"; 40].join(" * ")),
        format!("{{ }} | select({})", vec![".a"; 20_000].join(",")),
        format!("{{ .a = `{}` }}", "\u{7}".repeat(20_000)),
    ] {
        assert_eq!(parse(&written, Mode::Strict).map_err(|why| why.message), Err(canonical.to_owned()), "{written}");
    }
    let many = format!("{{ {} }}", vec![".a = 1"; 200].join(" || "));
    assert_eq!(parse(&many, Mode::Strict).unwrap().query.to_string(), many);
}
