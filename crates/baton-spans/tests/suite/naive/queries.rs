//! Random queries as trees, with every part of the language that a search supports.

use super::{
    dice::Dice,
    spans::{KEYS, KINDS, NAMES, STATUSES, TEXTS, TICK, span_id, trace_id},
};
use baton_traceql::{
    Aggregate, AggregateOp, ArithmeticOp, AttributeRef, AttributeScope, BinaryOp, CompareOp, Field, FieldExpr,
    Intrinsic, Literal, PipelineExpr, PipelineStage, Query, Root, Scalar, ScalarFilter, SpansetExpr, SpansetOp,
    UnaryOp,
};

/// RE2 patterns and their equivalents for the Rust regex crate where they differ.
pub(crate) const PATTERNS: &[(&str, &str)] = &[
    ("a.*", "a.*"),
    ("a|b", "a|b"),
    (".*", ".*"),
    ("b", "b"),
    ("[^a]+", "[^a]+"),
    ("", ""),
    ("insight\\..*", "insight\\..*"),
    ("\\w+", "[0-9A-Za-z_]+"),
    ("[ab&&b]+", "[ab&]+"),
    ("\\D", "[^0-9]"),
];
const EQUALITY: &[CompareOp] = &[CompareOp::Equal, CompareOp::NotEqual];
const ORDER: &[CompareOp] = &[
    CompareOp::Equal,
    CompareOp::NotEqual,
    CompareOp::Less,
    CompareOp::LessEqual,
    CompareOp::Greater,
    CompareOp::GreaterEqual,
];
pub(crate) const RELATIONS: &[SpansetOp] = &[
    SpansetOp::And,
    SpansetOp::Or,
    SpansetOp::Child,
    SpansetOp::Parent,
    SpansetOp::Descendant,
    SpansetOp::Ancestor,
    SpansetOp::Sibling,
    SpansetOp::NotChild,
    SpansetOp::NotParent,
    SpansetOp::NotDescendant,
    SpansetOp::NotAncestor,
    SpansetOp::NotSibling,
    SpansetOp::UnionChild,
    SpansetOp::UnionParent,
    SpansetOp::UnionDescendant,
    SpansetOp::UnionAncestor,
    SpansetOp::UnionSibling,
];
const SCOPES: &[AttributeScope] = &[
    AttributeScope::Span,
    AttributeScope::Any,
    AttributeScope::Resource,
    AttributeScope::Event,
    AttributeScope::Link,
    AttributeScope::Instrumentation,
];

pub(crate) fn query(dice: &mut Dice<'_>) -> Query {
    Query { root: Root::Search(pipelines(dice, 2)), hints: Vec::new() }
}

fn pipelines(dice: &mut Dice<'_>, depth: usize) -> PipelineExpr {
    if depth > 0 && dice.one_in(8) {
        return PipelineExpr::Combined {
            op: dice.of(RELATIONS),
            left: Box::new(piped(dice, depth - 1)),
            right: Box::new(piped(dice, depth - 1)),
        };
    }
    let first = if dice.one_in(10) { stage(dice) } else { PipelineStage::Spansets(spansets(dice, 2)) };
    let first =
        if first == PipelineStage::Coalesce { PipelineStage::Spansets(SpansetExpr::Filter(None)) } else { first };
    let mut stages = vec![first];
    for _ in 0..[0, 0, 0, 1, 1, 2, 3][dice.below(7)] {
        stages.push(stage(dice));
    }
    PipelineExpr::Pipeline(stages)
}

/// An operand of a pipeline operator: a single spanset expression would be parsed as part of a spanset operation.
fn piped(dice: &mut Dice<'_>, depth: usize) -> PipelineExpr {
    match pipelines(dice, depth) {
        PipelineExpr::Pipeline(mut stages) if stages.len() == 1 => {
            stages.push(stage(dice));
            PipelineExpr::Pipeline(stages)
        }
        other => other,
    }
}

fn stage(dice: &mut Dice<'_>) -> PipelineStage {
    match dice.below(8) {
        0 | 1 => PipelineStage::Spansets(spansets(dice, 1)),
        2..=4 => PipelineStage::Scalar(scalar_filter(dice)),
        5 => PipelineStage::By(if dice.one_in(4) { number(dice, 1) } else { FieldExpr::Field(field(dice)) }),
        6 => PipelineStage::Coalesce,
        _ => PipelineStage::Select((0..1 + dice.below(2)).map(|_| field(dice)).collect()),
    }
}

