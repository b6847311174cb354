//! Pages of what waits for a caller.

use super::open::{Approval, open_in};
use crate::{Engine, EngineError, engine::Inner};
use baton_ports::{JournalError, ListPage, ListQuery, PageCursor};
use baton_types::{AgentName, Fact, Principal, StreamId, TaskEvent, TaskId, TaskState};
use std::{collections::HashMap, sync::Arc};

/// Waiting tasks that are looked at for one page, because many of them may show others' questions only.
const MOST_TASKS: usize = 1000;

/// Waiting tasks that are listed at once.
const CHUNK: usize = 100;

/// A page ends when it holds this many bytes, however many were asked for.
const PAGE_WEIGHT: usize = 8 * 1024 * 1024;

/// Longest chain of tasks that is followed up.
const DEEPEST: usize = 64;

/// Which ones to list.
#[derive(Clone, Debug, Default)]
pub struct ListApprovals {
    /// Only those that this agent asks or waits for.
    pub agent: Option<AgentName>,
    /// Only those of this task and of the work that it handed over.
    pub root: Option<TaskId>,
    /// Start after this task.
    pub after: Option<PageCursor>,
    /// About how many; what one task asks is never split.
    pub limit: usize,
}

/// One page, the newest question first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalPage {
    /// What waits.
    pub approvals: Vec<Approval>,
    /// Where the next page starts, if there may be one.
    pub next: Option<PageCursor>,
}

impl Engine {
    /// What waits for the caller.
    pub async fn approvals(
        &self,
        principal: &Arc<Principal>,
        query: &ListApprovals,
    ) -> Result<ApprovalPage, EngineError> {
        let mut listed = ListQuery {
            state: Some(TaskState::InputRequired.as_str()),
            after: query.after.clone(),
            ..ListQuery::tasks(CHUNK)
        };
        let (mut approvals, mut looked, mut weight) = (Vec::new(), 0, 0);
        let mut parents = Parents::default();
        loop {
            let ListPage { heads, next, .. } = self.inner.journal().list(principal, &listed).await?;
            let count = heads.len();
            for (index, head) in heads.into_iter().enumerate() {
                looked += 1;
                if let Some(task) = self.inner.load_listed(principal, &head).await? {
                    let mut open = open_in(&task);
                    parents.follow(&self.inner, &mut open).await?;
                    open.retain(|approval| query.wants(approval));
                    weight += open.iter().map(Approval::weight).sum::<usize>();
                    approvals.append(&mut open);
                }
                let full = approvals.len() >= query.limit || weight >= PAGE_WEIGHT || looked >= MOST_TASKS;
                if full {
                    let here = PageCursor { status_at: head.status_at, id: head.stream.id().to_owned() };
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
    fn wants(&self, approval: &Approval) -> bool {
        let of_agent = |agent: &AgentName| {
            *agent == approval.agent || *agent == approval.task_agent || approval.chain.contains(agent)
        };
        let of_root = |root: &TaskId| *root == approval.root || *root == approval.task;
        self.agent.as_ref().is_none_or(of_agent) && self.root.as_ref().is_none_or(of_root)
    }
}

/// Who handed a task over, as far as it was looked for.
#[derive(Default)]
pub(super) struct Parents(HashMap<TaskId, Option<TaskId>>);

impl Parents {
    /// Fills in the first task of the chain.
    pub(super) async fn follow(&mut self, inner: &Inner, open: &mut [Approval]) -> Result<(), EngineError> {
        let Some(first) = open.first() else { return Ok(()) };
        let mut root = first.task.clone();
        for _ in 0..DEEPEST {
            let Some(parent) = self.parent(inner, &root).await? else { break };
            root = parent;
        }
        for approval in open {
            approval.root = root.clone();
        }
        Ok(())
    }

    async fn parent(&mut self, inner: &Inner, task: &TaskId) -> Result<Option<TaskId>, EngineError> {
        if let Some(known) = self.0.get(task) {
            return Ok(known.clone());
        }
        // The first event says it; whoever waits has the same owner, and stays as long as its work does.
        let first = match inner.journal().events(&StreamId::Task(task.clone()), 0, 1).await {
            Err(JournalError::Damaged { .. }) => Vec::new(),
            first => first?,
        };
        let parent = first.first().and_then(|event| match &event.fact {
            Fact::Task(TaskEvent::Submitted { parent: Some(parent), .. }) => Some(parent.task.clone()),
            _ => None,
        });
        self.0.insert(task.clone(), parent.clone());
        Ok(parent)
    }
}
