//! Named collections of an agent definition: the same four operations for every kind.

use super::{
    AgentPartPath, authorize_change, if_match_digest, into_response, json_with_etag, manage_error, manage_role,
    parse_part_path, part_not_found, read_definition,
};
use crate::state::ApiState;
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_api::ApiError;
use baton_http::{Caller, PathName, RouteAccess, Routes, body::json};
use baton_manage::{Definition, ManageError};
use baton_types::{AgentChange, Digest};
use http::HeaderMap;
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// One kind of collection.
pub(super) trait DefinitionCollection: 'static {
    /// Path segment.
    const PATH: &'static str;
    /// Singular noun for messages.
    const NOUN: &'static str;
    /// Request body of a put.
    type Body: DeserializeOwned + Send + Sync;

    /// All entries, with the digest of the definition.
    fn all(of: &Definition) -> impl Serialize;

    /// The entry with this name, without secrets.
    fn one(of: &Definition, name: &str) -> Option<impl Serialize>;

    /// Change that creates or replaces an entry.
    fn put(now: &Definition, name: &str, body: &Self::Body) -> Result<AgentChange, ManageError>;

    /// Change that removes an entry.
    fn removal(name: String) -> AgentChange;
}

type StateExtractor = State<Arc<ApiState>>;

/// Routes of one collection.
pub(super) fn mount<P: DefinitionCollection>(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    let base = format!("/api/v1/agents/{{agent}}/{}", P::PATH);
    // Another route below uses the same segment, and a segment needs one parameter name.
    let one = format!("{base}/{{server}}");
    let (look, change) = (RouteAccess::Admin, RouteAccess::AdminChange);
    routes.get(&base, look, list::<P>).get(&one, look, show::<P>).put(&one, change, put::<P>).delete(
        &one,
        change,
        remove::<P>,
    )
}

async fn list<P: DefinitionCollection>(
    State(shared): StateExtractor,
    caller: Caller,
    PathName(agent): PathName,
) -> Response {
    let listed = async {
        let definition = read_definition(&shared, &caller, &agent.into()).await?;
        Ok(json_with_etag(&P::all(&definition), &definition.digest))
    };
    into_response(listed.await)
}

async fn show<P: DefinitionCollection>(State(shared): StateExtractor, caller: Caller, path: AgentPartPath) -> Response {
    let shown = async {
        let (agent, name) = parse_part_path(path)?;
        let definition = read_definition(&shared, &caller, &agent).await?;
        one::<P>(&definition, &name, &definition.digest)
    };
    into_response(shown.await)
}

fn one<P: DefinitionCollection>(definition: &Definition, name: &str, digest: &Digest) -> Result<Response, ApiError> {
    let found = P::one(definition, name).ok_or_else(|| part_not_found(P::NOUN, &definition.name, name))?;
    Ok(json_with_etag(&found, digest))
}

async fn put<P: DefinitionCollection>(
    State(shared): StateExtractor,
    caller: Caller,
    path: AgentPartPath,
    request: Request,
) -> Response {
    let done = async {
        let manager = authorize_change(&shared, &caller)?;
        let (agent, name) = parse_part_path(path)?;
        let (headers, body) = json::<P::Body>(&shared.http, request).await?;
        let (role, expected) = (manage_role(&shared, &headers), if_match_digest(&headers));
        let decide = |now: &Definition| Ok(vec![P::put(now, &name, &body)?]);
        let after = manager.change(&agent, role, expected.as_ref(), decide).await.map_err(manage_error)?.after;
        one::<P>(&after, &name, &after.digest)
    };
    into_response(done.await)
}

/// Removes the entry and returns its last value.
async fn remove<P: DefinitionCollection>(
    State(shared): StateExtractor,
    caller: Caller,
    path: AgentPartPath,
    headers: HeaderMap,
) -> Response {
    let done = async {
        let manager = authorize_change(&shared, &caller)?;
        let (agent, name) = parse_part_path(path)?;
        let (role, expected) = (manage_role(&shared, &headers), if_match_digest(&headers));
        let decide = |_: &Definition| Ok(vec![P::removal(name.clone())]);
        let changed = manager.change(&agent, role, expected.as_ref(), decide).await.map_err(manage_error)?;
        one::<P>(&changed.before, &name, &changed.after.digest)
    };
    into_response(done.await)
}
