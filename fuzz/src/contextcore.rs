//! Requests and answers of ContextCore's dialect.

use crate::{
    property::{accepted, assert_conversion_with_additions, params, stable},
    requests::send,
};
use baton_types::MAX_JSON_DEPTH;
use baton_encoding::depth_within;
use baton_wire::contextcore as cc;

/// The grammar shape of each choice.
pub(crate) const SHAPES: &[&str] = &["send", "query", "query", "flat", "flat", "card", "discovery"];

pub(crate) fn read(choice: usize, text: &str) {
    // The server limits the depth of requests; answers of other servers are read at any depth.
    if choice < 3 && !depth_within(text.as_bytes(), MAX_JSON_DEPTH) {
        return;
    }
    match choice {
        0 => {
            let Some(asked) = params::<cc::SendParams>(text) else { return };
            let fresh = |asked: cc::SendParams| asked.into_v1(|| "fresh".to_owned());
            let Some(request) = accepted(fresh(asked.clone())) else { return };
            send(&request);
            if !may_contain_own_key(text) || fresh(cc::SendParams::from(request)).is_ok() {
                assert_conversion_with_additions(asked, fresh, cc::SendParams::from);
            }
        }
        1 => {
            let Some(asked) = params::<cc::TaskParams>(text) else { return };
            let _ = accepted(asked.clone().into_cancel());
            let _ = accepted(asked.into_get());
        }
        2 => {
            let Some(asked) = params::<cc::ListParams>(text) else { return };
            if let Some(request) = accepted(asked.into_v1()) {
                assert!(request.check().is_ok());
            }
        }
        3 => {
            let Some(task) = stable::<cc::Task>(text) else { return };
            let Some(read) = accepted(task.clone().into_v1()) else { return };
            if !may_contain_own_key(text) || cc::Task::from(read).into_v1().is_ok() {
                assert_conversion_with_additions(task, cc::Task::into_v1, cc::Task::from);
            }
        }
        4 => drop(stable::<cc::TaskList>(text)),
        5 => drop(stable::<cc::Card>(text).map(cc::Card::into_a2a)),
        _ => drop(stable::<cc::Discovery>(text)),
    }
}

/// Whether the metadata may contain the dialect's own key with a value that cannot be converted back.
fn may_contain_own_key(text: &str) -> bool {
    text.contains("\"contextcore\"")
}
