//! Naive evaluation of expressions on one span.

use super::queries::PATTERNS;
use baton_traceql::{
    ArithmeticOp, AttributeRef, AttributeScope, BinaryOp, CompareOp, Field, FieldExpr, Intrinsic, Literal, UnaryOp,
};
use baton_types::{Attributes, Span, SpanId, SpanKind, SpanStatus, SpanValue};
use regex::Regex;
use std::cmp::Ordering;

/// A comparable value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PlainValue {
    Text(String),
    Bool(bool),
    Int(i64),
    Float(f64),
    Duration(i64),
    Status(SpanStatus),
    Kind(SpanKind),
}

/// Result of an expression: empty if a value is missing; several values for lists, events and links. Bytes and maps
/// exist but have no comparable values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ExprResult {
    /// The value as returned in results.
    pub(crate) shown: Vec<SpanValue>,
    pub(crate) values: Vec<PlainValue>,
}

impl ExprResult {
    pub(crate) fn one(value: PlainValue) -> Self {
        Self::many(vec![value])
    }

    fn many(values: Vec<PlainValue>) -> Self {
        Self { shown: values.iter().map(PlainValue::shown).collect(), values }
    }

    fn of(value: &SpanValue) -> Self {
        let shown = if *value == SpanValue::Empty { Vec::new() } else { vec![value.clone()] };
        Self { shown, values: flat(value) }
    }

    fn is_there(&self) -> bool {
        !self.shown.is_empty()
    }

    pub(crate) fn is_true(&self) -> bool {
        self.values.contains(&PlainValue::Bool(true))
    }
}

fn flat(value: &SpanValue) -> Vec<PlainValue> {
    match value {
        SpanValue::Text(text) => vec![PlainValue::Text(text.to_string())],
        SpanValue::Bool(value) => vec![PlainValue::Bool(*value)],
        SpanValue::Int(number) => vec![PlainValue::Int(*number)],
        SpanValue::Float(number) => vec![PlainValue::Float(*number)],
        SpanValue::List(list) => list.iter().flat_map(flat).collect(),
        SpanValue::Map(_) | SpanValue::Bytes(_) | SpanValue::Empty => Vec::new(),
    }
}

impl PlainValue {
    pub(crate) fn shown(&self) -> SpanValue {
        match self {
            Self::Text(text) => text.clone().into(),
            Self::Bool(value) => SpanValue::Bool(*value),
            Self::Int(number) => SpanValue::Int(*number),
            Self::Float(number) => SpanValue::Float(*number),
            Self::Duration(nanos) => Literal::Duration(*nanos).to_string().into(),
            Self::Status(status) => format!("{status:?}").to_lowercase().into(),
            Self::Kind(kind) => format!("{kind:?}").to_lowercase().into(),
        }
    }

