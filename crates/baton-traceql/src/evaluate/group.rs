//! One spanset per value; spans without one are a group, too.

use super::{
    pipeline::say,
    plan::Grouping,
    scene::{Scene, place},
};
use crate::{Literal, Spanset};
use baton_types::Value;
use std::collections::BTreeMap;

impl Grouping {
    /// The groups of a set, by their first span.
    pub(super) fn run(&self, scene: &Scene<'_>, set: Spanset) -> Vec<Spanset> {
        // Values have no order and no hash; their text tells types apart.
        let mut groups: BTreeMap<String, (Option<Value>, Vec<usize>)> = BTreeMap::new();
        for (number, span) in set.spans.into_iter().enumerate() {
            if !scene.goes_on_at(number) {
                break;
            }
            let value = self.of.value(scene, span);
            groups.entry(format!("{value:?}")).or_insert_with(|| (value, Vec::new())).1.push(span);
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        // What was said of the set is said of every group again.
        let said: usize = set.attributes.iter().map(|(name, value)| name.len() + length(value)).sum();
        if !scene.has_room(said.saturating_mul(groups.len())) {
            return Vec::new();
        }
        groups.sort_by_key(|(_, spans)| spans.iter().map(|span| place(&scene.spans[*span])).min());
        let named = |(value, spans): (Option<Value>, Vec<usize>)| {
            let mut group = Spanset { spans, attributes: set.attributes.clone() };
            say(&mut group, &self.label, value.unwrap_or_else(|| Value::from(Literal::Nil.to_string())));
            group
        };
        groups.into_iter().map(named).collect()
    }
}

/// How many bytes of text or of anything else a value has.
fn length(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(values) => values.iter().map(length).sum(),
        Value::Map(values) => values.iter().map(|(key, value)| key.len() + length(value)).sum(),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Empty => size_of::<Value>(),
    }
}
