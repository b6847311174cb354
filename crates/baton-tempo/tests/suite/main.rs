//! A scripted Tempo and the results from its responses; two stores combined into one.

#![cfg(test)]

mod answers;
mod failures;
mod fixtures;
mod forwarding;
mod lenient_queries;
mod limits;
mod reference_store;
mod scripted_tempo;
mod tee;
mod tee_agrees;
