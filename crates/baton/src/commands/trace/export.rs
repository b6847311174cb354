//! `baton trace export`: spans as a file for other tools.

use super::{
    caret,
    query::said,
    when::{When, when},
    words::{bytes, count, counted},
};
use crate::{
    commands::place::ConnectionOptions,
    connect::{BatonConnection, client_failure},
    failure::{CliError, Exit},
    screen::Screen,
    signals::StopRequests,
    wiring::now,
};
use baton_client::{ClientError, ExportItem, ExportRequest, SpanExport};
use baton_parquet::{SpanFile, WriteError, Written};
use baton_types::{ErrorCode, Span};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// Batches that were read and are not written yet.
const AHEAD: usize = 2;
/// Most traces that were left out whose ids are told.
const TOLD: usize = 20;

/// What `baton trace export` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton trace export --parquet spans.parquet                      everything that is kept
  baton trace export --parquet errors.parquet --query '{ status = error }' --since 7d
  baton trace export --parquet day.parquet --since 2026-11-15 --until 2026-11-16
  duckdb -c \"SELECT name, count(*), avg(duration_ns)/1e6 AS ms FROM 'spans.parquet' GROUP BY ALL\"
  python3 -c \"import pandas; print(pandas.read_parquet('spans.parquet').name.value_counts())\"

Each row is a span. Well-known attributes have columns of their own, such as gen_ai_request_model;
all are in the maps `attributes` and `resource_attributes` as text, numbers in `attribute_numbers`
too. A span belongs to the time in which it began, so files of days that follow each other have
each span once. The file takes the place of an older one when it is whole.")]
pub(super) struct Options {
    /// The file to write
    #[arg(long, value_name = "FILE")]
    parquet: PathBuf,
    /// Only spans that answer this query in TraceQL
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// Only spans that began since then: 15m, 1h, 2d, or a moment
    #[arg(long, value_name = "TIME", value_parser = when)]
    since: Option<When>,
    /// Only spans that began before then
    #[arg(long, value_name = "TIME", value_parser = when)]
    until: Option<When>,
    /// Take only what Tempo takes
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    place: ConnectionOptions,
}

/// Writes the file; when it is stopped there is none.
pub(super) async fn run(options: Options, screen: Screen, mut stop: StopRequests) -> Result<Exit, CliError> {
    let now = now();
    let (start, end) = (options.since.map(|since| since.nanos(now)), options.until.map(|until| until.nanos(now)));
    if start.zip(end).is_some_and(|(start, end)| start >= end) {
        return Err(CliError::new(ErrorCode::USAGE, "--since must be before --until"));
    }
    let request = ExportRequest { query: options.query.clone(), start, end, strict: options.strict };
    let session = options.place.management_session().await?;
    let exported = tokio::select! {
        exported = export(&session, &request, &options.parquet, screen) => Some(exported),
        () = stop.first() => None,
    };
    session.close().await;
    let Some(exported) = exported else {
        screen.print_stderr("stopped; nothing was written");
        return Ok(Exit::Interrupted);
    };
    let (written, left_out) = exported?;
    let path = options.parquet.display().to_string();
    if screen.is_json() {
        let Written { spans, bytes, row_groups } = written;
        let object = json!({
            "file": path, "spans": spans, "bytes": bytes, "row_groups": row_groups, "left_out": left_out.count,
        });
        screen.print(&object.to_string());
    } else {
        screen.print(&format!("{path}: {}, {}", counted(written.spans, "span"), bytes(written.bytes)));
    }
    if left_out.count > 0 {
        let ids = left_out.ids.join(", ");
        let more = if left_out.count > TOLD as u64 { ", and more" } else { "" };
        screen.print_stderr(&format!(
            "{} traces were too large to be looked at, or took too long, and are missing: {ids}{more}",
            count(left_out.count)
        ));
    }
    Ok(Exit::Ok)
}

/// Traces that are not in the file.
#[derive(Default)]
struct LeftOut {
    count: u64,
    ids: Vec<String>,
}

async fn export(
    session: &BatonConnection,
    request: &ExportRequest,
    path: &Path,
    screen: Screen,
) -> Result<(Written, LeftOut), CliError> {
    let refused = |error: ClientError| match &request.query {
        Some(query) => caret::failure(error, query, screen),
        None => client_failure(error),
    };
    let unwritable = |error: WriteError| {
        CliError::new(ErrorCode::USAGE, format!("cannot write {}: {error}", path.display()))
            .hint("Choose a file in a directory that can be written and has room.")
    };
    let mut reading = session.client.export_spans(request).await.map_err(refused)?;
    if let Some(query) = &request.query {
        said(reading.canonical.as_deref(), reading.warnings.as_deref(), query, screen);
    }
    let file = SpanFile::create(path).map_err(unwritable)?;
    let (batches, waiting) = mpsc::channel(AHEAD);
    // Packing takes time of the processor, and the disk has its own.
    let writing = tokio::task::spawn_blocking(move || write(file, waiting));
    let read = pass_on(&mut reading, batches).await;
    let written = writing.await.map_err(|error| CliError::new(ErrorCode::INTERNAL, error.to_string()))?;
    match (read, written) {
        (Ok(left_out), Ok(Some(written))) => Ok((written, left_out)),
        (Err(error), Ok(_)) => Err(client_failure(error)),
        (_, Err(error)) => Err(unwritable(error)),
        (Ok(_), Ok(None)) => Err(CliError::new(ErrorCode::INTERNAL, "the file was given up")),
    }
}

/// What the writer is told.
enum Batch {
    Spans(Vec<Span>),
    /// That was all: without this word there is no file.
    End,
}

/// Gives what is read to the writer, until one of them ends.
async fn pass_on(reading: &mut SpanExport, batches: mpsc::Sender<Batch>) -> Result<LeftOut, ClientError> {
    let mut left_out = LeftOut::default();
    while let Some(item) = reading.next().await {
        match item? {
            ExportItem::Spans(spans) => {
                if batches.send(Batch::Spans(spans)).await.is_err() {
                    // The writer says why.
                    return Ok(left_out);
                }
            }
            ExportItem::LeftOut(trace) => {
                left_out.count += 1;
                if left_out.ids.len() < TOLD {
                    left_out.ids.push(trace);
                }
            }
        }
    }
    let _ = batches.send(Batch::End).await;
    Ok(left_out)
}

fn write(mut file: SpanFile, mut waiting: mpsc::Receiver<Batch>) -> Result<Option<Written>, WriteError> {
    while let Some(batch) = waiting.blocking_recv() {
        match batch {
            Batch::Spans(spans) => {
                for span in &spans {
                    file.add(span)?;
                }
            }
            Batch::End => return file.finish().map(Some),
        }
    }
    Ok(None)
}
