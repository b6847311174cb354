//! The caller of a request, for handlers.

use crate::span::trace_context;
use baton_toolhost::DEPTH_META;
use baton_types::Principal;
use http::request::Parts;
use rmcp::{ErrorData, RoleServer, model::ProtocolVersion, service::RequestContext};
use std::sync::Arc;

/// Header with the session id.
pub(crate) const SESSION_HEADER: &str = "mcp-session-id";

/// Header equivalent of [`DEPTH_META`].
const DEPTH_HEADER: &str = "baton-handoff-depth";

/// The caller of a request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The authenticated principal.
    pub principal: Arc<Principal>,
    /// Session id, if the client uses an older protocol.
    pub session: Option<String>,
    /// W3C trace context.
    pub trace: Option<String>,
    /// Number of previous handoffs.
    pub depth: u32,
    /// Whether the request uses the protocol without sessions, in which servers ask through their results.
    pub modern: bool,
}

impl Caller {
    /// The caller of a request; [`super::McpService`] adds the principal.
    pub fn from_context(context: &RequestContext<RoleServer>) -> Result<Self, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let principal = parts.and_then(|parts| parts.extensions.get::<Arc<Principal>>()).cloned();
        let Some(principal) = principal else {
            return Err(ErrorData::internal_error("the request has no authenticated principal", None));
        };
        let header = |name: &str| {
            let value = parts?.headers.get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let modern = is_modern(context);
        let session = header(SESSION_HEADER).filter(|_| !modern);
        // A value that does not fit counts as the maximum, so it exceeds any depth limit.
        let meta_depth = context.meta.get(DEPTH_META).and_then(serde_json::Value::as_u64).unwrap_or_default();
        let meta_depth = u32::try_from(meta_depth).unwrap_or(u32::MAX);
        let depth = meta_depth.max(header(DEPTH_HEADER).and_then(|depth| depth.parse().ok()).unwrap_or_default());
        let trace = trace_context(context).map(|trace| trace.to_string());
        Ok(Self { principal, session, trace, depth, modern })
    }
}

/// Session id of a request, if its protocol has sessions.
pub(super) fn session_id(context: &RequestContext<RoleServer>) -> Option<&str> {
    let named = context.extensions.get::<Parts>()?.headers.get(SESSION_HEADER)?.to_str().ok();
    named.filter(|_| !is_modern(context))
}

/// Whether a request uses the protocol without sessions.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}
