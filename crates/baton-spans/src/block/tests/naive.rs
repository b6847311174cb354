//! Naive evaluation of fields and comparisons on one span.

use baton_traceql::{AttributeScope, CompareOp, Comparison, Field, Intrinsic, Literal};
use baton_types::{AttributeKey, Span, SpanKind, SpanStatus, SpanValue, find_attribute};
use regex::Regex;
use std::cmp::Ordering;

/// All values of a field; `None` for fields that are not supported here.
pub(super) fn values(span: &Span, field: &Field) -> Option<Vec<SpanValue>> {
    let text = |text: &str| SpanValue::from(text.to_owned());
    Some(match field {
        Field::Attribute(attribute) => {
            let at = |attributes: &[(AttributeKey, SpanValue)]| find_attribute(attributes, &attribute.name).cloned();
            let is = |scope| attribute.scope == scope || attribute.scope == AttributeScope::Any;
            let mut found = Vec::new();
            if is(AttributeScope::Span) {
                found.extend(at(&span.attributes));
            }
            if is(AttributeScope::Resource) {
                found.extend(at(&span.resource.attributes));
            }
            if is(AttributeScope::Event) {
                found.extend(span.events.iter().filter_map(|event| at(&event.attributes)));
            }
            if is(AttributeScope::Link) {
                found.extend(span.links.iter().filter_map(|link| at(&link.attributes)));
            }
            if is(AttributeScope::Instrumentation) {
                found.extend(at(&span.scope.attributes));
            }
            found
        }
        Field::Intrinsic(intrinsic) => match intrinsic {
            Intrinsic::Name => vec![text(&span.name)],
            Intrinsic::Duration => vec![SpanValue::Int(i64::try_from(span.duration()).unwrap())],
            Intrinsic::Kind => vec![text(kind(span.kind))],
            Intrinsic::Status => vec![text(status(span.status))],
            Intrinsic::StatusMessage => vec![text(&span.status_message)],
            Intrinsic::EventName => span.events.iter().map(|event| text(&event.name)).collect(),
            Intrinsic::LinkTraceId => span.links.iter().map(|link| text(&link.trace.to_string())).collect(),
            Intrinsic::LinkSpanId => span.links.iter().map(|link| text(&link.span.to_string())).collect(),
            Intrinsic::InstrumentationName => vec![text(&span.scope.name)],
            Intrinsic::InstrumentationVersion => vec![text(&span.scope.version)],
            Intrinsic::TraceId => vec![text(&span.trace.to_string())],
            _ => return None,
        },
    })
}

fn kind(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Server => "server",
        SpanKind::Client => "client",
        _ => "unspecified",
    }
}

fn status(status: SpanStatus) -> &'static str {
    match status {
        SpanStatus::Unset => "unset",
        SpanStatus::Ok => "ok",
        SpanStatus::Error => "error",
    }
}

/// The values, with lists flattened.
pub(super) fn elements(values: Vec<SpanValue>) -> Vec<SpanValue> {
    let of = |value| match value {
        SpanValue::List(values) => values,
        single => vec![single],
    };
    values.into_iter().flat_map(of).collect()
}

/// Whether some value of the field satisfies the comparison.
pub(super) fn holds(span: &Span, comparison: &Comparison) -> Option<bool> {
    let found = elements(values(span, &comparison.field)?);
    Some(found.iter().any(|value| value_holds(value, comparison)))
}

