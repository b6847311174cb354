//! Queries that can be parsed but not run, and their error messages.

use baton_traceql::{
    BinaryOp, CompareOp, Field, FieldExpr, Intrinsic, Literal, Mode, PipelineExpr, PipelineStage, Query, QueryError,
    Root, SpansetExpr, check, check_tail, parse,
};
use std::fmt::Write;

/// Error of the parser or of the check; both are reported in the same way.
fn refusal(text: &str) -> Option<String> {
    match parse(text, Mode::Strict) {
        Ok(parsed) => check(&parsed.query).err().map(|why| why.to_string()),
        Err(why) => Some(why.to_string()),
    }
}

#[test]
fn invalid_queries_are_rejected() {
    let queries = [
        "{ name = 1 }",
        "{ duration = \"x\" }",
        "{ status = client }",
        "{ status > ok }",
        "{ kind < server }",
        "{ .a > true }",
        "{ .a < nil }",
        "{ name = nil }",
        "{ duration = nil }",
        "{ resource.service.name = nil }",
        "{ status =~ \"e.*\" }",
        "{ duration =~ \"1.\" }",
        "{ .a =~ 5 }",
        "{ .a =~ .b }",
        "{ name + 1 = 2 }",
        "{ .a + true = 2 }",
        "{ -name = 2 }",
        "{ !duration }",
        "{ duration }",
        "{ name && .a = 1 }",
        "{ .a = 1 || 5 }",
        "{ 1 + 1 }",
        "{ .a % 0 = 1 }",
        "{ .a / 0.0 = 1 }",
        "{ .a / -0 = 1 }",
        "{ parent = nil }",
        "{ } | select(parent)",
        "{ } | by(1)",
        "{ } | by(name + 1)",
        "{ } | avg(name) > 1",
        "{ } | max(1) > 1",
        "{ } | count() > \"a\"",
        "{ } | count() > nil",
        "{ } | count() =~ \"a\"",
        "{ } | 1 > 2",
        "{ } | max(duration) > min(duration)",
        "{ } | count() * 2 > 3",
        "({ } | count()) > ({ .a = 1 } | count())",
        "{ } | compare({ status = error })",
        "({ } | rate()) / ({ } | rate())",
        "{ name = 1 } | rate() > 0",
        "{ } >> { name = 1 }",
        "({ } | count() > 1) && ({ name = 1 } | count() > 1)",
    ];
    let mut table = String::new();
    for query in queries {
        let refusal = refusal(query).unwrap_or_else(|| "NOT REFUSED".to_owned());
        assert_ne!(refusal, "NOT REFUSED", "{query}");
        writeln!(table, "{query}\n    {refusal}").unwrap();
    }
    insta::assert_snapshot!("refused", table);
}

#[test]
fn valid_queries_are_accepted() {
    for query in [
        "{ }",
        "{ .a }",
        "{ !.a || !(.b = 1) }",
        "{ .a = .b && .a != nil && nil = .b }",
        "{ name != nil }",
        "{ .a = error && status = .b }",
        "{ duration > 5 && duration + 1s > 2.5 * .a }",
        "{ name > \"a\" && .a =~ \"x\" }",
        "{ .a / .b > 1 }",
        "{ parent.a = 1 }",
        "{ resource.service.name != nil && span.service.name = nil }",
        "{ } | by(name) | by(.a + 1) | coalesce() | max(.a) > 1s | select(.x, parent.y)",
        "count() > 5",
    ] {
        assert_eq!(refusal(query), None, "{query}");
    }
}

/// Trees that cannot result from parsing.
#[test]
fn unparsed_trees_are_checked() {
    let query =
        |stages: Vec<PipelineStage>| Query { root: Root::Search(PipelineExpr::Pipeline(stages)), hints: Vec::new() };
    assert!(matches!(check(&query(Vec::new())), Err(QueryError::Invalid(_))));
    assert!(matches!(check(&query(vec![PipelineStage::Coalesce])), Err(QueryError::Invalid(_))));
    let pattern = FieldExpr::Literal(Literal::Text("(".to_owned()));
    let filter = FieldExpr::Binary {
        op: BinaryOp::Compare(CompareOp::Matches),
        left: Box::new(FieldExpr::Field(Field::Intrinsic(Intrinsic::Name))),
        right: Box::new(pattern),
    };
    let why = check(&query(vec![PipelineStage::Spansets(SpansetExpr::Filter(Some(filter)))])).unwrap_err();
    insta::assert_snapshot!(why, @r#"the regular expression "(" cannot be used: unclosed group"#);
}

#[test]
fn live_tail_accepts_a_single_filter_only() {
    let tail = |text: &str| check_tail(&parse(text, Mode::Strict).unwrap().query);
    for query in ["{ }", "{ span.a = 1 && trace:id = \"1\" && event:name = \"x\" } | select(span.b, rootName)"] {
        assert_eq!(tail(query), Ok(()), "{query}");
    }
    let mut table = String::new();
    for query in [
        "{ } && { }",
        "{ } | { }",
        "{ } | count() > 1",
        "{ } | by(name)",
        "{ rootName = \"x\" }",
        "{ span.a = 1 || parent.a = 1 }",
        "({ } | select(.a)) > ({ } | select(.a))",
        "{ } | rate()",
    ] {
        writeln!(table, "{query}\n    {}", tail(query).unwrap_err()).unwrap();
    }
    insta::assert_snapshot!("tail_refused", table);
}
