//! TraceQL queries: a parsed query must print as text that parses to the same query.

use baton_traceql::{Mode, parse};

/// Parses a query in both modes; the printed text must be canonical.
pub(crate) fn read(text: &str) {
    let strict = parse(text, Mode::Strict);
    let lenient = parse(text, Mode::Lenient);
    if let Ok(strict) = &strict {
        assert_eq!(
            lenient.as_ref().map(|parsed| &parsed.query),
            Ok(&strict.query),
            "lenient mode reads {text} differently"
        );
    }
    for parsed in [strict, lenient].into_iter().flatten() {
        let printed = parsed.query.to_string();
        let again = parse(&printed, Mode::Strict).map(|again| again.query);
        assert_eq!(again, Ok(parsed.query), "{text} was printed as {printed}");
    }
}
