//! Tasks in the form requested by the caller.

use super::super::{extensions::ActiveExtensions, presentation::PresentationPolicy};
use baton_ports::StreamCursor;
use baton_types::{TaskView, Timestamp};
use baton_wire::a2a::v1::{
    ArtifactInclusion, HistoryLength, ListTasksResponse, Message, SendMessageResponse, Task, generation_metadata,
};
use std::{borrow::Cow, sync::Arc};

/// A task and the requested level of detail.
pub(in super::super) struct ShownTask {
    pub(super) view: Arc<TaskView>,
    pub(super) history: HistoryLength,
    pub(super) active: ActiveExtensions,
    pub(super) policy: PresentationPolicy,
}

impl ShownTask {
    /// Creation time, which A2A 1.0 does not have.
    pub(in super::super) fn created_at(&self) -> Timestamp {
        self.view.created_at
    }

    /// The task as a wire type.
    pub(in super::super) fn task(&self) -> Task<'_> {
        task(&self.view, self.history, ArtifactInclusion::Include, &self.active, self.policy)
    }

    /// The task, or the bare message if the agent replied with one.
    pub(in super::super) fn response(&self) -> SendMessageResponse<'_> {
        match self.view.direct_reply() {
            Some(reply) => SendMessageResponse { task: None, message: Some(taskless_message(reply, &self.view)) },
            None => SendMessageResponse { task: Some(self.task()), message: None },
        }
    }
}

/// A page of tasks and the requested level of detail.
pub(in super::super) struct ShownTasks {
    pub(super) views: Vec<Arc<TaskView>>,
    pub(super) history: HistoryLength,
    pub(super) artifacts: ArtifactInclusion,
    pub(super) next: Option<StreamCursor>,
    pub(super) page_size: u32,
    pub(super) total: u64,
    pub(super) active: ActiveExtensions,
    pub(super) policy: PresentationPolicy,
}

impl ShownTasks {
    /// Creation times, in page order.
    pub(in super::super) fn created_at(&self) -> impl Iterator<Item = Timestamp> {
        self.views.iter().map(|view| view.created_at)
    }

    /// The page as a response.
    pub(in super::super) fn response(&self) -> ListTasksResponse<'_> {
        ListTasksResponse {
            tasks: self
                .views
                .iter()
                .map(|view| task(view, self.history, self.artifacts, &self.active, self.policy))
                .collect(),
            next_page_token: self.next.as_ref().map(super::list::write_token).unwrap_or_default(),
            page_size: self.page_size,
            total_size: self.total,
        }
    }
}

pub(super) fn task<'a>(
    view: &'a TaskView,
    history: HistoryLength,
    artifacts: ArtifactInclusion,
    active: &ActiveExtensions,
    policy: PresentationPolicy,
) -> Task<'a> {
    let mut task = Task::from_view(view, history, artifacts, policy.resolve(view));
    if active.generation() {
        task.metadata = Some(generation_metadata(view.generation));
    }
    task
}

/// A reply message that belongs to a context but to no task.
pub(super) fn taskless_message<'a>(reply: &'a baton_types::Message, view: &'a TaskView) -> Message<'a> {
    let mut message = Message::from(reply);
    message.context_id.get_or_insert(Cow::Borrowed(view.context.as_str()));
    message
}
