//! Reads and writes one typical request, answer and stream item in every dialect, for callgrind to count.
//!
//! Counting is enabled inside [`counted_section`] only (`--toggle-collect`), and its cost is dumped when it returns
//! (`--dump-after`). Every call of it prints a line on stdout (dialect, operation, repetitions, bytes), so that the
//! dumps can be assigned by their order. Reading ends with the validated message or the 1.0 value; writing starts with
//! the domain types. The JSON-RPC envelope is left out: it is the same in every dialect.
//!
//! Arguments such as `"0.3 gRPC: read answer"` select operations, for example to profile one of them.

mod grpc;
mod json;
mod sample;

use sample::Sample;
use std::{error::Error, hint::black_box};

/// Repetitions of each operation under count.
const REPETITIONS: u32 = 100;

/// Error of an operation.
pub type BoxedError = Box<dyn Error>;

/// Result of an operation; its output is dropped, which is part of the cost.
pub type WorkResult = Result<(), BoxedError>;

/// Functions of one dialect; servers read requests and write the rest, clients the reverse.
pub struct DialectCodec {
    name: &'static str,
    write_request: fn(&Sample) -> Result<Vec<u8>, BoxedError>,
    read_request: fn(&[u8]) -> WorkResult,
    write_answer: fn(&Sample) -> Result<Vec<u8>, BoxedError>,
    read_answer: fn(&[u8]) -> WorkResult,
    item: Option<ItemCodec>,
}

/// Functions for one stream item.
pub struct ItemCodec {
    write: fn(&Sample) -> Result<Vec<u8>, BoxedError>,
    read: fn(&[u8]) -> WorkResult,
}

/// Consumes a value that was read.
pub fn consume<T>(read: T) -> WorkResult {
    black_box(read);
    Ok(())
}

/// The counted code: only the operation and its loop.
#[inline(never)]
fn counted_section(work: &dyn Fn() -> WorkResult) -> WorkResult {
    for _ in 0..REPETITIONS {
        work()?;
    }
    Ok(())
}

fn count(dialect: &str, operation: &str, bytes: usize, work: &dyn Fn() -> WorkResult) -> WorkResult {
    let wanted: Vec<_> = std::env::args().skip(1).collect();
    if !wanted.is_empty() && !wanted.iter().any(|one| *one == format!("{dialect}: {operation}")) {
        return Ok(());
    }
    // The first call warms up one-time initialisation, which is not counted.
    work()?;
    counted_section(work)?;
    println!("{dialect}\t{operation}\t{REPETITIONS}\t{bytes}");
    Ok(())
}

fn main() -> WorkResult {
    let sample = Sample::new()?;
    for dialect in [json::V1, json::V03, json::V03_REST, json::CONTEXTCORE, grpc::V1, grpc::V03] {
        let name = dialect.name;
        let request = (dialect.write_request)(&sample)?;
        let answer = (dialect.write_answer)(&sample)?;
        count(name, "read request", request.len(), &|| (dialect.read_request)(&request))?;
        count(name, "write answer", answer.len(), &|| consume((dialect.write_answer)(&sample)?))?;
        count(name, "write request", request.len(), &|| consume((dialect.write_request)(&sample)?))?;
        count(name, "read answer", answer.len(), &|| (dialect.read_answer)(&answer))?;
        if let Some(ItemCodec { write, read }) = dialect.item {
            let item = write(&sample)?;
            count(name, "write item", item.len(), &|| consume(write(&sample)?))?;
            count(name, "read item", item.len(), &|| read(&item))?;
        }
    }
    Ok(())
}
