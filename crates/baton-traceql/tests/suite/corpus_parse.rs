//! Queries of the documentation.

use std::fmt::Write;

use baton_traceql::{Mode, parse};

/// Documented queries: keys without a scope, newer keys with one, and queries about generated code.
const DOCUMENTED: &str = include_str!("queries/documented.txt");

#[test]
fn documented_queries_parse_without_changes() {
    let mut table = String::new();
    let mut read = 0;
    for written in DOCUMENTED.split("\n\n") {
        let parsed = parse(written, Mode::Lenient).unwrap_or_else(|why| panic!("{written}: {why}"));
        writeln!(table, "{}\n    {}", written.trim_end(), parsed.query).unwrap();
        for warning in parsed.warnings {
            writeln!(table, "    - {warning}").unwrap();
        }
        assert!(parse(&parsed.query.to_string(), Mode::Strict).is_ok(), "{}", parsed.query);
        read += 1;
    }
    assert_eq!(read, 11);
    insta::assert_snapshot!("documented", table);
}
