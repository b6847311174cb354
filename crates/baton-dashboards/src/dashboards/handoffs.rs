//! Handoffs between agents.

use crate::{
    Dashboard, Panel,
    PanelShape::{Bars, Lines, Pie, Ranking, Spans, Stat},
    Price,
    Unit::{Count, Percent, Seconds},
    query::{by, failed_condition, failed_share, handoffs, select},
};
use baton_telemetry::names;

pub(super) fn dashboard(_: &[Price]) -> Dashboard {
    let both = by(&[names::HANDOFF_FROM_AGENT, names::HANDOFF_TO_AGENT]);
    let to = by(&[names::HANDOFF_TO_AGENT]);
    let columns = [names::HANDOFF_FROM_AGENT, names::HANDOFF_TO_AGENT, names::HANDOFF_STATUS];
    Dashboard {
        uid: "baton-handoffs",
        title: "Baton: handoffs",
        description: "Handoffs between agents and their results.",
        from: "now-24h",
        panels: vec![
            Panel::new(
                Stat,
                Count,
                "Handoffs",
                "None although agents should work together: check `handoffs` in their agent.yaml.",
                format!("{} | count_over_time()", handoffs(&[])),
            ),
            Panel::new(
                Stat,
                Percent,
                "Failed handoffs",
                "Above 1 %: see the errors in the table below.",
                failed_share(handoffs),
            ),
            Panel::new(
                Pie,
                Count,
                "Handoffs by status",
                "Timeouts: increase the timeout of the handoff, or give the agent less work. Rejected: the agent does not accept such work.",
                format!("{} | count_over_time() {}", handoffs(&[]), by(&[names::HANDOFF_STATUS])),
            ),
            Panel::new(
                Bars,
                Count,
                "Handoffs by sender and receiver",
                "An unexpected pair: remove it from `handoffs` in agent.yaml.",
                format!("{} | count_over_time() {both}", handoffs(&[])),
            ),
            Panel::new(
                Lines,
                Seconds,
                "Handoff duration, p50 and p95",
                "Close to the timeout of the handoff: find the slow part of the receiving agent.",
                format!("{} | quantile_over_time(duration, 0.5, 0.95)", handoffs(&[])),
            ),
            Panel::new(
                Ranking,
                Seconds,
                "Slowest receiving agents, p95",
                "Serve the slowest agent closer to its callers, or with a faster model.",
                format!("{} | quantile_over_time(duration, 0.95) {to}", handoffs(&[])),
            ),
            Panel::new(
                Ranking,
                Count,
                "Handoffs by capability",
                "One capability dominates: consider giving the sender the tool itself.",
                format!("{} | count_over_time() {}", handoffs(&[]), by(&[names::HANDOFF_CAPABILITY_ID])),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest failed handoffs",
                "The error shows whether the agent rejected the work, failed or timed out; open the trace to see its run.",
                format!(
                    "{} | {}",
                    handoffs(&failed_condition()),
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
                format!("{} | {}", handoffs(&[]), select(&columns)),
            ),
        ],
    }
}