    /// The number, if it is an integer.
    pub(crate) fn whole(&self) -> Option<i128> {
        match self {
            Self::Int(number) | Self::Duration(number) => Some(i128::from(*number)),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Int(number) | Self::Duration(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }
}

/// Result of an expression for the span at `at`.
pub(crate) fn evaluate(expr: &FieldExpr, spans: &[Span], at: usize) -> ExprResult {
    match expr {
        FieldExpr::Literal(literal) => constant(literal),
        FieldExpr::Field(field) => look_up(field, spans, at),
        FieldExpr::Unary { op: UnaryOp::Not, of } => {
            let values = evaluate(of, spans, at).values;
            let turned = values.into_iter().filter_map(|value| match value {
                PlainValue::Bool(value) => Some(PlainValue::Bool(!value)),
                _ => None,
            });
            ExprResult::many(turned.collect())
        }
        FieldExpr::Unary { op: UnaryOp::Negative, of } => {
            let values = evaluate(of, spans, at).values;
            let turned = values.into_iter().filter_map(|value| match value {
                PlainValue::Int(number) => {
                    compute(ArithmeticOp::Subtract, &PlainValue::Int(0), &PlainValue::Int(number))
                }
                PlainValue::Float(number) => Some(PlainValue::Float(0.0 - number)),
                PlainValue::Duration(number) => Some(PlainValue::Duration(-number)),
                _ => None,
            });
            ExprResult::many(turned.collect())
        }
        FieldExpr::Binary { op, left, right } => {
            let (left, right) = (evaluate(left, spans, at), evaluate(right, spans, at));
            match op {
                BinaryOp::And => ExprResult::one(PlainValue::Bool(left.is_true() && right.is_true())),
                BinaryOp::Or => ExprResult::one(PlainValue::Bool(left.is_true() || right.is_true())),
                BinaryOp::Compare(op) if is_nil(expr) => {
                    let there = left.is_there() || right.is_there();
                    ExprResult::one(PlainValue::Bool(if *op == CompareOp::Equal { !there } else { there }))
                }
                BinaryOp::Compare(op) => ExprResult::one(PlainValue::Bool(compare(*op, &left, &right))),
                BinaryOp::Arithmetic(op) => {
                    let pairs = left.values.iter().flat_map(|left| right.values.iter().map(move |right| (left, right)));
                    ExprResult::many(pairs.filter_map(|(left, right)| compute(*op, left, right)).collect())
                }
            }
        }
    }
}

/// Whether an expression is the literal `nil`.
fn is_nil(expr: &FieldExpr) -> bool {
    let FieldExpr::Binary { left, right, .. } = expr else { return false };
    [left, right].into_iter().any(|side| **side == FieldExpr::Literal(Literal::Nil))
}

pub(crate) fn constant(literal: &Literal) -> ExprResult {
    ExprResult::one(match literal {
        Literal::Text(text) => PlainValue::Text(text.clone()),
        Literal::Int(number) => PlainValue::Int(*number),
        Literal::Float(number) => PlainValue::Float(*number),
        Literal::Duration(number) => PlainValue::Duration(*number),
        Literal::Bool(value) => PlainValue::Bool(*value),
        Literal::Status(status) => PlainValue::Status(*status),
        Literal::Kind(kind) => PlainValue::Kind(*kind),
        Literal::Nil => return ExprResult::default(),
    })
}

/// A positive operator needs one matching value; a negated one needs a comparable value, and no value may match its
/// positive counterpart.
pub(crate) fn compare(op: CompareOp, left: &ExprResult, right: &ExprResult) -> bool {
    let pairs: Vec<(&PlainValue, &PlainValue)> = left
        .values
        .iter()
        .flat_map(|left| right.values.iter().map(move |right| (left, right)))
        .filter(|(left, right)| comparable(left, right))
        .collect();
    match op {
        CompareOp::NotEqual => !pairs.is_empty() && !pairs.iter().any(|(left, right)| equal(left, right)),
        CompareOp::MatchesNot => {
            let texts = pairs.iter().any(|(left, _)| matches!(left, PlainValue::Text(_)));
            texts && !pairs.iter().any(|(left, right)| matches(left, right))
        }
        CompareOp::Matches => pairs.iter().any(|(left, right)| matches(left, right)),
        CompareOp::Equal => pairs.iter().any(|(left, right)| equal(left, right)),
        CompareOp::Less => pairs.iter().any(|(left, right)| less(left, right)),
        CompareOp::Greater => pairs.iter().any(|(left, right)| less(right, left)),
        CompareOp::LessEqual => {
            pairs.iter().any(|(left, right)| ordered(left) && (less(left, right) || equal(left, right)))
        }
        CompareOp::GreaterEqual => {
            pairs.iter().any(|(left, right)| ordered(left) && (less(right, left) || equal(left, right)))
        }
    }
}

fn comparable(left: &PlainValue, right: &PlainValue) -> bool {
    match (left, right) {
        (PlainValue::Text(_), PlainValue::Text(_))
        | (PlainValue::Bool(_), PlainValue::Bool(_))
        | (PlainValue::Status(_), PlainValue::Status(_))
        | (PlainValue::Kind(_), PlainValue::Kind(_)) => true,
        _ => left.number().is_some() && right.number().is_some(),
    }
}

fn ordered(value: &PlainValue) -> bool {
    value.number().is_some() || matches!(value, PlainValue::Text(_))
}

fn equal(left: &PlainValue, right: &PlainValue) -> bool {
    if left.number().is_some() { order(left, right) == Some(Ordering::Equal) } else { left == right }
}

fn less(left: &PlainValue, right: &PlainValue) -> bool {
    match (left, right) {
        (PlainValue::Text(left), PlainValue::Text(right)) => left < right,
        _ => order(left, right) == Some(Ordering::Less),
    }
}

/// Numbers by value, exactly.
pub(crate) fn order(left: &PlainValue, right: &PlainValue) -> Option<Ordering> {
    match (left.whole(), right.whole()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        (Some(left), None) => order_mixed(left, right.number()?),
        (None, Some(right)) => order_mixed(right, left.number()?).map(Ordering::reverse),
        (None, None) => left.number()?.partial_cmp(&right.number()?),
    }
}

fn order_mixed(whole: i128, number: f64) -> Option<Ordering> {
    let below = if number.is_nan() { return None } else { number.floor() };
    let fraction = if number > below { Ordering::Less } else { Ordering::Equal };
    Some(whole.cmp(&(below as i128)).then(fraction))
}

fn matches(text: &PlainValue, pattern: &PlainValue) -> bool {
    match (text, pattern) {
        (PlainValue::Text(text), PlainValue::Text(pattern)) => {
            let (_, rust) = PATTERNS.iter().find(|(re2, _)| re2 == pattern).expect("one of the patterns");
            Regex::new(&format!("^(?:{rust})$")).expect("a pattern").is_match(text)
        }
        _ => false,
    }
}

/// Integers stay integers where the result is exact.
fn compute(op: ArithmeticOp, left: &PlainValue, right: &PlainValue) -> Option<PlainValue> {
    let (x, y) = (left.number()?, right.number()?);
    if let (Some(x), Some(y)) = (left.whole(), right.whole()) {
        let exact = match op {
            ArithmeticOp::Add => Some(x + y),
            ArithmeticOp::Subtract => Some(x - y),
            ArithmeticOp::Multiply => Some(x * y),
            ArithmeticOp::Divide | ArithmeticOp::Modulo if y == 0 => return None,
            ArithmeticOp::Divide => (x % y == 0).then_some(x / y),
            ArithmeticOp::Modulo => Some(x % y),
            ArithmeticOp::Power => u32::try_from(y).ok().and_then(|y| x.checked_pow(y)),
        };
        if let Some(exact) = exact.and_then(|exact| i64::try_from(exact).ok()) {
            return Some(PlainValue::Int(exact));
        }
    }
    Some(PlainValue::Float(match op {
        ArithmeticOp::Add => x + y,
        ArithmeticOp::Subtract => x - y,
        ArithmeticOp::Multiply => x * y,
        ArithmeticOp::Divide | ArithmeticOp::Modulo if y == 0.0 => return None,
        ArithmeticOp::Divide => x / y,
        ArithmeticOp::Modulo => x % y,
        ArithmeticOp::Power => x.powf(y),
    }))
}

fn look_up(field: &Field, spans: &[Span], at: usize) -> ExprResult {
    let span = &spans[at];
    match field {
        Field::Attribute(attribute) if attribute.of_parent => match parent(spans, at) {
            Some(parent) => attribute_of(attribute, &spans[parent]),
            None => ExprResult::default(),
        },
        Field::Attribute(attribute) => attribute_of(attribute, span),
        Field::Intrinsic(intrinsic) => intrinsic_of(*intrinsic, spans, at),
    }
}

fn attribute_of(attribute: &AttributeRef, span: &Span) -> ExprResult {
    let within = |attributes: &Attributes| {
        let found = attributes.iter().find(|(key, _)| *key == attribute.name);
        found.map(|(_, value)| ExprResult::of(value)).unwrap_or_default()
    };
    let several = |all: Vec<&Attributes>| {
        let mut together = ExprResult::default();
        for out in all.into_iter().map(within) {
            together.shown.extend(out.shown);
            together.values.extend(out.values);
        }
        together
    };
    let of = |scope: AttributeScope| match scope {
        AttributeScope::Span => within(&span.attributes),
        AttributeScope::Resource => within(&span.resource.attributes),
        AttributeScope::Event => several(span.events.iter().map(|event| &event.attributes).collect()),
        AttributeScope::Link => several(span.links.iter().map(|link| &link.attributes).collect()),
        AttributeScope::Instrumentation | AttributeScope::Any => within(&span.scope.attributes),
    };
    if attribute.scope != AttributeScope::Any {
        return of(attribute.scope);
    }
    let places = [
        AttributeScope::Span,
        AttributeScope::Resource,
        AttributeScope::Event,
        AttributeScope::Link,
        AttributeScope::Instrumentation,
    ];
    places.into_iter().map(of).find(ExprResult::is_there).unwrap_or_default()
}

fn intrinsic_of(intrinsic: Intrinsic, spans: &[Span], at: usize) -> ExprResult {
    use Intrinsic as I;
    let span = &spans[at];
    let text = |text: &str| ExprResult::one(PlainValue::Text(text.to_owned()));
    let duration = |nanos: u64| ExprResult::one(PlainValue::Duration(nanos as i64));
    let root = spans.iter().find(|span| span.parent.is_none()).or(spans.first());
    match intrinsic {
        I::Duration => duration(span.end.saturating_sub(span.start)),
        I::Name => text(&span.name),
        I::Kind => ExprResult::one(PlainValue::Kind(span.kind)),
        I::Status => ExprResult::one(PlainValue::Status(span.status)),
        I::StatusMessage => text(&span.status_message),
        I::SpanId => text(&span.id.to_string()),
        I::ParentId => span.parent.map(|parent| text(&parent.to_string())).unwrap_or_default(),
        I::ChildCount => {
            let children = (0..spans.len()).filter(|child| parent(spans, *child) == Some(at)).count();
            ExprResult::one(PlainValue::Int(children as i64))
        }
        I::TraceDuration => {
            let start = spans.iter().map(|span| span.start).min().unwrap_or_default();
            let end = spans.iter().map(|span| span.end).max().unwrap_or_default();
            duration(end.saturating_sub(start))
        }
        I::RootName => root.map(|root| text(&root.name)).unwrap_or_default(),
        I::RootService => root.and_then(Span::service).map(text).unwrap_or_default(),
        I::TraceId => text(&span.trace.to_string()),
        I::NestedSetLeft => ExprResult::one(PlainValue::Int(nested_set(spans, at).0)),
        I::NestedSetRight => ExprResult::one(PlainValue::Int(nested_set(spans, at).1)),
        I::NestedSetParent => ExprResult::one(PlainValue::Int(nested_set(spans, at).2)),
        I::EventName => {
            ExprResult::many(span.events.iter().map(|event| PlainValue::Text(event.name.to_string())).collect())
        }
        I::EventTimeSinceStart => ExprResult::many(
            span.events.iter().map(|event| PlainValue::Duration((event.at - span.start) as i64)).collect(),
        ),
        I::LinkTraceId => {
            ExprResult::many(span.links.iter().map(|link| PlainValue::Text(link.trace.to_string())).collect())
        }
        I::LinkSpanId => {
            ExprResult::many(span.links.iter().map(|link| PlainValue::Text(link.span.to_string())).collect())
        }
        I::InstrumentationName => text(&span.scope.name),
        I::InstrumentationVersion => text(&span.scope.version),
        I::Parent => ExprResult::default(),
    }
}

/// Index of the parent, if it is in the trace. In a cycle the earliest span has none.
pub(crate) fn parent(spans: &[Span], at: usize) -> Option<usize> {
    if is_cut(spans, at) { None } else { named_parent(spans, at) }
}

/// Parent id shared by siblings.
pub(crate) fn family(spans: &[Span], at: usize) -> Option<SpanId> {
    if is_cut(spans, at) { None } else { spans[at].parent }
}

fn named_parent(spans: &[Span], at: usize) -> Option<usize> {
    let id = spans[at].parent?;
    spans.iter().position(|span| span.id == id)
}

/// Whether the span is the earliest of a cycle.
fn is_cut(spans: &[Span], at: usize) -> bool {
    let mut circle = Vec::new();
    let mut next = Some(at);
    while let Some(one) = next.filter(|one| !circle.contains(one)) {
        circle.push(one);
        next = named_parent(spans, one);
    }
    next == Some(at) && circle.iter().min() == Some(&at)
}

/// Left, right and parent-left of the nested set model: -1 for a root, 0 if the parent is missing.
fn nested_set(spans: &[Span], at: usize) -> (i64, i64, i64) {
    fn number(spans: &[Span], at: usize, above: i64, next: &mut i64, numbers: &mut [(i64, i64, i64)]) {
        let left = *next;
        *next += 1;
        for child in 0..spans.len() {
            if parent(spans, child) == Some(at) {
                number(spans, child, left, next, numbers);
            }
        }
        numbers[at] = (left, *next, above);
        *next += 1;
    }
    let mut numbers = vec![(0, 0, 0); spans.len()];
    let mut next = 1;
    for root in 0..spans.len() {
        if parent(spans, root).is_none() {
            let above = if spans[root].parent.is_none() { -1 } else { 0 };
            number(spans, root, above, &mut next, &mut numbers);
        }
    }
    numbers[at]
}
