//! What is slow, and what goes wrong.

use crate::{
    Dashboard, Panel, Price,
    Shape::{Bars, Heatmap, Lines, Ranking, Spans, Stat},
    Unit::{Count, PerSecond, Percent, Seconds},
    query::{by, chats, failed, failed_share, requests, runs, select, spans, tools},
};
use baton_telemetry::names;

pub(super) fn dashboard(_: &[Price]) -> Dashboard {
    let quantiles = "quantile_over_time(duration, 0.5, 0.95)";
    Dashboard {
        uid: "baton-latency-and-errors",
        title: "Baton: latency and errors",
        description: "What is slow, and what goes wrong.",
        from: "now-6h",
        panels: vec![
            Panel::new(
                Stat,
                Percent,
                "Runs that fail",
                "Over one of a hundred: begin with the commonest error below.",
                failed_share(runs),
            ),
            Panel::new(
                Stat,
                Percent,
                "Model calls that fail",
                "See whether the provider has trouble, or the key has run out of money.",
                failed_share(chats),
            ),
            Panel::new(
                Stat,
                Percent,
                "Tool calls that fail",
                "See in runs and tools which tool it is.",
                failed_share(tools),
            ),
            Panel::new(
                Stat,
                PerSecond,
                "Requests per second",
                "Near `limits.requests_per_second`: raise it, or ask who asks so often.",
                format!("{} | rate()", requests(&[])),
            ),
            Panel::new(
                Lines,
                Seconds,
                "Requests by method, 95 of 100",
                "Streams last as long as their task; another method that is slow waits for the journal: see the disk.",
                format!("{} | quantile_over_time(duration, 0.95) {}", requests(&[]), by(&[names::A2A_METHOD_NAME])),
            ),
            Panel::new(
                Lines,
                Seconds,
                "Model calls by model",
                "A model gets slower: try another one, or a shorter prompt.",
                format!("{} | {quantiles} {}", chats(&[]), by(&[names::GEN_AI_REQUEST_MODEL])),
            ),
            Panel::new(
                Heatmap,
                Seconds,
                "How long runs take",
                "Two bands: two kinds of questions, or one tool that sometimes hangs; open a run of the upper one.",
                format!("{} | histogram_over_time(duration)", runs(&[])),
            ),
            Panel::new(
                Ranking,
                Seconds,
                "Slowest agents, 95 of 100",
                "Look at the slowest one's model and tools in turn.",
                format!("{} | quantile_over_time(duration, 0.95) {}", runs(&[]), by(&[names::GEN_AI_AGENT_NAME])),
            ),
            Panel::new(
                Bars,
                Count,
                "Errors by kind",
                "The commonest kind first: docs/errors says what to do about each code.",
                format!("{} | count_over_time() {}", spans(&failed()), by(&[names::ERROR_TYPE])),
            ),
            Panel::new(
                Bars,
                Count,
                "Errors by what was done",
                "An operation that only now fails: see what was deployed at that moment.",
                format!("{} | count_over_time() by (name)", spans(&failed())),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest errors",
                "Open one; the first span that failed, deepest in the trace, is where to begin.",
                format!("{} | {}", spans(&failed()), select(&[names::ERROR_TYPE, names::GEN_AI_AGENT_NAME])),
            ),
        ],
    }
}
