//! Who may ask about spans, and whom.

use super::refusal::Refusal;
use crate::{app::Shared, auth::Caller, spans};
use baton_ports::SpanStore;
use baton_rules::Access;
use std::sync::Arc;

/// The store, for those who may read what all agents did.
pub(super) fn store<'a>(shared: &'a Shared, caller: &Caller) -> Result<&'a Arc<dyn SpanStore>, Refusal> {
    spans::store(shared, caller, Access::Read)?.ok_or_else(Refusal::not_offered)
}
