//! The evaluator agrees with the naive one.

use super::{
    evaluate_generate::{filters, queries, traces},
    evaluate_naive::Naive,
};
use baton_traceql::{
    Aliases, CompareOp, Field, Intrinsic, Literal, Mode, Query, Root, SearchPlan, Spanset, TraceSpans, ValuePredicate,
    check, check_tail, evaluate, matches_span, parse, selected_attributes,
};
use baton_types::SpanValue;
use proptest::prelude::*;

/// Two keys that are aliases of each other.
pub(crate) const ALIASES: Aliases = Aliases(&[&["b", "a"]]);

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn evaluation_matches_the_naive_evaluator(query in queries(), trace in traces(), aliased in any::<bool>()) {
        prop_assert_eq!(check(&query), Ok(()), "{}", query);
        let aliases = if aliased { ALIASES } else { Aliases::NONE };
        let found = evaluate(&query, &trace, aliases).unwrap();
        prop_assert_eq!(&found, &naive(&query, &trace, aliases), "{}", query);
        let again = TraceSpans { spans: trace.spans.iter().rev().cloned().collect() };
        let ids = |sets: Vec<Spanset>, trace: &TraceSpans| -> Vec<_> {
            let ids = |set: Spanset| set.spans.iter().map(|span| trace.spans[*span].id).collect::<Vec<_>>();
            sets.into_iter().map(ids).collect()
        };
        prop_assert_eq!(ids(evaluate(&query, &again, aliases).unwrap(), &again), ids(found, &trace));
    }

    #[test]
    fn tail_filter_matches_single_spans(query in filters(), trace in traces()) {
        if check_tail(&query).is_err() {
            return Ok(());
        }
        let sets = evaluate(&query, &trace, ALIASES).unwrap();
        for (index, span) in trace.spans.iter().enumerate() {
            let found = sets.iter().any(|set| set.spans.contains(&index));
            prop_assert_eq!(matches_span(&query, span, ALIASES), found, "{} {:?}", query, span);
        }
    }
}

fn naive(query: &Query, trace: &TraceSpans, aliases: Aliases) -> Vec<Spanset> {
    let Root::Search(pipeline) = &query.root else { panic!("not generated") };
    let sets = Naive { spans: &trace.spans, aliases }.pipeline(pipeline);
    sets.into_iter().map(|(spans, attributes)| Spanset { spans, attributes }).collect()
}

#[test]
fn value_predicate_matches_as_in_evaluation() {
    let texts =
        |texts: &[&str]| SpanValue::List(texts.iter().map(|text| SpanValue::from((*text).to_owned())).collect());
    let text = |text: &str| Literal::Text(text.to_owned());
    let table = [
        (CompareOp::Equal, text("x"), SpanValue::from("x"), true),
        (CompareOp::Equal, text("x"), texts(&["y", "x"]), true),
        (CompareOp::NotEqual, text("x"), texts(&["y", "x"]), false),
        (CompareOp::NotEqual, text("x"), texts(&["y"]), true),
        (CompareOp::NotEqual, text("x"), SpanValue::Int(1), false),
        (CompareOp::NotEqual, text("x"), texts(&[]), false),
        (CompareOp::Matches, text("x|y"), texts(&["q", "y"]), true),
        (CompareOp::Matches, text("x"), SpanValue::from("xx"), false),
        (CompareOp::MatchesNot, text("x"), SpanValue::from("xx"), true),
        (CompareOp::MatchesNot, text("x"), texts(&["xx", "x"]), false),
        (CompareOp::Matches, text(".*"), SpanValue::Int(1), false),
        (CompareOp::GreaterEqual, Literal::Duration(5), SpanValue::Int(5), true),
        (CompareOp::Less, Literal::Float(1.5), SpanValue::Int(1), true),
    ];
    for (op, literal, value, expected) in table {
        let test = ValuePredicate::new(op, &literal).unwrap();
        assert_eq!(test.holds(&value), expected, "{value:?} {op:?} {literal:?}");
    }
    assert!(ValuePredicate::new(CompareOp::Matches, &text("a)|(b")).is_err());
}

