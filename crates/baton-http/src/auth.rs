//! Who is asking: the only place of the surface where a principal is made.

use baton_types::Principal;
use std::sync::Arc;

/// The caller of a Baton on loopback without authentication.
pub(crate) fn local() -> Arc<Principal> {
    Arc::new(Principal::local())
}
