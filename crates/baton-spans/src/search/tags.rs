//! Names of attributes.

use super::{among::Among, budget::Budget};
use crate::segment::Segment;
use baton_ports::{SpanStoreError, TagNames, TagsRequest};
use baton_traceql::{Aliases, Attribute, Field, Scope, SpanNeed};
use std::{collections::BTreeSet, sync::Arc};

/// Number of names between two deadline checks.
const BETWEEN_LOOKS: usize = 64;

/// The sorted names of attributes, up to the requested limit per scope; those found within the budget.
pub(crate) fn tags(
    segments: &[Arc<dyn Segment>],
    ask: &TagsRequest,
    budget: &Budget,
) -> Result<TagNames, SpanStoreError> {
    let mut names: BTreeSet<(Scope, String)> = BTreeSet::new();
    for (segment, among) in segments.iter().zip(Among::each(segments, ask, budget)?) {
        if budget.is_late() {
            break;
        }
        let here = match among {
            Among::Nothing => continue,
            Among::Everything => segment.names()?,
            Among::Traces(traces) => {
                let mut kept = Vec::new();
                for (number, (scope, name)) in segment.names()?.into_iter().enumerate() {
                    if number % BETWEEN_LOOKS == BETWEEN_LOOKS - 1 && budget.is_late() {
                        break;
                    }
                    if names.contains(&(scope, name.clone())) {
                        continue;
                    }
                    let attribute = Attribute { scope, of_parent: false, name: name.clone() };
                    let having =
                        segment.meeting(&SpanNeed::Exists(Field::Attribute(attribute)), Aliases::NONE)?;
                    if !having.is_disjoint(&traces) {
                        kept.push((scope, name));
                    }
                }
                kept
            }
        };
        names.extend(here);
        let bytes: usize = names.iter().map(|(scope, name)| size_of_val(scope) + size_of_val(name) + name.len()).sum();
        if bytes > budget.told {
            break;
        }
    }
    let of = |wanted: Scope| -> Vec<String> {
        let here = names.iter().filter(|(scope, _)| *scope == wanted).map(|(_, name)| name.clone());
        here.take(ask.limit).collect()
    };
    Ok(TagNames {
        span: of(Scope::Span),
        resource: of(Scope::Resource),
        event: of(Scope::Event),
        link: of(Scope::Link),
        instrumentation: of(Scope::Instrumentation),
    })
}
