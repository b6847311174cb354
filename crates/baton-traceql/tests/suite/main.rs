//! What this crate promises, seen from outside.

mod corpus_parse;
mod lenient;
mod parse;
mod print;
mod print_generate;
