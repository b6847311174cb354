//! Run states and tool calls.

use crate::{
    Dashboard, Panel,
    PanelShape::{Bars, Lines, Pie, Ranking, Spans},
    Price,
    Unit::{Count, Seconds},
    query::{by, chats, failed_condition, runs, select, span, tools},
};
use baton_telemetry::names;

pub(super) fn dashboard(_: &[Price]) -> Dashboard {
    let tool = by(&[names::GEN_AI_TOOL_NAME]);
    Dashboard {
        uid: "baton-runs-and-tools",
        title: "Baton: runs and tools",
        description: "Run states and tool calls.",
        from: "now-24h",
        panels: vec![
            Panel::new(
                Bars,
                Count,
                "Runs by state",
                "Failed runs: open them in latency and errors. Input required: answer with `baton approvals`.",
                format!("{} | count_over_time() {}", runs(&[]), by(&[names::TASK_STATE])),
            ),
            Panel::new(
                Lines,
                Seconds,
                "Run time, p50 and p95",
                "Only p95 rises: a few runs hang; look for a slow tool.",
                format!("{} | quantile_over_time(duration, 0.5, 0.95)", runs(&[])),
            ),
            Panel::new(
                Bars,
                Count,
                "Tool calls by tool",
                "A tool is no longer called: check whether its description still explains when to use it.",
                format!("{} | count_over_time() {tool}", tools(&[])),
            ),
            Panel::new(
                Ranking,
                Seconds,
                "Slowest tools, p95",
                "Give the slowest tool a shorter timeout, or less work.",
                format!("{} | quantile_over_time(duration, 0.95) {tool}", tools(&[])),
            ),
            Panel::new(
                Pie,
                Count,
                "Tool calls by type",
                "Handoffs where you expect functions: an agent lacks a tool that others have.",
                format!("{} | count_over_time() {}", tools(&[]), by(&[names::GEN_AI_TOOL_TYPE])),
            ),
            Panel::new(
                Lines,
                Count,
                "Turns",
                "Close to the agent's turn limit: its prompt should tell it when to stop.",
                format!(
                    "{} | max_over_time({}) {}",
                    chats(&[]),
                    span(names::RUN_TURN),
                    by(&[names::GEN_AI_AGENT_NAME])
                ),
            ),
            Panel::new(
                Bars,
                Count,
                "Failed tool calls by tool",
                "Call the tool by hand with `baton tools call` and the arguments of a failed call.",
                format!("{} | count_over_time() {tool}", tools(&failed_condition())),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest failed tool calls",
                "Open one: the model's next turn shows how it handled the failure.",
                format!(
                    "{} | {}",
                    tools(&failed_condition()),
                    select(&[names::GEN_AI_TOOL_NAME, names::GEN_AI_AGENT_NAME])
                ),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest tool calls",
                "Compare a slow call with a fast one: `baton trace diff`.",
                format!(
                    "{} | {}",
                    tools(&[]),
                    select(&[names::GEN_AI_TOOL_NAME, names::GEN_AI_AGENT_NAME, names::GEN_AI_TOOL_TYPE])
                ),
            ),
        ],
    }
}
