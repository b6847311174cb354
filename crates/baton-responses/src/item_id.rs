//! Ids of the items of a response.

use baton_types::{Digest, TaskId};

/// Length of the digest that distinguishes the items of a task; the whole id stays below 64 characters, a limit of
/// other implementations.
const DIGEST_LEN: usize = 12;

/// The id of an item. It contains the task id, so that references by item id can be resolved.
pub(crate) fn item_id(kind: &str, task: &str, own: &str) -> String {
    let digest = Digest::compute(own.as_bytes());
    format!("{kind}_{task}_{}", digest.as_str().get(..DIGEST_LEN).unwrap_or_default())
}

/// The task id contained in an item id.
pub fn task_of_item(id: &str) -> Option<TaskId> {
    let (_, rest) = id.split_once('_')?;
    let (task, _) = rest.rsplit_once('_')?;
    (!task.is_empty()).then(|| task.into())
}

#[cfg(test)]
mod tests {
    use super::{item_id, task_of_item};

    #[test]
    fn item_id_contains_its_task() {
        let task = "01a1e730-4430-759a-83c1-2a7c229c737e";
        let id = item_id("msg", task, "01a1e730-4430-759a-83c1-2a7c229c7400");
        assert_eq!((task_of_item(&id), id.len() <= 64), (Some(task.into()), true));
        for other in ["msg_1", "msg", "msg__1", ""] {
            assert_eq!(task_of_item(other), None, "{other}");
        }
    }
}
