//! Baton's own view of spans: how many there are, and those that arrive.

mod entry;
mod stats;
mod tail;

use crate::{app::Shared, auth::Caller};
use axum::{Router, routing::get};
use baton_ports::SpanStore;
use baton_rules::Access;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;

/// Adds the paths.
pub(crate) fn mount(router: Router<Arc<Shared>>) -> Router<Arc<Shared>> {
    router.route("/api/v1/spans/stats", get(stats::show)).route("/api/v1/spans/tail", get(tail::tail))
}

/// The store, for those who may read what all agents did.
fn store<'a>(shared: &'a Shared, caller: &Caller) -> Result<&'a Arc<dyn SpanStore>, Error> {
    caller.may_everywhere(shared, Access::Read)?;
    shared
        .options
        .spans
        .as_ref()
        .map(|ports| &ports.store)
        .ok_or_else(|| Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, "this Baton keeps no spans"))
}

fn refusal(error: &baton_ports::SpanStoreError) -> Error {
    use baton_ports::SpanStoreError::{Busy, Corrupt, Query, TooLarge, Unavailable};
    let kind = match error {
        Busy | Unavailable(_) => ErrorKind::Unavailable,
        Query(_) | TooLarge(_) => ErrorKind::InvalidParams,
        Corrupt(_) => ErrorKind::Internal,
    };
    Error::new(kind, error.code(), error.to_string())
}
