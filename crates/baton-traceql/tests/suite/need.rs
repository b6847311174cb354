//! What a query needs is necessary, and as much as can be said of single spans.

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
    fn every_trace_that_answers_meets_the_need(query in queries(), trace in traces(), aliased in any::<bool>()) {
        let aliases = if aliased { ALIASES } else { Aliases::NONE };
        let needed = pushdown_predicate(&query, aliases);
        if !evaluate(&query, &trace, aliases).unwrap().is_empty() {
            prop_assert!(met(&needed, &trace), "{} needs {:?}", query, needed);
        }
    }
}

/// As a store without aliases would find it: every name that may count is in the need itself.
pub(crate) fn met(need: &TracePredicate, trace: &TraceSpans) -> bool {
    match need {
        TracePredicate::Anything => true,
        TracePredicate::All(needs) => needs.iter().all(|need| met(need, trace)),
        TracePredicate::Any(needs) => needs.iter().any(|need| met(need, trace)),
        TracePredicate::Span(need) => (0..trace.spans.len()).any(|span| met_by(need, trace, span)),
    }
}

fn met_by(need: &SpanPredicate, trace: &TraceSpans, span: usize) -> bool {
    // One span at a time: a need must not depend on the rest of the trace.
    let naive = Naive { spans: &trace.spans[span..=span], aliases: Aliases::NONE };
    match need {
        SpanPredicate::Anything => true,
        SpanPredicate::Nothing => false,
        SpanPredicate::All(needs) => needs.iter().all(|need| met_by(need, trace, span)),
        SpanPredicate::Any(needs) => needs.iter().any(|need| met_by(need, trace, span)),
        SpanPredicate::Exists(field) => !naive.raw(field, 0).is_empty(),
        SpanPredicate::Holds(Comparison { field, op, value }) => {
            naive.compare(*op, &FieldExpr::Field(field.clone()), &FieldExpr::Literal(value.clone()), 0)
        }
    }
}

/// A need in few words.
fn words(need: &TracePredicate) -> String {
    let list = |needs: &[TracePredicate], by: &str| needs.iter().map(words).collect::<Vec<_>>().join(by);
    match need {
        TracePredicate::Anything => "anything".to_owned(),
        TracePredicate::All(needs) => list(needs, " AND "),
        TracePredicate::Any(needs) => format!("({})", list(needs, " OR ")),
        TracePredicate::Span(need) => format!("[{}]", span_words(need)),
    }
}

fn span_words(need: &SpanPredicate) -> String {
    let list = |needs: &[SpanPredicate], by: &str| needs.iter().map(span_words).collect::<Vec<_>>().join(by);
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
fn needs_say_what_an_index_can_use() {
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
        assert_eq!(words(&pushdown_predicate(&query, Aliases::NONE)), expected, "{text}");
    }
}

#[test]
fn every_name_that_may_count_is_needed() {
    const NAMES: Aliases = Aliases(&[&["gen_ai.agent.id", "agent.id", "agent"]]);
    let words_of = |text: &str| words(&pushdown_predicate(&parse(text, Mode::Strict).unwrap().query, NAMES));
    assert_eq!(
        words_of(r#"{ span.agent.id = "a" && span.b = 1 }"#),
        r#"[(span.agent.id = "a" or span.gen_ai.agent.id = "a" or span.agent = "a") and span.b = 1]"#
    );
    assert_eq!(words_of("{ .agent != nil }"), "[(has .agent or has .gen_ai.agent.id or has .agent.id)]");
}

#[test]
fn what_is_searched_of_a_metrics_query_is_needed() {
    let query = parse("{ span.a = 1 } | select(span.b) | rate() > 0", Mode::Strict).unwrap().query;
    assert_eq!(words(&pushdown_predicate(&query, Aliases::NONE)), "[span.a = 1]");
    let (spans, warning) = search_pipeline(&query).unwrap();
    assert_eq!(spans.to_string(), "{ span.a = 1 } | select(span.b)");
    insta::assert_snapshot!(warning.unwrap(), @"`rate() > 0` was ignored: a search returns spans; set the time range with the start and end of the search");
    for refused in ["{ } | rate()", "{ } | rate() > 1", "{ } | rate() by (name) > 0", "{ } | count_over_time() > 0"] {
        assert!(search_pipeline(&parse(refused, Mode::Strict).unwrap().query).is_err(), "{refused}");
    }
}
