//! Concurrency groups of tool calls.

use crate::CallState;

/// Groups calls in the order of the model. The calls of a group may run concurrently, groups run one after the other,
/// and a sequential call is a group of one.
pub fn group_concurrent_calls(calls: Vec<CallState>, is_sequential: impl Fn(&str) -> bool) -> Vec<Vec<CallState>> {
    let mut groups: Vec<Vec<CallState>> = Vec::new();
    let mut open = false;
    for state in calls {
        let runs_alone = is_sequential(&state.call.name);
        match groups.last_mut().filter(|_| open && !runs_alone) {
            Some(group) => group.push(state),
            None => groups.push(vec![state]),
        }
        open = !runs_alone;
    }
    groups
}
