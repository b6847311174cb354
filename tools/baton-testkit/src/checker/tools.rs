//! A tool runs no more often than its effects allow, and never after its result is recorded.

use super::{Guarantee, Violation};
use crate::{Evidence, Execution};
use baton_types::{CallId, Effects, TaskEvent, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Journal record of one call.
#[derive(Default)]
struct ToolCallRecord {
    tool: String,
    /// Number of recorded starts.
    starts: usize,
    result: Option<JournaledResult>,
}

#[derive(Clone, Copy)]
struct JournaledResult {
    at: Timestamp,
    /// The agent's tool returned it, without an error.
    own: bool,
}

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let records = records(evidence);
    let mut runs: BTreeMap<&CallId, Vec<&Execution>> = BTreeMap::new();
    for execution in &evidence.executions {
        runs.entry(&execution.call).or_default().push(execution);
    }
    let mut violations = Vec::new();
    for (call, runs) in &runs {
        let judged = judge(evidence, records.get(*call), runs);
        violations.extend(judged.into_iter().map(|detail| Violation::new(Guarantee::Tool, call, detail)));
    }
    for (call, record) in &records {
        let ours = evidence.effects.contains_key(&record.tool) && record.result.is_some_and(|outcome| outcome.own);
        if ours && !runs.contains_key(call) {
            violations.push(Violation::new(Guarantee::Tool, call, "it has a result but never ran"));
        }
    }
    violations
}

fn judge(evidence: &Evidence, record: Option<&ToolCallRecord>, runs: &[&Execution]) -> Vec<String> {
    let mut wrong = Vec::new();
    let tool = runs.first().map(|run| run.tool.as_str()).unwrap_or_default();
    let effects = evidence.effects.get(tool).copied().unwrap_or_default();
    let times = runs.len();
    if effects == Effects::Unknown && times > 1 {
        wrong.push(format!("{tool} must not be repeated but ran {times} times"));
    }
    // Read-only tools may run before their start is durable; others may not.
    let starts = record.map_or(0, |record| record.starts);
    if effects != Effects::ReadOnly && times > starts {
        wrong.push(format!("{tool} ran {times} times, of which {starts} are recorded"));
    }
    if record.is_some_and(|record| record.tool != tool) {
        wrong.push(format!("{tool} ran for a call of another tool"));
    }
    let mut servers = BTreeSet::new();
    for run in runs {
        // The parent is no server process: the tool was adopted after its server had died.
        let Some(server) = evidence.generations.iter().find(|generation| generation.pid == run.server) else {
            continue;
        };
        if !servers.insert(run.server) {
            wrong.push(format!("{tool} ran twice under one server, process {}", run.server));
        }
        let result = record.and_then(|record| record.result);
        if result.is_some_and(|outcome| server.started_at > outcome.at) {
            wrong.push(format!("{tool} ran under a server that started after its result was recorded"));
        }
    }
    wrong
}

fn records(evidence: &Evidence) -> BTreeMap<CallId, ToolCallRecord> {
    let mut records: BTreeMap<CallId, ToolCallRecord> = BTreeMap::new();
    for (_, at, fact) in evidence.history.all_facts() {
        match fact {
            TaskEvent::ToolsCalled { calls, .. } => {
                for call in calls {
                    records.entry(call.id.clone()).or_default().tool.clone_from(&call.name);
                }
            }
            TaskEvent::ToolStarted { call, .. } => records.entry(call.clone()).or_default().starts += 1,
            TaskEvent::ToolFinished { result } => {
                let outcome = JournaledResult { at, own: !result.is_error };
                records.entry(result.call.clone()).or_default().result = Some(outcome);
            }
            TaskEvent::MessageReceived { results, .. } => {
                for result in results {
                    records.entry(result.call.clone()).or_default().result = Some(JournaledResult { at, own: false });
                }
            }
            _ => {}
        }
    }
    records
}
