//! Reads and writes one typical request, answer and stream item in every dialect, for callgrind to count.
//!
//! Counting is switched on inside [`counted_section`] only (`--toggle-collect`), and its cost is written out when it
//! returns (`--dump-after`). Every call of it prints a line on stdout (dialect, operation, how many times, bytes), so
//! that the dumps can be told apart by their order. Reading ends with the message checked, or with the value of 1.0;
//! writing begins with the nouns. The JSON-RPC envelope is left out: it is the same in every dialect.
//!
//! Arguments such as `"0.3 gRPC: read answer"` choose what is done, for a look at where the instructions go.

mod grpc;
mod json;
mod sample;

use sample::Sample;
use std::{error::Error, hint::black_box};

/// How often each piece of work is done under count.
const TIMES: u32 = 100;

/// Why the work could not be done.
pub type Failure = Box<dyn Error>;

/// Work without a result; what it made is dropped, which is part of its cost.
pub type Done = Result<(), Failure>;

/// A way of saying things; servers read requests and write the rest, clients the other way round.
pub struct Dialect {
    name: &'static str,
    write_request: fn(&Sample) -> Result<Vec<u8>, Failure>,
    read_request: fn(&[u8]) -> Done,
    write_answer: fn(&Sample) -> Result<Vec<u8>, Failure>,
    read_answer: fn(&[u8]) -> Done,
    item: Option<Item>,
}

/// How one item of a stream is said.
pub struct Item {
    write: fn(&Sample) -> Result<Vec<u8>, Failure>,
    read: fn(&[u8]) -> Done,
}

/// Uses up what was read.
pub fn done<T>(read: T) -> Done {
    black_box(read);
    Ok(())
}

/// What is counted: nothing but the work and its loop.
#[inline(never)]
fn counted_section(work: &dyn Fn() -> Done) -> Done {
    for _ in 0..TIMES {
        work()?;
    }
    Ok(())
}

fn count(dialect: &str, operation: &str, bytes: usize, work: &dyn Fn() -> Done) -> Done {
    let wanted: Vec<_> = std::env::args().skip(1).collect();
    if !wanted.is_empty() && !wanted.iter().any(|one| *one == format!("{dialect}: {operation}")) {
        return Ok(());
    }
    // What happens the first time only is nobody's cost.
    work()?;
    counted_section(work)?;
    println!("{dialect}\t{operation}\t{TIMES}\t{bytes}");
    Ok(())
}

fn main() -> Done {
    let sample = Sample::new()?;
    for dialect in [json::V1, json::V03, json::V03_REST, json::CONTEXTCORE, grpc::V1, grpc::V03] {
        let name = dialect.name;
        let request = (dialect.write_request)(&sample)?;
        let answer = (dialect.write_answer)(&sample)?;
        count(name, "read request", request.len(), &|| (dialect.read_request)(&request))?;
        count(name, "write answer", answer.len(), &|| done((dialect.write_answer)(&sample)?))?;
        count(name, "write request", request.len(), &|| done((dialect.write_request)(&sample)?))?;
        count(name, "read answer", answer.len(), &|| (dialect.read_answer)(&answer))?;
        if let Some(Item { write, read }) = dialect.item {
            let item = write(&sample)?;
            count(name, "write item", item.len(), &|| done(write(&sample)?))?;
            count(name, "read item", item.len(), &|| read(&item))?;
        }
    }
    Ok(())
}
