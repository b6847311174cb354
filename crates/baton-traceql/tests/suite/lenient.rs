//! Corrections of lenient mode and their warnings.

use std::fmt::Write;

use baton_traceql::{Mode, ParsedQuery, parse};

const LENIENT: &str = include_str!("queries/lenient.txt");

#[test]
fn corrected_query_is_canonical_and_has_a_warning() {
    let mut table = String::new();
    for line in LENIENT.lines() {
        let written = line.replace("\\n", "\n");
        writeln!(table, "{line}").unwrap();
        match parse(&written, Mode::Lenient) {
            Ok(ParsedQuery { query, warnings }) => {
                writeln!(table, "    {query}").unwrap();
                for warning in warnings {
                    writeln!(table, "    - {warning}").unwrap();
                }
                let strict = parse(&query.to_string(), Mode::Strict).unwrap();
                assert_eq!(strict.query, query, "{written} is not canonical when printed");
            }
            Err(why) => writeln!(table, "    {why}").unwrap(),
        }
    }
    insta::assert_snapshot!("lenient", table);
}

#[test]
fn warnings_are_bounded_and_unique() {
    let matchers: Vec<_> = (0..400).map(|n| format!("key{n} == 1")).collect();
    let parsed = parse(&format!("{{ {} }}", matchers.join(" and ")), Mode::Lenient);
    assert_eq!(parsed.unwrap_err().message, "a query can have 512 operators; this one has more");
    let parsed = parse(&format!("{{ {} }}", matchers[..200].join(" and ")), Mode::Lenient).unwrap();
    assert_eq!(parsed.warnings.len(), 32);
    assert_eq!(parsed.warnings.iter().filter(|warning| warning.contains("==")).count(), 1);
}
