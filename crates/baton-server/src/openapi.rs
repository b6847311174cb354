//! The OpenAPI document without a server.

use baton_http::{HttpContext, HttpOptions, OpenApiDocument, OwnershipLookup};
use baton_ports::{AgentSource, BoxFuture, JournalError};
use baton_types::{AgentName, AgentSpec, Principal, StreamId};
use std::sync::Arc;

/// The OpenAPI document of Baton's own API, as a server at this address serves it at `/api/openapi.json`.
///
/// It is the same for every server of this version: the routes do not depend on options or agents.
pub fn openapi_document(base_url: &str) -> String {
    let context = HttpContext::new(HttpOptions::default(), Vec::new(), Arc::new(NoAgents), Arc::new(NoOwners));
    let mut entries = baton_http_api::operations(&context);
    entries.extend(baton_http_telemetry::operations(&context));
    format!("{:#}", OpenApiDocument::from_entries(&entries).at(base_url))
}

struct NoAgents;

impl AgentSource for NoAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        Vec::new()
    }

    fn agent(&self, _: &AgentName) -> Option<Arc<AgentSpec>> {
        None
    }
}

struct NoOwners;

impl OwnershipLookup for NoOwners {
    fn is_foreign<'a>(&'a self, _: &'a Principal, _: &'a StreamId) -> BoxFuture<'a, Result<bool, JournalError>> {
        Box::pin(std::future::ready(Ok(false)))
    }
}
