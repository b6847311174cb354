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
        for span in set.spans {
            let value = self.of.value(scene, span);
            groups.entry(format!("{value:?}")).or_insert_with(|| (value, Vec::new())).1.push(span);
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        groups.sort_by_key(|(_, spans)| spans.iter().map(|span| place(&scene.spans[*span])).min());
        let named = |(value, spans): (Option<Value>, Vec<usize>)| {
            let mut group = Spanset { spans, attributes: set.attributes.clone() };
            say(&mut group, &self.label, value.unwrap_or_else(|| Value::from(Literal::Nil.to_string())));
            group
        };
        groups.into_iter().map(named).collect()
    }
}
