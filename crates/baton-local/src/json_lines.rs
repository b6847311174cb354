//! JSON log lines with trace context.

use baton_telemetry::current_span;
use std::fmt;
use tracing::{Event, Subscriber};
use tracing_subscriber::{
    fmt::{
        FmtContext, FormatEvent, FormatFields,
        format::{Format, Json, Writer},
    },
    registry::LookupSpan,
};

/// Formats one JSON object per line, with top-level `trace_id` and `span_id` for events inside a request or a run.
#[derive(Debug)]
pub struct JsonLines {
    lines: Format<Json>,
}

impl Default for JsonLines {
    /// The default JSON format.
    fn default() -> Self {
        Self { lines: tracing_subscriber::fmt::format().json() }
    }
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
    Format<Json>: FormatEvent<S, N>,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let Some(trace) = current_span() else { return self.lines.format_event(context, writer, event) };
        let mut line = String::with_capacity(256);
        self.lines.format_event(context, Writer::new(&mut line), event)?;
        match line.trim_end().strip_suffix('}') {
            Some(members) => {
                writeln!(writer, "{members},\"trace_id\":\"{}\",\"span_id\":\"{}\"}}", trace.trace, trace.span)
            }
            None => writer.write_str(&line),
        }
    }
}
