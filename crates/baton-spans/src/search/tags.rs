//! Which names attributes have.

use super::among::Among;
use crate::segment::Segment;
use baton_ports::{SpanStoreError, Tags, TagsAsk};
use baton_traceql::{Aliases, Attribute, Field, Scope, SpanNeed};
use std::{collections::BTreeSet, sync::Arc};

/// The names of attributes, sorted, at most as many per scope as are asked for.
pub(crate) fn tags(segments: &[Arc<dyn Segment>], ask: &TagsAsk) -> Result<Tags, SpanStoreError> {
    let mut names: BTreeSet<(Scope, String)> = BTreeSet::new();
    for (segment, among) in segments.iter().zip(Among::each(segments, ask)?) {
        let here = match among {
            Among::Nothing => continue,
            Among::Everything => segment.names()?,
            Among::Traces(traces) => {
                let mut kept = Vec::new();
                for (scope, name) in segment.names()? {
                    if names.contains(&(scope, name.clone())) {
                        continue;
                    }
                    let attribute = Attribute { scope, of_parent: false, name: name.clone() };
                    let having = segment.meeting(&SpanNeed::Exists(Field::Attribute(attribute)), Aliases::NONE)?;
                    if !having.is_disjoint(&traces) {
                        kept.push((scope, name));
                    }
                }
                kept
            }
        };
        names.extend(here);
    }
    let of = |wanted: Scope| -> Vec<String> {
        let here = names.iter().filter(|(scope, _)| *scope == wanted).map(|(_, name)| name.clone());
        here.take(ask.limit).collect()
    };
    Ok(Tags {
        span: of(Scope::Span),
        resource: of(Scope::Resource),
        event: of(Scope::Event),
        link: of(Scope::Link),
        instrumentation: of(Scope::Instrumentation),
    })
}
