//! Search over segments with an exact index, in every layout, compared with the naive evaluator.

mod answers;
mod bounds;
mod memory;
mod metrics_equivalence;
mod metrics_results;
#[path = "../../../tests/suite/naive/mod.rs"]
mod naive;
mod reads;
mod search_equivalence;
