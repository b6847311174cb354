//! Evaluation of a query on one complete trace: the reference semantics.

mod aggregate;
mod arithmetic;
mod comparable_value;
mod compile;
mod context;
mod expression;
mod group;
mod lookup;
mod node;
mod pipeline;
mod plan;
mod predicate;
mod search_plan;
mod span_selector;
mod structure;
mod tree;

pub(crate) use comparable_value::{ComparableValue, holds};
pub(crate) use compile::{canonical_literal, flipped, regex};
pub use node::{NodeParent, TraceNode, node_parents};
pub use predicate::ValuePredicate;
pub use search_plan::{SearchPlan, TraceAnswer, evaluate, matches_span, selected_attributes};
pub(crate) use span_selector::{SelectedSpan, SpanSelector};
