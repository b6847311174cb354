//! The tool of every measured MCP server: it adds two numbers.
//!
//! This crate must never treat servers differently: they share the tool, the allocator of the shipped binary, and
//! nothing else.
//!
//! Read first: [`Numbers`] (the arguments) and [`Sum`] (the result).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The operands.
#[derive(Deserialize, JsonSchema)]
pub struct Numbers {
    /// The first number.
    pub a: i64,
    /// The second number.
    pub b: i64,
}

/// The result.
#[derive(Serialize, JsonSchema)]
pub struct Sum {
    /// The sum of both numbers.
    pub sum: i64,
}

impl Numbers {
    /// Adds both numbers.
    pub fn added(&self) -> Sum {
        Sum { sum: self.a.wrapping_add(self.b) }
    }
}