fn scalar_filter(dice: &mut Dice<'_>) -> ScalarFilter {
    let op = dice.of(ORDER);
    let aggregate = match dice.below(5) {
        0 => Aggregate { op: AggregateOp::Count, of: None },
        which => {
            let op = [AggregateOp::Min, AggregateOp::Max, AggregateOp::Avg, AggregateOp::Sum][which - 1];
            Aggregate { op, of: Some(number(dice, 1)) }
        }
    };
    let (aggregate, literal) = (Scalar::Aggregate(aggregate), Scalar::Literal(number_literal(dice)));
    if dice.one_in(5) {
        ScalarFilter { left: literal, op, right: aggregate }
    } else {
        ScalarFilter { left: aggregate, op, right: literal }
    }
}

fn spansets(dice: &mut Dice<'_>, depth: usize) -> SpansetExpr {
    if depth > 0 && dice.below(5) > 2 {
        return SpansetExpr::Combined {
            op: dice.of(RELATIONS),
            left: Box::new(spansets(dice, depth - 1)),
            right: Box::new(spansets(dice, depth - 1)),
        };
    }
    SpansetExpr::Filter((!dice.one_in(8)).then(|| condition(dice, 2)))
}

fn condition(dice: &mut Dice<'_>, depth: usize) -> FieldExpr {
    match dice.below(if depth > 0 { 14 } else { 8 }) {
        0..=3 => attribute_comparison(dice),
        4..=5 => intrinsic_comparison(dice),
        6 => compared(dice.of(ORDER), number(dice, 2), number(dice, 1)),
        7 => match attribute(dice) {
            // This field is never missing, so the comparison is rejected.
            Field::Attribute(AttributeRef { name, .. }) if name == "service.name" => attribute_comparison(dice),
            field => compared(dice.of(EQUALITY), FieldExpr::Field(field), FieldExpr::Literal(Literal::Nil)),
        },
        8..=9 => binary(BinaryOp::And, condition(dice, depth - 1), condition(dice, depth - 1)),
        10..=11 => binary(BinaryOp::Or, condition(dice, depth - 1), condition(dice, depth - 1)),
        12 => FieldExpr::Unary { op: UnaryOp::Not, of: Box::new(condition(dice, depth - 1)) },
        _ => match dice.below(3) {
            0 => FieldExpr::Field(attribute(dice)),
            1 => compared(dice.of(ORDER), FieldExpr::Field(attribute(dice)), FieldExpr::Field(attribute(dice))),
            _ => FieldExpr::Literal(Literal::Bool(dice.one_in(2))),
        },
    }
}

pub(crate) fn attribute_comparison(dice: &mut Dice<'_>) -> FieldExpr {
    let field = FieldExpr::Field(attribute(dice));
    let (op, literal) = match dice.below(5) {
        0 => (dice.of(ORDER), text(dice, TEXTS)),
        1 => return matches(dice, field),
        2 | 3 => (dice.of(ORDER), number_literal(dice)),
        _ => (dice.of(EQUALITY), Literal::Bool(dice.one_in(2))),
    };
    if dice.one_in(6) {
        return compared(op, FieldExpr::Literal(literal), field);
    }
    compared(op, field, FieldExpr::Literal(literal))
}

fn matches(dice: &mut Dice<'_>, field: FieldExpr) -> FieldExpr {
    let op = dice.of(&[CompareOp::Matches, CompareOp::MatchesNot]);
    compared(op, field, FieldExpr::Literal(Literal::Text(dice.of(PATTERNS).0.to_owned())))
}

fn intrinsic_comparison(dice: &mut Dice<'_>) -> FieldExpr {
    use Intrinsic as I;
    let (intrinsic, literal) = match dice.below(20) {
        0 => (I::Name, text(dice, NAMES)),
        1 => (I::Duration, duration(dice)),
        2 => (I::Kind, Literal::Kind(dice.of(KINDS))),
        3 => (I::Status, Literal::Status(dice.of(STATUSES))),
        4 => (I::StatusMessage, text(dice, TEXTS)),
        5 => (I::SpanId, Literal::Text(span_id(1 + dice.below(4)).to_string())),
        6 => (I::ParentId, Literal::Text(span_id(1 + dice.below(4)).to_string())),
        7 => (I::ChildCount, Literal::Int(dice.below(3) as i64)),
        8 => (I::TraceDuration, duration(dice)),
        9 => (I::RootName, text(dice, NAMES)),
        10 => (I::RootService, text(dice, TEXTS)),
        11 => (I::TraceId, Literal::Text(trace_id(dice.below(4)).to_string())),
        12 => (I::NestedSetParent, Literal::Int(dice.below(5) as i64 - 1)),
        13 => (dice.of(&[I::NestedSetLeft, I::NestedSetRight]), Literal::Int(dice.below(8) as i64)),
        14 => (I::EventName, text(dice, NAMES)),
        15 => (I::EventTimeSinceStart, duration(dice)),
        16 => (I::LinkTraceId, Literal::Text(trace_id(dice.below(4)).to_string())),
        17 => (I::LinkSpanId, Literal::Text(span_id(1 + dice.below(4)).to_string())),
        18 => (I::InstrumentationName, text(dice, TEXTS)),
        _ => (I::InstrumentationVersion, text(dice, TEXTS)),
    };
    let field = FieldExpr::Field(Field::Intrinsic(intrinsic));
    let op = match literal {
        Literal::Text(_) if dice.one_in(3) => return matches(dice, field),
        Literal::Status(_) | Literal::Kind(_) => dice.of(EQUALITY),
        _ => dice.of(ORDER),
    };
    compared(op, field, FieldExpr::Literal(literal))
}

