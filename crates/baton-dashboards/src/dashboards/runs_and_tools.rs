//! How runs end, and what tools do in them.

use crate::{
    Dashboard, Panel, Price,
    Shape::{Bars, Lines, Pie, Ranking, Spans},
    Unit::{Count, Seconds},
    query::{by, chats, failed, runs, select, span, tools},
};
use baton_telemetry::names;

pub(super) fn dashboard(_: &[Price]) -> Dashboard {
    let tool = by(&[names::GEN_AI_TOOL_NAME]);
    Dashboard {
        uid: "baton-runs-and-tools",
        title: "Baton: runs and tools",
        description: "How runs end, and what tools do in them.",
        from: "now-24h",
        panels: vec![
            Panel::new(
                Bars,
                Count,
                "Runs by state",
                "Failed ones: open them in latency and errors. Input required: answer with `baton approvals`.",
                format!("{} | count_over_time() {}", runs(&[]), by(&[names::TASK_STATE])),
            ),
            Panel::new(
                Lines,
                Seconds,
                "Run time, half and 95 of 100",
                "The upper line climbs alone: a few runs hang; look for a slow tool beside it.",
                format!("{} | quantile_over_time(duration, 0.5, 0.95)", runs(&[])),
            ),
            Panel::new(
                Bars,
                Count,
                "Tool calls by tool",
                "A tool that nobody calls any more: see whether its description still says when to use it.",
                format!("{} | count_over_time() {tool}", tools(&[])),
            ),
            Panel::new(
                Ranking,
                Seconds,
                "Slowest tools, 95 of 100",
                "Give the slowest one a shorter timeout, or less to do.",
                format!("{} | quantile_over_time(duration, 0.95) {tool}", tools(&[])),
            ),
            Panel::new(
                Pie,
                Count,
                "Kinds of tools",
                "Handoffs where you expect functions: agents lack a tool that others have.",
                format!("{} | count_over_time() {}", tools(&[]), by(&[names::GEN_AI_TOOL_TYPE])),
            ),
            Panel::new(
                Lines,
                Count,
                "Turns",
                "Runs that come near the agent's limit of turns: its prompt should say when to stop.",
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
                format!("{} | count_over_time() {tool}", tools(&failed())),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest failed tool calls",
                "Open one: the model's next turn shows what it made of the failure.",
                format!("{} | {}", tools(&failed()), select(&[names::GEN_AI_TOOL_NAME, names::GEN_AI_AGENT_NAME])),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest tool calls",
                "Compare a slow call with a quick one: `baton trace diff`.",
                format!(
                    "{} | {}",
                    tools(&[]),
                    select(&[names::GEN_AI_TOOL_NAME, names::GEN_AI_AGENT_NAME, names::GEN_AI_TOOL_TYPE])
                ),
            ),
        ],
    }
}
