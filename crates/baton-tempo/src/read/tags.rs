//! Decodes attribute names and values.

use super::{list, parse_json};
use crate::failure::TempoError;
use baton_span_ports::TagNames;
use baton_traceql::{BinaryOp, FieldExpr, Literal, Mode, PipelineExpr, PipelineStage, Root, SpansetExpr, parse};
use baton_types::SpanValue;
use serde::Deserialize;

#[derive(Deserialize)]
struct TagNamesReply {
    scopes: Option<Vec<TagScopeEntry>>,
}

#[derive(Deserialize)]
struct TagScopeEntry {
    name: String,
    #[serde(default)]
    tags: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TagValuesReply {
    tag_values: Option<Vec<TagValueEntry>>,
}

#[derive(Deserialize)]
struct TagValueEntry {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    value: String,
}

/// Decodes names by scope, sorted, at most `most` per scope.
pub(crate) fn tags(body: &[u8], limit: usize) -> Result<TagNames, TempoError> {
    let mut tags = TagNames::default();
    for scope in list(parse_json::<TagNamesReply>(body)?.scopes) {
        let names = match scope.name.as_str() {
            "span" => &mut tags.span,
            "resource" => &mut tags.resource,
            "event" => &mut tags.event,
            "link" => &mut tags.link,
            "instrumentation" => &mut tags.instrumentation,
            _ => continue,
        };
        names.extend(list(scope.tags));
        names.sort();
        names.dedup();
        names.truncate(limit);
    }
    Ok(tags)
}

/// Decodes at most `most` values.
pub(crate) fn tag_values(body: &[u8], limit: usize) -> Result<Vec<SpanValue>, TempoError> {
    let values = list(parse_json::<TagValuesReply>(body)?.tag_values);
    Ok(values.into_iter().take(limit).map(value).collect())
}

/// A value that cannot be parsed as its type stays text.
fn value(typed: TagValueEntry) -> SpanValue {
    let text = typed.value.as_str();
    let value = match typed.kind.as_str() {
        "int" => text.parse().ok().map(SpanValue::Int),
        "float" => text.parse().ok().map(SpanValue::Float),
        "bool" => text.parse().ok().map(SpanValue::Bool),
        "duration" => parse_duration(text).map(SpanValue::Int),
        _ => None,
    };
    value.unwrap_or(SpanValue::from(typed.value))
}

/// Parses a TraceQL duration to nanoseconds.
fn parse_duration(text: &str) -> Option<i64> {
    let parsed = parse(&format!("{{ duration = {text} }}"), Mode::Strict).ok()?;
    let Root::Search(PipelineExpr::Pipeline(stages)) = parsed.query.root else { return None };
    let [PipelineStage::Spansets(SpansetExpr::Filter(Some(FieldExpr::Binary { op, right, .. })))] = stages.as_slice()
    else {
        return None;
    };
    match (op, &**right) {
        (BinaryOp::Compare(_), FieldExpr::Literal(Literal::Duration(nanoseconds))) => Some(*nanoseconds),
        _ => None,
    }
}