/// An expression that may be a number.
fn number(dice: &mut Dice<'_>, depth: usize) -> FieldExpr {
    match dice.below(if depth > 0 { 8 } else { 5 }) {
        0..=1 => FieldExpr::Field(attribute(dice)),
        2 => FieldExpr::Field(Field::Intrinsic(dice.of(&[
            Intrinsic::Duration,
            Intrinsic::ChildCount,
            Intrinsic::NestedSetLeft,
            Intrinsic::TraceDuration,
            Intrinsic::EventTimeSinceStart,
        ]))),
        3..=4 => FieldExpr::Literal(number_literal(dice)),
        5 => FieldExpr::Unary { op: UnaryOp::Negative, of: Box::new(FieldExpr::Field(attribute(dice))) },
        _ => {
            let op = dice.of(&[
                ArithmeticOp::Add,
                ArithmeticOp::Subtract,
                ArithmeticOp::Multiply,
                ArithmeticOp::Divide,
                ArithmeticOp::Modulo,
                ArithmeticOp::Power,
            ]);
            let left = number(dice, depth - 1);
            // No division by zero, which is an error, and no powers out of range.
            let small = matches!(op, ArithmeticOp::Divide | ArithmeticOp::Modulo | ArithmeticOp::Power);
            let right = if small {
                FieldExpr::Literal(dice.of(&[Literal::Int(2), Literal::Int(1), Literal::Float(0.5)]))
            } else {
                number(dice, depth - 1)
            };
            binary(BinaryOp::Arithmetic(op), left, right)
        }
    }
}

fn number_literal(dice: &mut Dice<'_>) -> Literal {
    match dice.below(16) {
        13 => Literal::Float(dice.of(&[9_007_199_254_740_992.0, 9_223_372_036_854_775_808.0])),
        14 => Literal::Int(dice.of(&[i64::MAX, (1 << 53) + 1])),
        12 | 15 => duration(dice),
        8..=11 => Literal::Float(dice.below(5) as f64 / 2.0),
        _ => Literal::Int(dice.below(4) as i64),
    }
}

fn duration(dice: &mut Dice<'_>) -> Literal {
    Literal::Duration((dice.below(5) as u64 * TICK) as i64)
}

fn text(dice: &mut Dice<'_>, texts: &[&str]) -> Literal {
    Literal::Text(dice.of(texts).to_owned())
}

fn field(dice: &mut Dice<'_>) -> Field {
    if dice.one_in(3) {
        return Field::Intrinsic(dice.of(&[
            Intrinsic::Name,
            Intrinsic::Kind,
            Intrinsic::Status,
            Intrinsic::Duration,
            Intrinsic::RootName,
            Intrinsic::ChildCount,
            Intrinsic::NestedSetParent,
            Intrinsic::InstrumentationName,
        ]));
    }
    attribute(dice)
}

fn attribute(dice: &mut Dice<'_>) -> Field {
    let of_parent = dice.one_in(12);
    let scopes =
        if of_parent { &[AttributeScope::Any, AttributeScope::Span, AttributeScope::Resource][..] } else { SCOPES };
    Field::Attribute(AttributeRef { scope: dice.of(scopes), of_parent, name: dice.of(KEYS).to_owned() })
}

fn compared(op: CompareOp, left: FieldExpr, right: FieldExpr) -> FieldExpr {
    binary(BinaryOp::Compare(op), left, right)
}

fn binary(op: BinaryOp, left: FieldExpr, right: FieldExpr) -> FieldExpr {
    FieldExpr::Binary { op, left: Box::new(left), right: Box::new(right) }
}
