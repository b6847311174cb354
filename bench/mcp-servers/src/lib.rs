//! The tool that every measured MCP server has: it adds two numbers.
//!
//! This crate must never do for one server what it does not do for the others: they share the tool, the allocator that
//! the shipped binary has, and nothing else.
//!
//! Read first: [`Numbers`] (what goes in) and [`Sum`] (what comes out).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What is added.
#[derive(Deserialize, JsonSchema)]
pub struct Numbers {
    /// The first number.
    pub a: i64,
    /// The second number.
    pub b: i64,
}

/// What comes out.
#[derive(Serialize, JsonSchema)]
pub struct Sum {
    /// The first and the second number together.
    pub sum: i64,
}

impl Numbers {
    /// Both together.
    pub fn added(&self) -> Sum {
        Sum { sum: self.a.wrapping_add(self.b) }
    }
}
