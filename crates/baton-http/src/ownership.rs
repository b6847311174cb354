//! Lookup of the owner of a resource, for the audit log.

use baton_ports::{BoxFuture, JournalError};
use baton_types::{Principal, StreamId};

/// Tells whether a resource belongs to another principal.
pub trait OwnershipLookup: Send + Sync + 'static {
    /// Whether the resource exists and has another owner.
    fn is_foreign<'a>(
        &'a self,
        principal: &'a Principal,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<bool, JournalError>>;
}
