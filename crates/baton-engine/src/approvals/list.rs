//! Paged list of the pending approvals of a caller.

use super::open::{Approval, pending_approvals};
use crate::{Engine, EngineError, engine::EngineInner};
use baton_ports::{JournalError, StreamCursor, StreamPage, StreamQuery};
use baton_types::{AgentName, JournalEvent, Principal, StreamId, TaskEvent, TaskId, TaskState};
use std::{collections::HashMap, sync::Arc};

/// Maximum waiting tasks scanned per page. Many of them may only relay questions of other tasks.
const MAX_SCANNED_TASKS: usize = 1000;

/// Tasks fetched per journal list query.
const CHUNK: usize = 100;

/// A page ends at this size in bytes, regardless of its limit.
const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;

/// Maximum length of a parent chain.
const MAX_CHAIN_DEPTH: usize = 64;

/// Filter and page of an approval list.
#[derive(Clone, Debug, Default)]
pub struct ListApprovals {
    /// Only approvals that this agent asks or waits for.
    pub agent: Option<AgentName>,
    /// Only approvals of this task and of its handoffs.
    pub root: Option<TaskId>,
    /// Start after this task.
    pub after: Option<StreamCursor>,
    /// Approximate page size; the approvals of one task are never split.
    pub limit: usize,
}

/// One page of approvals, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalPage {
    /// Pending approvals.
    pub approvals: Vec<Approval>,
    /// Cursor of the next page, if there may be one.
    pub next: Option<StreamCursor>,
}

impl Engine {
    /// Lists the pending approvals of the caller.
    pub async fn approvals(
        &self,
        principal: &Arc<Principal>,
        query: &ListApprovals,
    ) -> Result<ApprovalPage, EngineError> {
        let mut listed = StreamQuery {
            state: Some(TaskState::InputRequired.as_str()),
            after: query.after.clone(),
            ..StreamQuery::tasks(CHUNK)
        };
        let (mut approvals, mut scanned, mut weight) = (Vec::new(), 0, 0);
        let mut parents = ParentTaskCache::default();
        loop {
            let StreamPage { heads, next, .. } = self.inner.journal().list(principal, &listed).await?;
            let count = heads.len();
            for (index, head) in heads.into_iter().enumerate() {
                scanned += 1;
                if let Some(task) = self.inner.load_listed(principal, &head).await? {
                    let mut open = pending_approvals(&task);
                    parents.fill_roots(&self.inner, &mut open).await?;
                    open.retain(|approval| query.matches(approval));
                    weight += open.iter().map(Approval::weight).sum::<usize>();
                    approvals.append(&mut open);
                }
                let full = approvals.len() >= query.limit || weight >= MAX_PAGE_BYTES || scanned >= MAX_SCANNED_TASKS;
                if full {
                    let here = StreamCursor { status_at: head.status_at, id: head.stream.id().to_owned() };
                    let more = index + 1 < count || next.is_some();
                    return Ok(ApprovalPage { approvals, next: more.then_some(here) });
                }
            }
            if next.is_none() {
                return Ok(ApprovalPage { approvals, next: None });
            }
            listed.after = next;
        }
    }
}

impl ListApprovals {
    fn matches(&self, approval: &Approval) -> bool {
        let of_agent = |agent: &AgentName| {
            *agent == approval.agent || *agent == approval.task_agent || approval.chain.contains(agent)
        };
        let of_root = |root: &TaskId| *root == approval.root || *root == approval.task;
        self.agent.as_ref().is_none_or(of_agent) && self.root.as_ref().is_none_or(of_root)
    }
}

/// Cache of parent tasks by child task.
#[derive(Default)]
pub(super) struct ParentTaskCache(HashMap<TaskId, Option<TaskId>>);

impl ParentTaskCache {
    /// Sets the root task of each approval.
    pub(super) async fn fill_roots(&mut self, inner: &EngineInner, open: &mut [Approval]) -> Result<(), EngineError> {
        let Some(first) = open.first() else { return Ok(()) };
        let mut root = first.task.clone();
        for _ in 0..MAX_CHAIN_DEPTH {
            let Some(parent) = self.parent(inner, &root).await? else { break };
            root = parent;
        }
        for approval in open {
            approval.root = root.clone();
        }
        Ok(())
    }

    async fn parent(&mut self, inner: &EngineInner, task: &TaskId) -> Result<Option<TaskId>, EngineError> {
        if let Some(parent) = self.0.get(task) {
            return Ok(parent.clone());
        }
        // The first event names the parent. The parent has the same owner and is retained as long as its child.
        let first = match inner.journal().events(&StreamId::Task(task.clone()), 0, 1).await {
            Err(JournalError::Damaged { .. }) => Vec::new(),
            first => first?,
        };
        let parent = first.first().and_then(|event| match &event.fact {
            JournalEvent::Task(TaskEvent::Submitted { parent: Some(parent), .. }) => Some(parent.task.clone()),
            _ => None,
        });
        self.0.insert(task.clone(), parent.clone());
        Ok(parent)
    }
}
