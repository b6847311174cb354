//! Keywords and intrinsics of the language.

use crate::{Intrinsic, lex::Op};

/// A reserved identifier.
pub(crate) enum ReservedWord {
    Keyword(&'static str),
    Intrinsic(Intrinsic),
}

const KEYWORDS: &[&str] = &[
    "true",
    "false",
    "nil",
    "ok",
    "error",
    "unset",
    "unspecified",
    "internal",
    "server",
    "client",
    "producer",
    "consumer",
    "minInt",
    "maxInt",
    "by",
    "coalesce",
    "select",
    "with",
    "count",
    "min",
    "max",
    "avg",
    "sum",
    "rate",
    "count_over_time",
    "min_over_time",
    "max_over_time",
    "avg_over_time",
    "sum_over_time",
    "quantile_over_time",
    "histogram_over_time",
    "compare",
    "topk",
    "bottomk",
];

/// All spellings of the intrinsics; the canonical form comes first.
const INTRINSICS: &[(&str, Intrinsic)] = &[
    ("duration", Intrinsic::Duration),
    ("name", Intrinsic::Name),
    ("kind", Intrinsic::Kind),
    ("status", Intrinsic::Status),
    ("statusMessage", Intrinsic::StatusMessage),
    ("rootName", Intrinsic::RootName),
    ("rootServiceName", Intrinsic::RootService),
    ("traceDuration", Intrinsic::TraceDuration),
    ("nestedSetLeft", Intrinsic::NestedSetLeft),
    ("nestedSetRight", Intrinsic::NestedSetRight),
    ("nestedSetParent", Intrinsic::NestedSetParent),
    ("parent", Intrinsic::Parent),
    ("span:duration", Intrinsic::Duration),
    ("span:name", Intrinsic::Name),
    ("span:kind", Intrinsic::Kind),
    ("span:status", Intrinsic::Status),
    ("span:statusMessage", Intrinsic::StatusMessage),
    ("span:id", Intrinsic::SpanId),
    ("span:parentID", Intrinsic::ParentId),
    ("span:childCount", Intrinsic::ChildCount),
    ("childCount", Intrinsic::ChildCount),
    ("trace:duration", Intrinsic::TraceDuration),
    ("trace:rootName", Intrinsic::RootName),
    ("trace:rootService", Intrinsic::RootService),
    ("trace:id", Intrinsic::TraceId),
    ("event:name", Intrinsic::EventName),
    ("event:timeSinceStart", Intrinsic::EventTimeSinceStart),
    ("link:traceID", Intrinsic::LinkTraceId),
    ("link:spanID", Intrinsic::LinkSpanId),
    ("instrumentation:name", Intrinsic::InstrumentationName),
    ("instrumentation:version", Intrinsic::InstrumentationVersion),
];

/// The keyword or intrinsic with this spelling.
pub(crate) fn reserved_word(word: &str) -> Option<ReservedWord> {
    if let Some(keyword) = KEYWORDS.iter().find(|keyword| **keyword == word) {
        return Some(ReservedWord::Keyword(keyword));
    }
    scoped_intrinsic(word).map(ReservedWord::Intrinsic)
}

/// The intrinsic with exactly this spelling.
pub(crate) fn scoped_intrinsic(word: &str) -> Option<Intrinsic> {
    INTRINSICS.iter().find(|(form, _)| *form == word).map(|(_, intrinsic)| *intrinsic)
}

/// Canonical form of an intrinsic.
pub(crate) fn canonical(intrinsic: Intrinsic) -> &'static str {
    INTRINSICS.iter().find(|(_, other)| *other == intrinsic).map_or("", |(form, _)| form)
}

/// The operator for a spelled-out `and`, `or` or `not`.
pub(crate) fn spelled_operator(word: &str) -> Option<Op> {
    match word {
        "and" | "AND" => Some(Op::And),
        "or" | "OR" => Some(Op::Or),
        "not" | "NOT" => Some(Op::Not),
        _ => None,
    }
}
