//! OAuth protected resource metadata (RFC 9728).

use crate::{app::HttpState, auth::RESOURCE_METADATA_PATH, cards::base_url, reply};
use axum::{extract::State, response::Response};
use baton_api::ProtectedResource;
use baton_rules::AccessScope;
use http::{HeaderMap, Uri};
use std::sync::Arc;

/// `GET /.well-known/oauth-protected-resource`: metadata of the whole server, or of the resource in the path suffix.
pub(crate) async fn show(State(shared): State<Arc<HttpState>>, uri: Uri, headers: HeaderMap) -> Response {
    let Some(identity) = &shared.options.access.identity else {
        return reply::no_such_page(http::Method::GET, headers, uri).await;
    };
    let below = uri.path().strip_prefix(RESOURCE_METADATA_PATH).unwrap_or_default();
    reply::json(&ProtectedResource {
        resource: format!("{}{}", base_url(&shared, &headers), below.trim_end_matches('/')),
        resource_name: "Baton".to_owned(),
        authorization_servers: identity.issuers(),
        bearer_methods_supported: vec!["header".to_owned()],
        scopes_supported: AccessScope::GENERAL.iter().map(ToString::to_string).collect(),
    })
}
