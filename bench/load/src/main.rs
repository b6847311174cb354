//! Generates load on an A2A, MCP or OpenAI Responses server on loopback and prints the results as one JSON line.
//!
//! ```text
//! load --url URL --mode send|stream|submit --connections N (--seconds S [--warmup S] | --count N) [--text T]
//!      [--protocol jsonrpc|rest|grpc|jsonrpc-0.3|rest-0.3|grpc-0.3]
//! load --url URL --protocol mcp-2026-07-28|mcp-2025-11-25 --connections N (--seconds S [--warmup S] | --count N)
//! load --url URL --protocol responses --mode send|stream --connections N (--seconds S [--warmup S] | --count N)
//!      [--text T] [--model M] [--expect ANSWER]
//! ```
//!
//! `send` waits for each task to complete, `stream` reads each event stream to its end, `submit` returns as soon as the
//! task exists. Every reply is checked: it must contain a task in the right state and, except for `submit`, the echo of
//! the sent text. Over MCP the tool `add` is called, and every reply must contain the right sum. A response must be
//! completed and contain the echo, or ANSWER if the server cannot echo. One thread drives all connections, so that the
//! rest of the machine is available to the server.
//!
//! With `--rate N`, N requests are sent per second, regardless of the response times, and latency counts from the
//! scheduled time of each request.

mod check;
mod connection;
mod grpc;
mod http1;
mod mcp;
mod options;
mod pace;
mod protocol;
mod request;
mod response;
mod responses;
mod summary;

use connection::LoadConnection;
use options::LoadOptions;
use pace::RequestPace;
use std::{
    cell::{Cell, RefCell},
    process::ExitCode,
    rc::Rc,
    time::Instant,
};
use summary::LoadSummary;

fn main() -> ExitCode {
    let options = match LoadOptions::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("load: {message}");
            return ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("load: {error}");
            return ExitCode::from(2);
        }
    };
    let summary = tokio::task::LocalSet::new().block_on(&runtime, run_load(Rc::new(options)));
    println!("{}", summary.to_json());
    for example in &summary.examples {
        eprintln!("load: {example}");
    }
    if summary.requests == 0 || summary.errors > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs all connections until the limit and collects their results.
async fn run_load(options: Rc<LoadOptions>) -> LoadSummary {
    let begun = Instant::now();
    let started = Rc::new(Cell::new(0u64));
    let summary = Rc::new(RefCell::new(LoadSummary::new(&options)));
    let pace = Rc::new(RequestPace::new(&options, begun));
    let workers: Vec<_> = (0..options.connections)
        .map(|_| {
            let (options, started, summary) = (options.clone(), started.clone(), summary.clone());
            tokio::task::spawn_local(run_connection(options, begun, pace.clone(), started, summary))
        })
        .collect();
    for worker in workers {
        if let Err(error) = worker.await {
            summary.borrow_mut().error(&error.to_string());
        }
    }
    let unsent = pace.unsent().await;
    let mut summary = summary.borrow_mut();
    if unsent > 0 {
        summary.error(&format!("{unsent} requests or more were due and never sent"));
    }
    summary.finish(begun.elapsed());
    summary.clone()
}

/// Runs one connection: one request after another. A broken connection is counted as an error and reopened.
async fn run_connection(
    options: Rc<LoadOptions>,
    begun: Instant,
    pace: Rc<RequestPace>,
    started: Rc<Cell<u64>>,
    summary: Rc<RefCell<LoadSummary>>,
) {
    let mut connection: Option<LoadConnection> = None;
    loop {
        let number = started.get();
        // Stops if the server returns nothing but errors.
        if options.limit.is_reached(number, begun.elapsed(), pace.max_wait()) || summary.borrow().has_only_errors() {
            break;
        }
        started.set(number + 1);
        let mut open = match connection.take() {
            Some(open) => open,
            None => match LoadConnection::open(&options).await {
                Ok(open) => open,
                Err(error) => {
                    summary.borrow_mut().error(&format!("connect: {error}"));
                    continue;
                }
            },
        };
        let Some(due) = pace.next().await else { break };
        let late = due.elapsed();
        let outcome = open.exchange(number).await;
        let latency = due.elapsed();
        let counts = options.limit.is_measured(pace.counted_at(due) - begun);
        match outcome {
            Ok(outcome) => {
                let mut summary = summary.borrow_mut();
                summary.served();
                if counts {
                    summary.success(latency, &outcome);
                    summary.late(late);
                }
                if outcome.reusable {
                    connection = Some(open);
                }
            }
            Err(error) => summary.borrow_mut().error(&error),
        }
    }
    if let Some(open) = connection
        && let Err(error) = open.close().await
    {
        summary.borrow_mut().error(&format!("close: {error}"));
    }
}
