//! `by`: one spanset per value; spans without a value form a group, too.

use super::{
    context::{EvaluationContext, sort_key},
    pipeline::set_attribute,
    plan::GroupStep,
};
use crate::{Literal, Spanset};
use baton_types::SpanValue;
use std::collections::BTreeMap;

impl GroupStep {
    /// The groups of a set, ordered by their first span.
    pub(super) fn run(&self, scene: &EvaluationContext<'_>, set: Spanset) -> Vec<Spanset> {
        // Values implement neither `Ord` nor `Hash`; their debug text distinguishes types.
        let mut groups: BTreeMap<String, (Option<SpanValue>, Vec<usize>)> = BTreeMap::new();
        for (number, span) in set.spans.into_iter().enumerate() {
            if !scene.has_time_at(number) {
                break;
            }
            let value = self.of.value(scene, span);
            groups.entry(format!("{value:?}")).or_insert_with(|| (value, Vec::new())).1.push(span);
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        // The attributes of the set are copied to every group.
        let attribute_bytes: usize = set.attributes.iter().map(|(name, value)| name.len() + length(value)).sum();
        if !scene.reserve_bytes(attribute_bytes.saturating_mul(groups.len())) {
            return Vec::new();
        }
        groups.sort_by_key(|(_, spans)| spans.iter().map(|span| sort_key(&scene.spans[*span])).min());
        let named = |(value, spans): (Option<SpanValue>, Vec<usize>)| {
            let mut group = Spanset { spans, attributes: set.attributes.clone() };
            set_attribute(&mut group, &self.label, value.unwrap_or_else(|| SpanValue::from(Literal::Nil.to_string())));
            group
        };
        groups.into_iter().map(named).collect()
    }
}

/// Approximate size of a value in bytes.
fn length(value: &SpanValue) -> usize {
    match value {
        SpanValue::Text(text) => text.len(),
        SpanValue::Bytes(bytes) => bytes.len(),
        SpanValue::List(values) => values.iter().map(length).sum(),
        SpanValue::Map(values) => values.iter().map(|(key, value)| key.len() + length(value)).sum(),
        SpanValue::Bool(_) | SpanValue::Int(_) | SpanValue::Float(_) | SpanValue::Empty => size_of::<SpanValue>(),
    }
}
