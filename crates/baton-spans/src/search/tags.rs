//! Names of attributes.

use super::{budget::QueryBudget, trace_selection::TraceSelection};
use crate::segment::Segment;
use baton_span_ports::{SpanStoreError, TagNames, TagsRequest};
use baton_traceql::{Aliases, AttributeRef, AttributeScope, Field, SpanPredicate};
use std::{collections::BTreeSet, sync::Arc};

/// Number of names between two deadline checks.
const DEADLINE_CHECK_INTERVAL: usize = 64;

/// The sorted names of attributes, up to the requested limit per scope; those found within the budget.
pub(crate) fn tags(
    segments: &[Arc<dyn Segment>],
    ask: &TagsRequest,
    budget: &QueryBudget,
) -> Result<TagNames, SpanStoreError> {
    let mut names: BTreeSet<(AttributeScope, String)> = BTreeSet::new();
    for (segment, among) in segments.iter().zip(TraceSelection::per_segment(segments, ask, budget)?) {
        if budget.is_expired() {
            break;
        }
        let here = match among {
            TraceSelection::Nothing => continue,
            TraceSelection::Everything => segment.names()?,
            TraceSelection::Traces(traces) => {
                let mut matching = Vec::new();
                for (number, (scope, name)) in segment.names()?.into_iter().enumerate() {
                    if number % DEADLINE_CHECK_INTERVAL == DEADLINE_CHECK_INTERVAL - 1 && budget.is_expired() {
                        break;
                    }
                    if names.contains(&(scope, name.clone())) {
                        continue;
                    }
                    let attribute = AttributeRef { scope, of_parent: false, name: name.clone() };
                    let having =
                        segment.matching_traces(&SpanPredicate::Exists(Field::Attribute(attribute)), Aliases::NONE)?;
                    if !having.is_disjoint(&traces) {
                        matching.push((scope, name));
                    }
                }
                matching
            }
        };
        names.extend(here);
        let bytes: usize = names.iter().map(|(scope, name)| size_of_val(scope) + size_of_val(name) + name.len()).sum();
        if bytes > budget.result_bytes {
            break;
        }
    }
    let of = |target_scope: AttributeScope| -> Vec<String> {
        let here = names.iter().filter(|(scope, _)| *scope == target_scope).map(|(_, name)| name.clone());
        here.take(ask.limit).collect()
    };
    Ok(TagNames {
        span: of(AttributeScope::Span),
        resource: of(AttributeScope::Resource),
        event: of(AttributeScope::Event),
        link: of(AttributeScope::Link),
        instrumentation: of(AttributeScope::Instrumentation),
    })
}
