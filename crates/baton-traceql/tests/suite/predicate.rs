//! The predicate of a query is necessary for a match, and as selective as single spans allow.

use super::{
    evaluate::ALIASES,
    evaluate_generate::{queries, traces},
    evaluate_naive::Naive,
};
use baton_traceql::{
    Aliases, Comparison, FieldExpr, Mode, SpanPredicate, TracePredicate, TraceSpans, evaluate, parse,
    pushdown_predicate, search_pipeline,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matching_traces_meet_the_predicate(query in queries(), trace in traces(), aliased in any::<bool>()) {
        let aliases = if aliased { ALIASES } else { Aliases::NONE };
        let needed = pushdown_predicate(&query, aliases);
        if !evaluate(&query, &trace, aliases).unwrap().is_empty() {
            prop_assert!(trace_meets(&needed, &trace), "{} needs {:?}", query, needed);
        }
    }
}

/// Evaluates the predicate without aliases, as a store would: it contains all aliases itself.
pub(crate) fn trace_meets(need: &TracePredicate, trace: &TraceSpans) -> bool {
    match need {
        TracePredicate::Anything => true,
        TracePredicate::All(needs) => needs.iter().all(|need| trace_meets(need, trace)),
        TracePredicate::Any(needs) => needs.iter().any(|need| trace_meets(need, trace)),
        TracePredicate::Span(need) => (0..trace.spans.len()).any(|span| span_meets(need, trace, span)),
    }
}

fn span_meets(need: &SpanPredicate, trace: &TraceSpans, span: usize) -> bool {
    // Each span is evaluated alone: a predicate must not depend on the rest of the trace.
    let naive = Naive { spans: &trace.spans[span..=span], aliases: Aliases::NONE };
    match need {
        SpanPredicate::Anything => true,
        SpanPredicate::Nothing => false,
        SpanPredicate::All(needs) => needs.iter().all(|need| span_meets(need, trace, span)),
        SpanPredicate::Any(needs) => needs.iter().any(|need| span_meets(need, trace, span)),
        SpanPredicate::Exists(field) => !naive.raw(field, 0).is_empty(),
        SpanPredicate::Holds(Comparison { field, op, value }) => {
            naive.compare(*op, &FieldExpr::Field(field.clone()), &FieldExpr::Literal(value.clone()), 0)
        }
    }
}

/// Short text form of a predicate.
fn predicate_text(need: &TracePredicate) -> String {
    let list = |needs: &[TracePredicate], by: &str| needs.iter().map(predicate_text).collect::<Vec<_>>().join(by);
    match need {
        TracePredicate::Anything => "anything".to_owned(),
        TracePredicate::All(needs) => list(needs, " AND "),
        TracePredicate::Any(needs) => format!("({})", list(needs, " OR ")),
        TracePredicate::Span(need) => format!("[{}]", span_predicate_text(need)),
    }
}

fn span_predicate_text(need: &SpanPredicate) -> String {
    let list = |needs: &[SpanPredicate], by: &str| needs.iter().map(span_predicate_text).collect::<Vec<_>>().join(by);
    match need {
        SpanPredicate::Anything => "anything".to_owned(),
        SpanPredicate::Nothing => "nothing".to_owned(),
        SpanPredicate::All(needs) => list(needs, " and "),
        SpanPredicate::Any(needs) => format!("({})", list(needs, " or ")),
        SpanPredicate::Holds(Comparison { field, op, value }) => format!("{field} {op} {value}"),
        SpanPredicate::Exists(field) => format!("has {field}"),
    }
}

