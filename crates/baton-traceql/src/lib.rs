//! TraceQL: the query language for spans.
//!
//! [`parse`] turns text into a [`Query`]. A query prints in canonical form, yields a predicate for pushdown into a
//! store ([`TracePredicate`]), and is evaluated against one trace ([`evaluate`]) or aggregated into series
//! ([`MetricsPlan`]). This crate must never do I/O, read a clock or know how spans are stored; a store only narrows
//! down the candidate traces.
//!
//! Read first: [`Query`] (the AST), [`parse`] with [`Mode`] (strict like Tempo, or lenient), [`evaluate`] (search
//! semantics), [`TracePredicate`] (predicate for pushdown into an index), [`MetricsPlan`] (metrics queries).

mod answer;
mod ast;
mod check;
mod error;
mod evaluate;
mod lenient;
mod lex;
mod lex_name;
mod lex_number;
mod lex_text;
mod lex_words;
mod message_format;
mod metrics;
mod mode;
mod parse;
mod pattern;
mod predicate;
mod print;
mod print_field;
mod print_metrics;
mod pushdown;
mod relation;
mod result_fields;
mod root_predicate;
mod searchable;

pub use answer::{Aliases, SelectedAttributes, Spanset, TraceSpans};
pub use ast::{
    Aggregate, AggregateOp, ArithmeticOp, AttributeRef, AttributeScope, BinaryOp, CompareFunction, CompareOp,
    Comparison, Field, FieldExpr, FirstStage, Hint, Intrinsic, Literal, MetricsExpr, MetricsQuery, PipelineExpr,
    PipelineStage, Query, Root, Scalar, ScalarFilter, SecondStage, SpansetExpr, SpansetOp, UnaryOp,
};
pub use check::{check, check_metrics, check_tail};
pub use error::{ParseError, QueryError};
pub use evaluate::{
    NodeParent, SearchPlan, TraceAnswer, TraceNode, ValuePredicate, evaluate, matches_span, node_parents,
    selected_attributes,
};
pub use metrics::{
    Exemplar, GroupIndex, MetricsLimits, MetricsPlan, MetricsPushdown, Series, Steps, Tally, TracePushdown,
};
pub use mode::Mode;
pub use parse::{ParsedQuery, parse};
pub use predicate::{SpanPredicate, TracePredicate};
pub use pushdown::{SpanCondition, SpansetPushdown, pushdown_predicate};
pub use relation::{RelationMode, SpanRelation};
pub use result_fields::referenced_fields;
pub use root_predicate::RootPredicate;
pub use searchable::search_pipeline;
