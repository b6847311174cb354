//! Tests of the public API of `baton-traceql`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod check;
mod corpus_parse;
mod corpus_results;
mod corpus_spans;
mod evaluate;
mod evaluate_generate;
mod evaluate_naive;
mod lenient;
mod metrics;
mod metrics_generate;
mod metrics_naive;
mod metrics_table;
mod parse;
mod predicate;
mod print;
mod print_generate;
