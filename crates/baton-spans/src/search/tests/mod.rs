//! The search over segments with a perfect index, in every layout: it answers what the naive evaluator says.

mod agrees;
mod answers;
mod bounds;
mod measured;
mod measures;
mod memory;
#[path = "../../../tests/suite/naive/mod.rs"]
mod naive;
mod reads;
