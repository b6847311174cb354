//! Agent activity: runs, model calls and requests by agent.

use crate::{
    Dashboard, Panel,
    PanelShape::{Bars, Lines, Ranking, Spans, Stat},
    Price,
    Unit::{Count, PerSecond, Seconds},
    query::{by, chats, handoffs, requests, runs, select, tools},
};
use baton_telemetry::names;

pub(super) fn dashboard(_: &[Price]) -> Dashboard {
    let agent = by(&[names::GEN_AI_AGENT_NAME]);
    let count = |spans: String| format!("{spans} | count_over_time()");
    Dashboard {
        uid: "baton-agent-activity",
        title: "Baton: agent activity",
        description: "Runs, model calls, tool calls and requests by agent.",
        from: "now-24h",
        panels: vec![
            Panel::new(
                Stat,
                Count,
                "Runs",
                "None despite requests: check with `baton doctor` whether `baton up` serves the agents.",
                count(runs(&[])),
            ),
            Panel::new(
                Stat,
                Count,
                "Model calls",
                "Many more than runs: agents take many turns; see Turns in runs and tools.",
                count(chats(&[])),
            ),
            Panel::new(
                Stat,
                Count,
                "Tool calls",
                "None although tools should be used: check the agent's tools with `baton tools list`.",
                count(tools(&[])),
            ),
            Panel::new(
                Stat,
                Count,
                "Handoffs",
                "More than runs: agents pass work around; follow one with `baton trace show`.",
                count(handoffs(&[])),
            ),
            Panel::new(
                Bars,
                Count,
                "Runs by agent",
                "An agent stops running: see its last run in the table below.",
                format!("{} | count_over_time() {agent}", runs(&[])),
            ),
            Panel::new(
                Lines,
                PerSecond,
                "Requests by method",
                "A sudden increase: a client may be polling; use streaming or push notifications instead.",
                format!("{} | rate() {}", requests(&[]), by(&[names::A2A_METHOD_NAME])),
            ),
            Panel::new(
                Ranking,
                Seconds,
                "Run time by agent",
                "One agent dominates: see in latency and errors whether its model or its tools are slow.",
                format!("{} | sum_over_time(duration) {agent}", runs(&[])),
            ),
            Panel::new(
                Lines,
                PerSecond,
                "Model calls by agent",
                "It rises while runs do not: an agent may be looping; open its newest run and read the turns.",
                format!("{} | rate() {agent}", chats(&[])),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest runs",
                "Open one to see the whole trace; `baton trace show` also shows the messages.",
                format!(
                    "{} | {}",
                    runs(&[]),
                    select(&[names::GEN_AI_AGENT_NAME, names::TASK_STATE, names::GEN_AI_REQUEST_MODEL])
                ),
            ),
        ],
    }
}
