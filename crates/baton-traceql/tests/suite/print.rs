//! Canonical text parses to the same tree, and no text crashes the parser.

use baton_traceql::{FieldExpr, Mode, PipelineStage, Query, Root, SpansetExpr, parse};
use proptest::prelude::*;

use crate::print_generate::queries;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn printed_query_parses_to_the_same_tree(query in queries()) {
        let printed = query.to_string();
        for mode in [Mode::Strict, Mode::Lenient] {
            let parsed = parse(&printed, mode).map_err(|why| TestCaseError::fail(format!("{printed}\n{why}")))?;
            prop_assert_eq!(&parsed.query, &query, "{}", printed);
            prop_assert!(parsed.warnings.is_empty(), "{}: {:?}", printed, parsed.warnings);
        }
    }

    #[test]
    fn parser_accepts_or_rejects_any_text(text in any::<String>()) {
        check_text(&text)?;
        check_text(&format!("{{ {text} }}"))?;
        check_text(&format!("{{ .a = \"{text}\" }}"))?;
    }

    #[test]
    fn parser_accepts_or_rejects_any_tokens(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..40), spaced: bool
    ) {
        let text = words.join(if spaced { " " } else { "" });
        check_text(&text)?;
        check_text(&format!("{{ {text} }}"))?;
        check_text(&format!("{{ }} | {text}"))?;
    }
}

/// A text that parses is printed as an equivalent query.
fn check_text(text: &str) -> Result<(), TestCaseError> {
    for mode in [Mode::Strict, Mode::Lenient] {
        match parse(text, mode) {
            Ok(parsed) => {
                let printed = parsed.query.to_string();
                let again = parse(&printed, Mode::Strict).map(|again| again.query);
                prop_assert_eq!(again, Ok(parsed.query), "{} printed as {}", text, printed);
            }
            Err(why) => {
                let lines = text.split('\n').count();
                prop_assert!(why.line >= 1 && why.line <= lines && why.column >= 1, "{} in {:?}", why, text);
            }
        }
    }
    Ok(())
}

const WORDS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    ",",
    "|",
    "{ .a }",
    "{ }",
    "&&",
    "||",
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "=~",
    "!~",
    "~",
    ">>",
    "<<",
    "!>",
    "!<",
    "!>>",
    "!<<",
    "&>",
    "&<",
    "&>>",
    "&<<",
    "&~",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "!",
    "==",
    "&",
    ".a",
    "span.b",
    "resource.service.name",
    "event.c",
    "parent.d",
    "parent.span.e",
    ".",
    "span.",
    "span:",
    "span:name",
    "name",
    "duration",
    "parent",
    "insight.type",
    "foo",
    "and",
    "or",
    "not",
    "1",
    "1.5",
    ".5",
    "1h",
    "1e5",
    "\"x\"",
    "`y`",
    "'z'",
    "\"",
    "\\",
    "true",
    "nil",
    "error",
    "server",
    "minInt",
    "count()",
    "max(duration)",
    "count",
    "by(.a)",
    "by",
    "coalesce()",
    "select(.a, .b)",
    "select",
    "rate()",
    "min_over_time(.a)",
    "quantile_over_time(.a, .9)",
    "histogram_over_time(.a)",
    "compare({ .a }, 5)",
    "topk(5)",
    "bottomk(1)",
    "with(sample=true)",
    "with",
    "#",
    "\n",
    "\n#",
];

#[test]
fn operators_bind_as_in_tempo() {
    for (written, grouped) in [
        (".a || .b && .c", "((.a || .b) && .c)"),
        (".a && .b || .c", "((.a && .b) || .c)"),
        (".a = .b && .c != .d", "((.a = .b) && (.c != .d))"),
        (".a = .b = .c", "((.a = .b) = .c)"),
        (".a < .b + .c", "(.a < (.b + .c))"),
        (".a + .b - .c", "((.a + .b) - .c)"),
        (".a + .b * .c % .d", "(.a + ((.b * .c) % .d))"),
        (".a ^ .b ^ .c", "(.a ^ (.b ^ .c))"),
        (".a * .b ^ .c", "(.a * (.b ^ .c))"),
        ("!.a = .b", "((!.a) = .b)"),
        ("!.a && .b", "((!.a) && .b)"),
        ("!.a + .b", "((!.a) + .b)"),
        ("!.a * .b", "(!(.a * .b))"),
        ("-.a + .b", "((-.a) + .b)"),
        ("-.a * .b", "(-(.a * .b))"),
        ("-.a ^ .b", "(-(.a ^ .b))"),
        ("-2 ^ .b", "(-(2 ^ .b))"),
        ("-2 + .b", "(-2 + .b)"),
        (".a - -2 - .b", "((.a - -2) - .b)"),
        (".a * -.b * .c", "(.a * (-(.b * .c)))"),
    ] {
        let query = parse(&format!("{{ {written} }}"), Mode::Strict).unwrap().query;
        let SpansetExpr::Filter(Some(field)) = only_spansets(query) else { panic!("{written} is no filter") };
        assert_eq!(group(&field), grouped, "{written}");
    }
}

#[test]
fn spansets_are_grouped_as_in_tempo() {
    for (written, grouped) in [
        ("{ .a } || { .b } && { .c }", "(({ .a } || { .b }) && { .c })"),
        ("{ .a } && { .b } >> { .c }", "({ .a } && ({ .b } >> { .c }))"),
        ("{ .a } > { .b } !~ { .c } &<< { .d }", "((({ .a } > { .b }) !~ { .c }) &<< { .d })"),
    ] {
        let query = parse(written, Mode::Strict).unwrap().query;
        assert_eq!(group_spansets(&only_spansets(query)), grouped, "{written}");
    }
}

fn only_spansets(query: Query) -> SpansetExpr {
    let Root::Search(baton_traceql::PipelineExpr::Pipeline(mut stages)) = query.root else { panic!("no pipeline") };
    match stages.pop() {
        Some(PipelineStage::Spansets(spansets)) if stages.is_empty() => spansets,
        other => panic!("no spansets: {other:?}"),
    }
}

fn group(field: &FieldExpr) -> String {
    match field {
        FieldExpr::Binary { op, left, right } => format!("({} {op} {})", group(left), group(right)),
        FieldExpr::Unary { op: baton_traceql::UnaryOp::Not, of } => format!("(!{})", group(of)),
        FieldExpr::Unary { op: baton_traceql::UnaryOp::Negative, of } => format!("(-{})", group(of)),
        other => other.to_string(),
    }
}

fn group_spansets(spansets: &SpansetExpr) -> String {
    match spansets {
        SpansetExpr::Combined { op, left, right } => {
            format!("({} {op} {})", group_spansets(left), group_spansets(right))
        }
        other => other.to_string(),
    }
}
