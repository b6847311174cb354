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

pub(crate) use chosen::{Chosen, ChosenSpan};
pub(crate) use compile::{flipped, normal, regex};
pub(crate) use item::{Item, holds};
pub use prepared::{Prepared, TraceAnswer, evaluate, matches_span, shown};
pub use value_test::ValueTest;
