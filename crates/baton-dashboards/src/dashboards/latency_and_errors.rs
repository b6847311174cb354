//! Latency and errors.

use crate::{
    Dashboard, Panel,
    PanelShape::{Bars, Heatmap, Lines, Ranking, Spans, Stat},
    Price,
    Unit::{Count, PerSecond, Percent, Seconds},
    query::{by, chats, failed_condition, failed_share, requests, runs, select, spans, tools},
};
use baton_telemetry::names;

pub(super) fn dashboard(_: &[Price]) -> Dashboard {
    let quantiles = "quantile_over_time(duration, 0.5, 0.95)";
    Dashboard {
        uid: "baton-latency-and-errors",
        title: "Baton: latency and errors",
        description: "Latency and errors of runs, model calls, tool calls and requests.",
        from: "now-6h",
        panels: vec![
            Panel::new(
                Stat,
                Percent,
                "Failed runs",
                "Above 1 %: start with the most common error below.",
                failed_share(runs),
            ),
            Panel::new(
                Stat,
                Percent,
                "Failed model calls",
                "Check the status of the provider and the credit of your API key.",
                failed_share(chats),
            ),
            Panel::new(Stat, Percent, "Failed tool calls", "Find the tool in runs and tools.", failed_share(tools)),
            Panel::new(
                Stat,
                PerSecond,
                "Requests per second",
                "Close to `limits.requests_per_second`: raise the limit, or find the client that sends so many requests.",
                format!("{} | rate()", requests(&[])),
            ),
            Panel::new(
                Lines,
                Seconds,
                "Request duration by method, p95",
                "Streams last as long as their task. If another method is slow, it waits for the journal: check the disk.",
                format!("{} | quantile_over_time(duration, 0.95) {}", requests(&[]), by(&[names::A2A_METHOD_NAME])),
            ),
            Panel::new(
                Lines,
                Seconds,
                "Model call duration by model, p50 and p95",
                "A model becomes slower: try another one, or a shorter prompt.",
                format!("{} | {quantiles} {}", chats(&[]), by(&[names::GEN_AI_REQUEST_MODEL])),
            ),
            Panel::new(
                Heatmap,
                Seconds,
                "Distribution of run times",
                "Two bands: two kinds of requests, or a tool that sometimes hangs; open a run of the upper band.",
                format!("{} | histogram_over_time(duration)", runs(&[])),
            ),
            Panel::new(
                Ranking,
                Seconds,
                "Slowest agents, p95",
                "Check the model and the tools of the slowest agent.",
                format!("{} | quantile_over_time(duration, 0.95) {}", runs(&[]), by(&[names::GEN_AI_AGENT_NAME])),
            ),
            Panel::new(
                Bars,
                Count,
                "Errors by kind",
                "Start with the most common kind: docs/errors explains each code.",
                format!("{} | count_over_time() {}", spans(&failed_condition()), by(&[names::ERROR_TYPE])),
            ),
            Panel::new(
                Bars,
                Count,
                "Errors by operation",
                "An operation starts to fail: check recent deployments.",
                format!("{} | count_over_time() by (name)", spans(&failed_condition())),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest errors",
                "Open one and start with the first failed span, deepest in the trace.",
                format!("{} | {}", spans(&failed_condition()), select(&[names::ERROR_TYPE, names::GEN_AI_AGENT_NAME])),
            ),
        ],
    }
}
