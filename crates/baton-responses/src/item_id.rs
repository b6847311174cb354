//! What the items of a response are called.

use baton_types::{Digest, TaskId};

/// How much of a digest tells the items of a task apart; the whole id stays below the 64 characters that others allow.
const DIGITS: usize = 12;

/// The id of an item. It names the task, so that callers who send ids instead of items can be understood.
pub(crate) fn item_id(kind: &str, task: &str, own: &str) -> String {
    let digest = Digest::of(own.as_bytes());
    format!("{kind}_{task}_{}", digest.as_str().get(..DIGITS).unwrap_or_default())
}

/// The task whose item this may be.
pub fn task_of_item(id: &str) -> Option<TaskId> {
    let (_, rest) = id.split_once('_')?;
    let (task, _) = rest.rsplit_once('_')?;
    (!task.is_empty()).then(|| task.into())
}

#[cfg(test)]
mod tests {
    use super::{item_id, task_of_item};

    #[test]
    fn an_id_leads_to_its_task() {
        let task = "01a1e730-4430-759a-83c1-2a7c229c737e";
        let id = item_id("msg", task, "01a1e730-4430-759a-83c1-2a7c229c7400");
        assert_eq!((task_of_item(&id), id.len() <= 64), (Some(task.into()), true));
        for other in ["msg_1", "msg", "msg__1", ""] {
            assert_eq!(task_of_item(other), None, "{other}");
        }
    }
}
