//! Work that goes from agent to agent.

use crate::{
    Dashboard, Panel, Price,
    Shape::{Bars, Lines, Pie, Ranking, Spans, Stat},
    Unit::{Count, Percent, Seconds},
    query::{by, failed, failed_share, handoffs, select},
};
use baton_telemetry::names;

pub(super) fn dashboard(_: &[Price]) -> Dashboard {
    let both = by(&[names::HANDOFF_FROM_AGENT, names::HANDOFF_TO_AGENT]);
    let to = by(&[names::HANDOFF_TO_AGENT]);
    let told = [names::HANDOFF_FROM_AGENT, names::HANDOFF_TO_AGENT, names::HANDOFF_STATUS];
    Dashboard {
        uid: "baton-handoffs",
        title: "Baton: handoffs",
        description: "Work that goes from agent to agent, and how it comes back.",
        from: "now-24h",
        panels: vec![
            Panel::new(
                Stat,
                Count,
                "Handoffs",
                "None although agents should work together: see `handoffs` in their agent.yaml.",
                format!("{} | count_over_time()", handoffs(&[])),
            ),
            Panel::new(
                Stat,
                Percent,
                "Handoffs that fail",
                "Over one of a hundred: read the errors in the table below.",
                failed_share(handoffs),
            ),
            Panel::new(
                Pie,
                Count,
                "How they ended",
                "Timeouts: give the handoff more time, or the agent less work. Rejected: it may not take such work.",
                format!("{} | count_over_time() {}", handoffs(&[]), by(&[names::HANDOFF_STATUS])),
            ),
            Panel::new(
                Bars,
                Count,
                "From whom to whom",
                "A pair that you did not expect: take it out of `handoffs` in agent.yaml.",
                format!("{} | count_over_time() {both}", handoffs(&[])),
            ),
            Panel::new(
                Lines,
                Seconds,
                "Time until the work is back, half and 95 of 100",
                "It nears the timeout of the handoff: find what is slow in the agent that works.",
                format!("{} | quantile_over_time(duration, 0.5, 0.95)", handoffs(&[])),
            ),
            Panel::new(
                Ranking,
                Seconds,
                "Slowest agents to hand work to",
                "Serve the slowest one nearer, or with a quicker model.",
                format!("{} | quantile_over_time(duration, 0.95) {to}", handoffs(&[])),
            ),
            Panel::new(
                Ranking,
                Count,
                "What is asked for",
                "One capability has most of it: see whether the first agent could have the tool itself.",
                format!("{} | count_over_time() {}", handoffs(&[]), by(&[names::HANDOFF_CAPABILITY_ID])),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest handoffs that failed",
                "The error says whether the agent refused, failed or took too long; open the trace for its own run.",
                format!(
                    "{} | {}",
                    handoffs(&failed()),
                    select(&[
                        names::HANDOFF_FROM_AGENT,
                        names::HANDOFF_TO_AGENT,
                        names::HANDOFF_STATUS,
                        names::HANDOFF_ERROR
                    ])
                ),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest handoffs",
                "Open one to see both agents in one trace.",
                format!("{} | {}", handoffs(&[]), select(&told)),
            ),
        ],
    }
}
