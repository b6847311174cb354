//! Cancels a task, including its model call, tools and handoffs.

use crate::{Engine, EngineError, TaskRef, end::TaskEnd};
use baton_types::{Principal, TaskState, TaskView};
use std::sync::Arc;

impl Engine {
    /// Cancels a task. Returns once the journal has it. Canceling a canceled task succeeds.
    pub async fn cancel(&self, principal: &Arc<Principal>, task: &TaskRef) -> Result<Arc<TaskView>, EngineError> {
        loop {
            let present = self.inner.load(principal, task).await?;
            match present.state {
                TaskState::Canceled => return Ok(Arc::new(present.view())),
                state if state.is_terminal() => {
                    return Err(EngineError::NotCancelable { task: task.task.clone(), state });
                }
                _ => {}
            }
            let live = self.inner.open(principal, task).await?;
            self.inner.end(&live, TaskEnd::Canceled).await?;
        }
    }
}
