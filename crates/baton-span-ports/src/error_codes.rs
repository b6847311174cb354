//! Error codes of the span store port.

baton_types::error_codes! {
    TRACE_TOO_LARGE = "BTN-2026", "The trace is too large for one answer", "A client puts all its spans into one trace: use a separate trace for each unit of work.";
    QUERY_TOO_LARGE = "BTN-2040", "The query exceeds its memory limit", "Narrow it: a longer step, a shorter range, a narrower filter, or fewer labels in by().";
    SPANS_CORRUPT = "BTN-4009", "Files of the span store are damaged", "Baton sets damaged files aside when it starts. If a query finds one, stop Baton and run `baton doctor --repair`, which reads every block and sets damaged ones aside; nothing is deleted.";
}
