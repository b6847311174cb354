//! Who is at work, and on what.

use crate::{
    Dashboard, Panel, Price,
    Shape::{Bars, Lines, Ranking, Spans, Stat},
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
        description: "Who is at work, and on what.",
        from: "now-24h",
        panels: vec![
            Panel::new(
                Stat,
                Count,
                "Runs",
                "None although people ask: see whether `baton up` serves the agents (`baton doctor`).",
                count(runs(&[])),
            ),
            Panel::new(
                Stat,
                Count,
                "Model calls",
                "Many more than runs: agents take many turns; look at Turns in runs and tools.",
                count(chats(&[])),
            ),
            Panel::new(
                Stat,
                Count,
                "Tool calls",
                "None although tools are meant to be used: check what the agent is offered with `baton tools list`.",
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
                "An agent that falls silent: look at its last run in the table below.",
                format!("{} | count_over_time() {agent}", runs(&[])),
            ),
            Panel::new(
                Lines,
                PerSecond,
                "Requests by method",
                "A method that jumps: a client may be polling; offer it streaming or push notifications.",
                format!("{} | rate() {}", requests(&[]), by(&[names::A2A_METHOD_NAME])),
            ),
            Panel::new(
                Ranking,
                Seconds,
                "Time at work by agent",
                "One agent has most of it: see in latency and errors whether model or tools take the time.",
                format!("{} | sum_over_time(duration) {agent}", runs(&[])),
            ),
            Panel::new(
                Lines,
                PerSecond,
                "Model calls by agent",
                "It climbs while runs do not: an agent loops; open its newest run and read the turns.",
                format!("{} | rate() {agent}", chats(&[])),
            ),
            Panel::new(
                Spans,
                Count,
                "Newest runs",
                "Open one to see the whole trace; `baton trace show` has what was said, too.",
                format!(
                    "{} | {}",
                    runs(&[]),
                    select(&[names::GEN_AI_AGENT_NAME, names::TASK_STATE, names::GEN_AI_REQUEST_MODEL])
                ),
            ),
        ],
    }
}