fn value_holds(value: &SpanValue, Comparison { field, op, value: with }: &Comparison) -> bool {
    let special = matches!(field, Field::Intrinsic(Intrinsic::Kind | Intrinsic::Status));
    let id = matches!(field, Field::Intrinsic(Intrinsic::LinkTraceId | Intrinsic::LinkSpanId | Intrinsic::TraceId));
    let ordering = match (value, with) {
        (SpanValue::Text(text), Literal::Kind(with)) if special => text.as_ref().partial_cmp(kind(*with)),
        (SpanValue::Text(text), Literal::Status(with)) if special => text.as_ref().partial_cmp(status(*with)),
        (SpanValue::Text(_), _) if special => return false,
        (SpanValue::Text(text), Literal::Text(pattern)) if matches!(op, CompareOp::Matches | CompareOp::MatchesNot) => {
            let matches = Regex::new(&format!("^({pattern})$")).unwrap().is_match(text);
            return matches == (*op == CompareOp::Matches);
        }
        (SpanValue::Text(text), Literal::Text(with)) if id => {
            text.as_ref().partial_cmp(format!("{with:0>width$}", width = text.len()).as_str())
        }
        (SpanValue::Text(text), Literal::Text(with)) => text.as_ref().partial_cmp(with.as_str()),
        (SpanValue::Int(number), Literal::Int(with) | Literal::Duration(with)) => number.partial_cmp(with),
        (SpanValue::Int(number), Literal::Float(with)) => (*number as f64).partial_cmp(with),
        (SpanValue::Float(number), Literal::Int(with) | Literal::Duration(with)) => number.partial_cmp(&(*with as f64)),
        (SpanValue::Float(number), Literal::Float(with)) => number.partial_cmp(with),
        (SpanValue::Bool(flag), Literal::Bool(with)) if equality(*op) => flag.partial_cmp(with),
        _ => return false,
    };
    match op {
        CompareOp::Equal => ordering.is_some_and(Ordering::is_eq),
        CompareOp::NotEqual => ordering.is_none_or(Ordering::is_ne),
        CompareOp::Less => ordering.is_some_and(Ordering::is_lt),
        CompareOp::LessEqual => ordering.is_some_and(Ordering::is_le),
        CompareOp::Greater => ordering.is_some_and(Ordering::is_gt),
        CompareOp::GreaterEqual => ordering.is_some_and(Ordering::is_ge),
        CompareOp::Matches | CompareOp::MatchesNot => false,
    }
}

/// Whether an index evaluates the comparison exactly: at most one short value per span, of an indexed type.
pub(super) fn is_exact(spans: &[Span], comparison: &Comparison) -> bool {
    let single = |span: &Span| {
        let Some(values) = values(span, &comparison.field) else { return false };
        let plain = |value: &SpanValue| match value {
            SpanValue::Text(text) => text.len() < 250,
            SpanValue::Int(_) | SpanValue::Float(_) | SpanValue::Bool(_) => true,
            SpanValue::List(_) | SpanValue::Map(_) | SpanValue::Bytes(_) | SpanValue::Empty => false,
        };
        values.iter().all(plain)
    };
    let fitting = match (&comparison.field, &comparison.value) {
        (Field::Attribute(_), Literal::Kind(_) | Literal::Status(_)) => false,
        (Field::Attribute(_), _) => true,
        (Field::Intrinsic(Intrinsic::Duration), Literal::Int(_) | Literal::Float(_) | Literal::Duration(_)) => true,
        (Field::Intrinsic(Intrinsic::Kind), Literal::Kind(_)) => equality(comparison.op),
        (Field::Intrinsic(Intrinsic::Status), Literal::Status(_)) => equality(comparison.op),
        (
            Field::Intrinsic(
                Intrinsic::Name
                | Intrinsic::StatusMessage
                | Intrinsic::InstrumentationName
                | Intrinsic::InstrumentationVersion,
            ),
            Literal::Text(_),
        ) => true,
        (Field::Intrinsic(Intrinsic::EventName | Intrinsic::LinkTraceId | Intrinsic::LinkSpanId), Literal::Text(_)) => {
            comparison.op == CompareOp::Equal
        }
        _ => false,
    };
    fitting && spans.iter().all(single)
}

fn equality(op: CompareOp) -> bool {
    matches!(op, CompareOp::Equal | CompareOp::NotEqual)
}