#[test]
fn missing_span_has_no_selected_attributes() {
    let query = parse("{ span.a = 1 }", Mode::Strict).unwrap().query;
    assert!(selected_attributes(&query, &TraceSpans::default(), 3, Aliases::NONE).attributes.is_empty());
    assert!(evaluate(&query, &TraceSpans::default(), Aliases::NONE).unwrap().is_empty());
    assert!(SearchPlan::new(&parse("{} | rate()", Mode::Strict).unwrap().query, Aliases::NONE).is_err());
}

/// A cycle, and a chain too long for recursion.
#[test]
fn long_and_cyclic_traces_are_evaluated() {
    let (_, template) = super::corpus_spans::traces().remove(5);
    let id = |number: u32| baton_types::SpanId((u64::from(number) + 1).to_be_bytes());
    let chain = |circular: bool| {
        let mut spans = Vec::new();
        for number in 0..100_000_u32 {
            let mut span = template.spans[0].clone();
            span.id = id(number);
            span.parent = if number == 0 { circular.then(|| id(99_999)) } else { Some(id(number - 1)) };
            span.start = u64::from(number);
            spans.push(span);
        }
        TraceSpans { spans }
    };
    for (circular, parent) in [(false, -1), (true, 0)] {
        let trace = chain(circular);
        let query = parse("{ nestedSetLeft = 1 } >> { nestedSetLeft = 100000 }", Mode::Strict).unwrap().query;
        let found = evaluate(&query, &trace, Aliases::NONE).unwrap();
        assert_eq!(found[0].spans, [99_999]);
        let query = parse("{ nestedSetRight = 200000 } | select(nestedSetParent)", Mode::Strict).unwrap().query;
        let first = evaluate(&query, &trace, Aliases::NONE).unwrap()[0].spans[0];
        assert_eq!(first, 0);
        assert_eq!(selected_attributes(&query, &trace, 0, Aliases::NONE).attributes[1].1, SpanValue::Int(parent));
        let field = Field::Intrinsic(Intrinsic::NestedSetParent);
        assert_eq!(field.to_string(), "nestedSetParent");
    }
}

/// Takes minutes if the work is proportional to the product of spans and spansets.
#[test]
fn many_spansets_in_a_long_trace_stay_fast() {
    let (_, template) = super::corpus_spans::traces().remove(5);
    let span = |number: u64| baton_types::Span {
        id: baton_types::SpanId((number + 1).to_be_bytes()),
        parent: (number > 0).then(|| baton_types::SpanId(1_u64.to_be_bytes())),
        start: number,
        ..template.spans[0].clone()
    };
    let trace = TraceSpans { spans: (0..50_000).map(span).collect() };
    let prepared = |text: &str| SearchPlan::new(&parse(text, Mode::Strict).unwrap().query, Aliases::NONE).unwrap();
    let began = std::time::Instant::now();

    let query = prepared("{} | by(span:id) | select(nestedSetLeft)");
    let answer = query.answer(&trace, &|| false).unwrap();
    assert_eq!(answer.spansets().len(), 50_000);
    for (index, set) in answer.spansets().iter().enumerate() {
        let shown = answer.selected_attributes(set.spans[0]);
        assert!(
            shown
                .attributes
                .contains(&("nestedSetLeft".into(), SpanValue::Int(2 * (index as i64).max(1) - i64::from(index == 0)))),
            "{shown:?}"
        );
    }

    let query = prepared("{} | by(span:id) | coalesce()");
    assert_eq!(query.evaluate(&trace)[0].spans.len(), 50_000);

    // Every spanset is evaluated against the whole trace, so cancellation must be possible.
    let query = prepared("{} | by(span:id) | { name != \"\" } >> { name != \"\" }");
    let asked = std::cell::Cell::new(0);
    let late = || asked.replace(asked.get() + 1) > 10;
    assert!(query.answer(&trace, &late).is_none());

    // Labels of a spanset are copied to each of its groups.
    let mut trace = trace;
    let long = SpanValue::from("x".repeat(10_000));
    trace.spans.truncate(10_000);
    trace.spans.iter_mut().for_each(|span| span.attributes.push(("long".into(), long.clone())));
    let query = prepared("{} | by(span.long) | by(span:id)");
    assert!(query.answer(&trace, &|| false).is_none());
    trace.spans.truncate(1_000);
    assert_eq!(query.answer(&trace, &|| false).unwrap().spansets().len(), 1_000);
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}
