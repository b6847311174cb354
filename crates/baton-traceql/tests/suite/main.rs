//! What this crate promises, seen from outside.

mod check;
mod corpus_parse;
mod corpus_results;
mod corpus_spans;
mod evaluate;
mod evaluate_generate;
mod evaluate_naive;
mod lenient;
mod need;
mod parse;
mod print;
mod print_generate;
