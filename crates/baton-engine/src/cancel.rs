//! Canceling a task: its model call and tools stop, and so does the work that it handed over.

use crate::{Engine, EngineError, TaskRef, end::Ending};
use baton_types::{Principal, TaskState, TaskView};
use std::sync::Arc;

impl Engine {
    /// Cancels, and returns when the journal has it; canceling a canceled task is fine.
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
            self.inner.end(&live, Ending::Canceled).await?;
        }
    }
}
