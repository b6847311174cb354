//! Metrics of a process.

use super::{Levels, MeterFamily, MeterPoint, MeterReading, MeterSource, instruments, table::Table};
use crate::Origin;
use baton_types::{SpanResource, SpanScope, SpanValue};
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
    pub(super) tokens: Table,
    pub(super) model: Table,
    pub(super) agent: Table,
    pub(super) agent_models: Table,
    pub(super) agent_tools: Table,
    pub(super) tool: Table,
    pub(super) mcp_client: Table,
    pub(super) mcp_server: Table,
    pub(super) http: Table,
    pub(super) handoff: Table,
    pub(super) approval: Table,
    commits: AtomicU64,
    events: AtomicU64,
    /// Sources that are collected on read; registered at startup.
    sources: RwLock<Vec<Arc<dyn MeterSource>>>,
}

impl Meters {
    /// Empty metrics; `now` is in nanoseconds since the Unix epoch.
    pub fn new(origin: &Origin, now: u64) -> Self {
        Self {
            since: now,
            resource: Arc::clone(&origin.resource),
            scope: Arc::clone(&origin.scope),
            tokens: Table::new(&instruments::TOKEN_USAGE),
            model: Table::new(&instruments::MODEL_DURATION),
            agent: Table::new(&instruments::AGENT_DURATION),
            agent_models: Table::new(&instruments::AGENT_MODEL_CALLS),
            agent_tools: Table::new(&instruments::AGENT_TOOL_CALLS),
            tool: Table::new(&instruments::TOOL_DURATION),
            mcp_client: Table::new(&instruments::MCP_CLIENT_DURATION),
            mcp_server: Table::new(&instruments::MCP_SERVER_DURATION),
            http: Table::new(&instruments::HTTP_DURATION),
            handoff: Table::new(&instruments::HANDOFF_DURATION),
            approval: Table::new(&instruments::APPROVAL_DURATION),
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
    pub(super) fn committed(&self, events: usize) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.events.fetch_add(events as u64, Ordering::Relaxed);
    }

    /// Snapshot of all metrics; `now` is in nanoseconds since the Unix epoch.
    pub async fn read(&self, now: u64) -> MeterReading {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut levels = Levels::default();
        levels.tell(&instruments::JOURNAL_EVENTS, &[], self.events.load(Ordering::Relaxed));
        levels.tell(&instruments::JOURNAL_COMMITS, &[], self.commits.load(Ordering::Relaxed));
        for source in sources {
            source.tell(&mut levels).await;
        }
        let mut families = levels.into_families();
        families.extend(self.tables().into_iter().filter_map(Table::show));
        for family in &mut families {
            family.points.sort_by(by_labels);
        }
        families.sort_by_key(place);
        let (resource, scope) = (Arc::clone(&self.resource), Arc::clone(&self.scope));
        MeterReading { since: self.since, at: now.max(self.since), resource, scope, families }
    }

    fn tables(&self) -> [&Table; 11] {
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

fn place(family: &MeterFamily) -> usize {
    let same = |instrument: &&super::Instrument| instrument.name == family.instrument.name;
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
