//! Baton's own view of spans: how many there are, and those that arrive.

mod entry;
mod export;
mod stats;
mod store;
mod tail;

use crate::{app::Shared, auth::Caller};
use axum::{Router, routing::get};
use baton_ports::SpanStore;
use baton_rules::Access;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;
pub(crate) use store::{KEEPS_NONE, refusal, store};
pub(crate) use tail::MAX_TAILS;

/// Adds the paths.
pub(crate) fn mount(router: Router<Arc<Shared>>) -> Router<Arc<Shared>> {
    router
        .route("/api/v1/spans/stats", get(stats::show))
        .route("/api/v1/spans/tail", get(tail::tail))
        .route("/api/v1/spans/export", get(export::export))
}

/// The store, for those who may read what all agents did.
fn readable<'a>(shared: &'a Shared, caller: &Caller) -> Result<&'a Arc<dyn SpanStore>, Error> {
    store(shared, caller, Access::Read)?
        .ok_or_else(|| Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, KEEPS_NONE))
}
