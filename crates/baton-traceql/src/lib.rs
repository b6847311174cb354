//! TraceQL: the query language for spans.
//!
//! [`parse`] turns text into a [`Query`]. A query prints in canonical form, yields a predicate for pushdown into a
//! store ([`TracePredicate`]), and is evaluated against one trace ([`evaluate`]) or aggregated into series ([`MetricsPlan`]).
//! This crate must never do I/O, read a clock or know how spans are stored; a store only narrows down the candidate
//! traces.
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
mod metrics;
mod mode;
mod need;
mod need_of;
mod parse;
mod pattern;
mod print;
mod print_field;
mod print_metrics;
mod rooted;
mod said;
mod searchable;
mod shown;

pub use answer::{Aliases, Shown, Spanset, Trace};
pub use ast::{
    Aggregate, AggregateOp, ArithmeticOp, Attribute, BinaryOp, Compare, CompareOp, Comparison,
    Field, FieldExpr, FirstStage, Hint, Intrinsic, Literal, MetricsExpr, MetricsQuery, PipelineExpr, Query,
    Root, Scalar, ScalarFilter, Scope, SecondStage, SpansetExpr, SpansetOp, Stage, UnaryOp,
};
pub use check::{check, check_metrics, check_tail};
pub use error::{ParseError, QueryError};
pub use evaluate::{Prepared, TraceAnswer, ValueTest, evaluate, matches_span, shown};
pub use metrics::{Direct, Exemplar, Group, Limits, Measure, Series, Steps, Tally};
pub use mode::Mode;
pub use need::{SpanNeed, TraceNeed};
pub use need_of::need;
pub use parse::{Parsed, parse};
pub use rooted::Rooted;
pub use searchable::searchable;
pub use shown::named_fields;
