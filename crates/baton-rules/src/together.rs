//! Which calls of a turn run at the same time.

use crate::CallState;

/// The calls in the order in which the model made them, in groups: those of a group may run beside each other, a group
/// begins when the one before it is done, and a call that wants to be alone is.
pub fn together(calls: Vec<CallState>, is_sequential: impl Fn(&str) -> bool) -> Vec<Vec<CallState>> {
    let mut groups: Vec<Vec<CallState>> = Vec::new();
    let mut open = false;
    for state in calls {
        let alone = is_sequential(&state.call.name);
        match groups.last_mut().filter(|_| open && !alone) {
            Some(group) => group.push(state),
            None => groups.push(vec![state]),
        }
        open = !alone;
    }
    groups
}