#[test]
fn predicate_keeps_the_conditions_usable_by_an_index() {
    let table = [
        ("{}", "anything"),
        ("{ true }", "anything"),
        ("{ false }", "[nothing]"),
        ("{ false || span.a = 1 }", "[span.a = 1]"),
        (
            r#"{ span.a = 1 && span.b =~ "x" && status = error }"#,
            r#"[span.a = 1 and span.b =~ "x" and status = error]"#,
        ),
        ("{ span.a = 1 || span.b = 2 }", "[(span.a = 1 or span.b = 2)]"),
        ("{ span.a = 1 || true }", "anything"),
        ("{ 1 < .a }", "[.a > 1]"),
        ("{ .a }", "[.a = true]"),
        ("{ !.a }", "[.a = false]"),
        ("{ !(.a = 1) && .b != 2 }", "[.b != 2]"),
        ("{ !(.a = nil) && .b = nil }", "[has .a]"),
        ("{ .a != nil }", "[has .a]"),
        ("{ .a + .b > 3 }", "[has .a and has .b]"),
        ("{ .a = .b }", "[has .a and has .b]"),
        ("{ duration > 1s && span:childCount > 2 }", "[duration > 1s]"),
        ("{ nestedSetParent < 0 && span.a = 1 }", "[nestedSetParent < 0 and span.a = 1]"),
        ("{ -1 < nestedSetParent || span.a = 1 }", "[(nestedSetParent >= 0 or span.a = 1)]"),
        ("{ nestedSetParent = 1 && span.a = 1 }", "[span.a = 1]"),
        ("{ nestedSetParent < -1 }", "[nothing]"),
        (r#"{ rootName = "x" && span.a = 1 }"#, r#"[span.a = 1] AND [name = "x"]"#),
        (r#"{ trace:rootService = "x" || span.a = 1 }"#, "anything"),
        (r#"{ parent.a = 1 && span.b = 2 }"#, "[span.b = 2] AND [.a = 1]"),
        (r#"{ trace:id = "AB" }"#, r#"[trace:id = "000000000000000000000000000000ab"]"#),
        ("{ span.a = 1 } && { span.b = 2 }", "[span.a = 1] AND [span.b = 2]"),
        ("{ span.a = 1 } || { span.b = 2 }", "([span.a = 1] OR [span.b = 2])"),
        ("{ span.a = 1 } || {}", "anything"),
        ("{ span.a = 1 } >> { span.b = 2 }", "[span.a = 1] AND [span.b = 2]"),
        ("{ span.a = 1 } !>> { span.b = 2 }", "[span.b = 2]"),
        ("{ span.a = 1 } &~ { span.b = 2 }", "[span.a = 1] AND [span.b = 2]"),
        ("{ span.a = 1 } | { span.b = 2 } | by(span.c)", "[span.a = 1] AND [span.b = 2]"),
        ("{ span.a = 1 } | count() > 2", "[span.a = 1]"),
        ("{ } | max(span.a) > 2", "[span.a > 2]"),
        ("{ } | 2 > min(span.a)", "[span.a < 2]"),
        ("{ } | max(span.a) < 2", "[span.a < 2]"),
        ("{ } | max(span.a) != 2", "[has span.a]"),
        ("{ } | avg(span.a * 2) = 2", "[has span.a]"),
        ("({ span.a = 1 } | count() > 2) && ({ span.b = 2 } | coalesce())", "[span.a = 1] AND [span.b = 2]"),
    ];
    for (text, expected) in table {
        let query = parse(text, Mode::Strict).unwrap_or_else(|why| panic!("{text}: {why}")).query;
        assert_eq!(predicate_text(&pushdown_predicate(&query, Aliases::NONE)), expected, "{text}");
    }
}

#[test]
fn predicate_contains_all_aliases() {
    const NAMES: Aliases = Aliases(&[&["gen_ai.agent.id", "agent.id", "agent"]]);
    let words_of = |text: &str| predicate_text(&pushdown_predicate(&parse(text, Mode::Strict).unwrap().query, NAMES));
    assert_eq!(
        words_of(r#"{ span.agent.id = "a" && span.b = 1 }"#),
        r#"[(span.agent.id = "a" or span.gen_ai.agent.id = "a" or span.agent = "a") and span.b = 1]"#
    );
    assert_eq!(words_of("{ .agent != nil }"), "[(has .agent or has .gen_ai.agent.id or has .agent.id)]");
}

#[test]
fn predicate_of_a_metrics_query_comes_from_its_spans() {
    let query = parse("{ span.a = 1 } | select(span.b) | rate() > 0", Mode::Strict).unwrap().query;
    assert_eq!(predicate_text(&pushdown_predicate(&query, Aliases::NONE)), "[span.a = 1]");
    let (spans, warning) = search_pipeline(&query).unwrap();
    assert_eq!(spans.to_string(), "{ span.a = 1 } | select(span.b)");
    insta::assert_snapshot!(warning.unwrap(), @"`rate() > 0` was ignored: a search returns spans; set the time range with the start and end of the search");
    for refused in ["{ } | rate()", "{ } | rate() > 1", "{ } | rate() by (name) > 0", "{ } | count_over_time() > 0"] {
        assert!(search_pipeline(&parse(refused, Mode::Strict).unwrap().query).is_err(), "{refused}");
    }
}
