//! `baton trace export`: exports spans to a file for other tools.

use super::{
    caret,
    formatting::{bytes, count, counted},
    query::print_interpretation,
    time_argument::{TimeArgument, parse_time},
};
use crate::{
    commands::connection_options::ConnectionOptions,
    connect::{BatonConnection, client_failure},
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
    signals::StopRequests,
};
use baton_client::{ClientError, ExportItem, ExportRequest, SpanExport};
use baton_parquet::{SpanFile, SpanFileStats, WriteError};
use baton_server::now;
use baton_types::{ErrorCode, Span};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// Maximum number of batches that wait for the writer.
const MAX_QUEUED_BATCHES: usize = 2;
/// Maximum number of skipped traces that are listed.
const MAX_LISTED_TRACES: usize = 20;

/// Options of `baton trace export`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton trace export --parquet spans.parquet                      all stored spans
  baton trace export --parquet errors.parquet --query '{ status = error }' --since 7d
  baton trace export --parquet day.parquet --since 2026-11-15 --until 2026-11-16
  duckdb -c \"SELECT name, count(*), avg(duration_ns)/1e6 AS ms FROM 'spans.parquet' GROUP BY ALL\"
  python3 -c \"import pandas; print(pandas.read_parquet('spans.parquet').name.value_counts())\"

Each row is a span. Well-known attributes have their own columns, such as gen_ai_request_model. The
maps `attributes` and `resource_attributes` contain all attributes as text, and `attribute_numbers`
contains numbers. The time range selects spans by their start, so exports of consecutive days
contain each span once. An existing file is replaced only when the export is complete.")]
pub(super) struct TraceExportOptions {
    /// File to write
    #[arg(long, value_name = "FILE")]
    parquet: PathBuf,
    /// Export only spans that match this TraceQL query
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// Export only spans that started at or after this time: 15m, 1h, 2d or a timestamp
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<TimeArgument>,
    /// Export only spans that started before this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    until: Option<TimeArgument>,
    /// Accept only TraceQL that Tempo accepts
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Writes the file; an interrupted export leaves no file.
pub(super) async fn run(options: TraceExportOptions, screen: Screen, mut stop: StopRequests) -> Result<Exit, CliError> {
    let now = now();
    let (start, end) = (options.since.map(|since| since.nanos(now)), options.until.map(|until| until.nanos(now)));
    if start.zip(end).is_some_and(|(start, end)| start >= end) {
        return Err(CliError::new(error_codes::USAGE, "--since must be before --until"));
    }
    let request = ExportRequest { query: options.query.clone(), start, end, strict: options.strict };
    let session = options.connection.management_session().await?;
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
        let SpanFileStats { spans, bytes, row_groups } = written;
        let object = json!({
            "file": path, "spans": spans, "bytes": bytes, "row_groups": row_groups, "left_out": left_out.count,
        });
        screen.print(&object.to_string());
    } else {
        screen.print(&format!("{path}: {}, {}", counted(written.spans, "span"), bytes(written.bytes)));
    }
    if left_out.count > 0 {
        let ids = left_out.ids.join(", ");
        let more = if left_out.count > MAX_LISTED_TRACES as u64 { ", and more" } else { "" };
        screen.print_stderr(&format!(
            "{} traces are missing because they were too large or took too long to read: {ids}{more}",
            count(left_out.count)
        ));
    }
    Ok(Exit::Ok)
}

/// Traces that are missing from the file.
#[derive(Default)]
struct SkippedTraces {
    count: u64,
    ids: Vec<String>,
}

async fn export(
    session: &BatonConnection,
    request: &ExportRequest,
    path: &Path,
    screen: Screen,
) -> Result<(SpanFileStats, SkippedTraces), CliError> {
    let refused = |error: ClientError| match &request.query {
        Some(query) => caret::failure(error, query, screen),
        None => client_failure(error),
    };
    let unwritable = |error: WriteError| {
        CliError::new(error_codes::USAGE, format!("cannot write {}: {error}", path.display()))
            .hint("Choose a file in a writable directory with enough free space.")
    };
    let mut reading = session.client.export_spans(request).await.map_err(refused)?;
    if let Some(query) = &request.query {
        print_interpretation(reading.canonical.as_deref(), reading.warnings.as_deref(), query, screen);
    }
    let file = SpanFile::create(path).map_err(unwritable)?;
    let (batches, waiting) = mpsc::channel(MAX_QUEUED_BATCHES);
    // Encoding is CPU-bound and file writes block, so both run on a blocking thread.
    let writing = tokio::task::spawn_blocking(move || write(file, waiting));
    let read = forward_batches(&mut reading, batches).await;
    let written = writing.await.map_err(|error| CliError::new(ErrorCode::INTERNAL, error.to_string()))?;
    match (read, written) {
        (Ok(left_out), Ok(Some(written))) => Ok((written, left_out)),
        (Err(error), Ok(_)) => Err(client_failure(error)),
        (_, Err(error)) => Err(unwritable(error)),
        (Ok(_), Ok(None)) => Err(CliError::new(ErrorCode::INTERNAL, "the file was not completed")),
    }
}

/// Message to the writer.
enum ExportBatch {
    Spans(Vec<Span>),
    /// Marks the complete export; without it the file is discarded.
    End,
}

/// Forwards spans to the writer until either side ends.
async fn forward_batches(
    reading: &mut SpanExport,
    batches: mpsc::Sender<ExportBatch>,
) -> Result<SkippedTraces, ClientError> {
    let mut left_out = SkippedTraces::default();
    while let Some(item) = reading.next().await {
        match item? {
            ExportItem::Spans(spans) => {
                if batches.send(ExportBatch::Spans(spans)).await.is_err() {
                    // The writer reports the error.
                    return Ok(left_out);
                }
            }
            ExportItem::LeftOut(trace) => {
                left_out.count += 1;
                if left_out.ids.len() < MAX_LISTED_TRACES {
                    left_out.ids.push(trace);
                }
            }
        }
    }
    let _ = batches.send(ExportBatch::End).await;
    Ok(left_out)
}

fn write(mut file: SpanFile, mut waiting: mpsc::Receiver<ExportBatch>) -> Result<Option<SpanFileStats>, WriteError> {
    while let Some(batch) = waiting.blocking_recv() {
        match batch {
            ExportBatch::Spans(spans) => {
                for span in &spans {
                    file.add(span)?;
                }
            }
            ExportBatch::End => return file.finish().map(Some),
        }
    }
    Ok(None)
}
