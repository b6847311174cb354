//! Named collections of an agent definition: the same four operations for every kind.

use super::{
    AgentPartPath, authorize_change, if_match_digest, into_response, json_with_etag, manage_error, manage_role,
    parse_part_path, part_not_found, read_definition,
};
use crate::{
    resources::{AGENTS, ETAG, IF_MATCH},
    state::ApiState,
};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_api::ApiError;
use baton_http::{Caller, PathName, RouteAccess, Routes, body::json};
use baton_manage::{Definition, ManageError};
use baton_types::{AgentChange, Digest};
use http::HeaderMap;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// One kind of collection.
pub(super) trait DefinitionCollection: 'static {
    /// Path segment.
    const PATH: &'static str;
    /// Path parameter of one entry.
    const PARAMETER: &'static str;
    /// Singular noun for messages.
    const NOUN: &'static str;
    /// Name of an entry in operation ids; the plural has an `s`.
    const ID: &'static str;
    /// Effect of a put on an existing entry.
    const PUT_NOTE: &'static str;
    /// Request body of a put.
    type Body: DeserializeOwned + Send + Sync;
    /// All entries, with the digest of the definition.
    type List: Serialize + JsonSchema;
    /// Description of an entry, received and sent.
    type Entry: JsonSchema;

    /// All entries, with the digest of the definition.
    fn all(of: &Definition) -> Self::List;

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
    let all = format!("/api/v1/agents/{{agent}}/{}", P::PATH);
    let one = format!("{all}/{{{}}}", P::PARAMETER);
    let (look, change) = (RouteAccess::Admin, RouteAccess::AdminChange);
    let (id, noun) = (P::ID, P::NOUN);
    routes
        .operation(
            AGENTS
                .get(all, look, format!("list{id}s"), format!("List the {noun}s of an agent"))
                .reply::<P::List>()
                .reply_header("ETag", ETAG),
            list::<P>,
        )
        .operation(
            AGENTS
                .get(one.clone(), look, format!("get{id}"), format!("Show one {noun} of an agent"))
                .reply::<P::Entry>()
                .reply_header("ETag", ETAG),
            show::<P>,
        )
        .operation(
            AGENTS
                .put(one.clone(), change, format!("put{id}"), format!("Create or change one {noun} of an agent"))
                .note(P::PUT_NOTE)
                .header("If-Match", IF_MATCH)
                .body::<P::Entry>()
                .reply::<P::Entry>()
                .reply_header("ETag", ETAG),
            put::<P>,
        )
        .operation(
            AGENTS
                .delete(one, change, format!("delete{id}"), format!("Remove one {noun} of an agent"))
                .note("Returns the entry as it was.")
                .header("If-Match", IF_MATCH)
                .reply::<P::Entry>()
                .reply_header("ETag", ETAG),
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
