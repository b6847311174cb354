//! Evaluation of a query on one complete trace: the reference semantics.

mod aggregate;
mod arithmetic;
mod chosen;
mod compile;
mod expression;
mod group;
mod item;
mod lookup;
mod pipeline;
mod plan;
mod prepared;
mod scene;
mod structure;
mod tree;
mod value_test;

pub(crate) use chosen::{SelectedSpan, SpanSelector};
pub(crate) use compile::{canonical_literal, flipped, regex};
pub(crate) use item::{ComparableValue, holds};
pub use prepared::{SearchPlan, TraceAnswer, evaluate, matches_span, selected_attributes};
pub use value_test::ValuePredicate;
