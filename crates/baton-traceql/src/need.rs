//! What a trace must have to answer a query: what a store looks for before anything is evaluated.
//!
//! A need is necessary, never sufficient: every trace that answers the query meets it, and some that meet it do not
//! answer. [`crate::evaluate`] decides.

use crate::{Comparison, Field};

/// What some span of a trace must be like; what holds for the whole trace is built of that.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceNeed {
    /// Any trace may answer.
    Anything,
    /// All of them are met, by whatever spans.
    All(Vec<TraceNeed>),
    /// One of them is met.
    Any(Vec<TraceNeed>),
    /// One span meets this.
    Span(SpanNeed),
}

/// What one span must be like.
#[derive(Clone, Debug, PartialEq)]
pub enum SpanNeed {
    /// Any span may match.
    Anything,
    /// No span can.
    Nothing,
    /// All of them hold.
    All(Vec<SpanNeed>),
    /// One of them holds.
    Any(Vec<SpanNeed>),
    /// The comparison holds, as [`crate::evaluate`] would find it.
    Holds(Comparison),
    /// The field has a value.
    Exists(Field),
}
