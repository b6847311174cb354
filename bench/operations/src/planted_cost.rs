//! Extra cost of every operation, to show that a comparison notices it.

use anyhow::{Context as _, Result, bail};
use std::hint::black_box;

/// Instructions of one round of the loop in [`PlantedCost::spend`], approximately.
const INSTRUCTIONS_PER_ROUND: u64 = 4;

/// Size of a retained allocation; small ones would occupy more memory than they have bytes.
const RETAINED_CHUNK: usize = 64 << 10;

/// Extra cost of every operation.
#[derive(Default)]
pub struct PlantedCost {
    instructions: u64,
    allocations: u64,
    allocated_bytes: usize,
    resident_bytes: usize,
    /// Resident bytes that are not retained yet.
    owed_bytes: usize,
    retained: Vec<Vec<u8>>,
}

impl PlantedCost {
    /// Parses amounts such as `allocations=3`.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut planted = Self::default();
        for argument in arguments {
            let (figure, amount) = argument.split_once('=').context("expected FIGURE=AMOUNT")?;
            match figure {
                "instructions" => planted.instructions = amount.parse()?,
                "allocations" => planted.allocations = amount.parse()?,
                "allocated_bytes" => planted.allocated_bytes = amount.parse()?,
                "resident_bytes" => planted.resident_bytes = amount.parse()?,
                _ => bail!("unknown figure {figure}"),
            }
        }
        Ok(planted)
    }

    /// Spends the extra cost of one operation.
    pub fn spend(&mut self) {
        for round in 0..self.instructions / INSTRUCTIONS_PER_ROUND {
            black_box(round);
        }
        for _ in 0..self.allocations {
            black_box(Box::new(0_u8));
        }
        if self.allocated_bytes > 0 {
            black_box(Vec::<u8>::with_capacity(self.allocated_bytes));
        }
        self.owed_bytes += self.resident_bytes;
        while self.owed_bytes >= RETAINED_CHUNK {
            self.owed_bytes -= RETAINED_CHUNK;
            self.retained.push(vec![1; RETAINED_CHUNK]);
        }
    }
}
