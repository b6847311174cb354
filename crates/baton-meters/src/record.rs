//! Metrics of a process.

use crate::{MeterLevels, MeterSource, instruments, table::HistogramTable};
use baton_telemetry::SpanOrigin;
use baton_types::{MeterFamily, MeterPoint, MeterSnapshot, SpanResource, SpanScope, SpanValue};
use std::{
    cmp::Ordering as Order,
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// Metrics of a process: cheap to record, read on demand.
pub struct Meters {
    since: u64,
    resource: Arc<SpanResource>,
    scope: Arc<SpanScope>,
    pub(crate) tokens: HistogramTable,
    pub(crate) model: HistogramTable,
    pub(crate) agent: HistogramTable,
    pub(crate) agent_models: HistogramTable,
    pub(crate) agent_tools: HistogramTable,
    pub(crate) tool: HistogramTable,
    pub(crate) mcp_client: HistogramTable,
    pub(crate) mcp_server: HistogramTable,
    pub(crate) http: HistogramTable,
    pub(crate) handoff: HistogramTable,
    pub(crate) approval: HistogramTable,
    commits: AtomicU64,
    events: AtomicU64,
    /// Sources that are collected on read; registered at startup.
    sources: RwLock<Vec<Arc<dyn MeterSource>>>,
}

impl Meters {
    /// Empty metrics; `now` is in nanoseconds since the Unix epoch.
    pub fn new(origin: &SpanOrigin, now: u64) -> Self {
        Self {
            since: now,
            resource: Arc::clone(&origin.resource),
            scope: Arc::clone(&origin.scope),
            tokens: HistogramTable::new(&instruments::TOKEN_USAGE),
            model: HistogramTable::new(&instruments::MODEL_DURATION),
            agent: HistogramTable::new(&instruments::AGENT_DURATION),
            agent_models: HistogramTable::new(&instruments::AGENT_MODEL_CALLS),
            agent_tools: HistogramTable::new(&instruments::AGENT_TOOL_CALLS),
            tool: HistogramTable::new(&instruments::TOOL_DURATION),
            mcp_client: HistogramTable::new(&instruments::MCP_CLIENT_DURATION),
            mcp_server: HistogramTable::new(&instruments::MCP_SERVER_DURATION),
            http: HistogramTable::new(&instruments::HTTP_DURATION),
            handoff: HistogramTable::new(&instruments::HANDOFF_DURATION),
            approval: HistogramTable::new(&instruments::APPROVAL_DURATION),
            commits: AtomicU64::new(0),
            events: AtomicU64::new(0),
            sources: RwLock::default(),
        }
    }

    /// Registers a source.
    pub fn add_source(&self, source: Arc<dyn MeterSource>) {
        self.sources.write().unwrap_or_else(PoisonError::into_inner).push(source);
    }

    /// Counts one commit of the journal.
    pub(crate) fn committed(&self, events: usize) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.events.fetch_add(events as u64, Ordering::Relaxed);
    }

    /// Snapshot of all metrics; `now` is in nanoseconds since the Unix epoch.
    pub async fn read(&self, now: u64) -> MeterSnapshot {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut levels = MeterLevels::default();
        levels.add(&instruments::JOURNAL_EVENTS, &[], self.events.load(Ordering::Relaxed));
        levels.add(&instruments::JOURNAL_COMMITS, &[], self.commits.load(Ordering::Relaxed));
        for source in sources {
            source.collect(&mut levels).await;
        }
        let mut families = levels.into_families();
        families.extend(self.tables().into_iter().filter_map(HistogramTable::snapshot));
        for family in &mut families {
            family.points.sort_by(by_labels);
        }
        families.sort_by_key(table_position);
        let (resource, scope) = (Arc::clone(&self.resource), Arc::clone(&self.scope));
        MeterSnapshot { since: self.since, at: now.max(self.since), resource, scope, families }
    }

    fn tables(&self) -> [&HistogramTable; 11] {
        [
            &self.tokens,
            &self.model,
            &self.agent,
            &self.agent_models,
            &self.agent_tools,
            &self.tool,
            &self.mcp_client,
            &self.mcp_server,
            &self.http,
            &self.handoff,
            &self.approval,
        ]
    }
}

impl fmt::Debug for Meters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meters").field("since", &self.since).finish_non_exhaustive()
    }
}

fn table_position(family: &MeterFamily) -> usize {
    let same = |instrument: &&baton_types::Instrument| instrument.name == family.instrument.name;
    instruments::ALL.iter().position(same).unwrap_or(usize::MAX)
}

fn by_labels(left: &MeterPoint, right: &MeterPoint) -> Order {
    let pairs = left.labels.iter().zip(&right.labels);
    let differs = pairs.map(|((name, value), (other_name, other))| {
        name.cmp(other_name).then_with(|| match (value, other) {
            (SpanValue::Text(value), SpanValue::Text(other)) => value.cmp(other),
            _ => value.as_int().cmp(&other.as_int()),
        })
    });
    differs.fold(Order::Equal, Order::then).then_with(|| left.labels.len().cmp(&right.labels.len()))
}
