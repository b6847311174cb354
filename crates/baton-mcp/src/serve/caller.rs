//! Who asks, as handlers know them.

use crate::span::carried;
use baton_toolhost::DEPTH_META;
use baton_types::Principal;
use http::request::Parts;
use rmcp::{ErrorData, RoleServer, model::ProtocolVersion, service::RequestContext};
use std::sync::Arc;

/// The header that names a session.
pub(crate) const SESSION_HEADER: &str = "mcp-session-id";

/// The header that says what [`DEPTH_META`] says in a message.
const DEPTH_HEADER: &str = "baton-handoff-depth";

/// Who asks, and how.
#[derive(Clone, Debug)]
pub struct Caller {
    /// For whom.
    pub principal: Arc<Principal>,
    /// The session, when the client speaks an older protocol.
    pub session: Option<String>,
    /// W3C trace context.
    pub trace: Option<String>,
    /// How often the work was handed over before.
    pub depth: u32,
    /// Whether the request is of the protocol that has no sessions, and in which servers ask by their results.
    pub modern: bool,
}

impl Caller {
    /// The caller of a request; [`super::McpService`] has put the principal there.
    pub fn of(context: &RequestContext<RoleServer>) -> Result<Self, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let principal = parts.and_then(|parts| parts.extensions.get::<Arc<Principal>>()).cloned();
        let Some(principal) = principal else {
            return Err(ErrorData::internal_error("nobody was identified for this request", None));
        };
        let header = |name: &str| {
            let value = parts?.headers.get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let modern = is_modern(context);
        let session = session_of(context).map(str::to_owned);
        // More than can be is as good as too often.
        let said = context.meta.get(DEPTH_META).and_then(serde_json::Value::as_u64).unwrap_or_default();
        let said = u32::try_from(said).unwrap_or(u32::MAX);
        let depth = said.max(header(DEPTH_HEADER).and_then(|depth| depth.parse().ok()).unwrap_or_default());
        let trace = carried(context).map(|trace| trace.to_string());
        Ok(Self { principal, session, trace, depth, modern })
    }
}

/// The session that a request belongs to, if its protocol has any.
pub(super) fn session_of(context: &RequestContext<RoleServer>) -> Option<&str> {
    let named = context.extensions.get::<Parts>()?.headers.get(SESSION_HEADER)?.to_str().ok();
    named.filter(|_| !is_modern(context))
}

/// Whether a request is of the protocol without sessions.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}
