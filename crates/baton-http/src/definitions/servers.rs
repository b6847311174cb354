//! `/api/v1/agents/{agent}/servers`: MCP servers of an agent, without secrets.

use super::{Pair, absent, allowed, answered, expected, pair, read, refusal, tagged, who};
use crate::{app::Shared, auth::Caller, body::json, named::Named};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_manage::{Definition, server_change, servers, shown_entry};
use baton_types::{AgentChange, Json};
use baton_wire::{a2a::v1::Error, api::AgentServerList};
use http::HeaderMap;
use std::sync::Arc;

pub(crate) async fn list(State(shared): State<Arc<Shared>>, caller: Caller, Named(agent): Named) -> Response {
    let listed = async {
        let definition = read(&shared, &caller, &agent.into()).await?;
        let list = AgentServerList { servers: servers(&definition), digest: definition.digest.to_string() };
        Ok(tagged(&list, &definition.digest))
    };
    answered(listed.await)
}

pub(crate) async fn show(State(shared): State<Arc<Shared>>, caller: Caller, path: Pair) -> Response {
    let shown = async {
        let (agent, name) = pair(path)?;
        one(&read(&shared, &caller, &agent).await?, &name)
    };
    answered(shown.await)
}

fn one(definition: &Definition, name: &str) -> Result<Response, Error> {
    let found = definition.kit.servers.iter().find(|server| server.name == name);
    let found = found.ok_or_else(|| absent("server", &definition.name, name))?;
    Ok(tagged(&shown_entry(found), &definition.digest))
}

/// Makes it, or replaces its entry; values that are given as they are shown stay what they are.
pub(crate) async fn put(State(shared): State<Arc<Shared>>, caller: Caller, path: Pair, request: Request) -> Response {
    let done = async {
        let manager = allowed(&shared, &caller)?;
        let (agent, name) = pair(path)?;
        let (headers, entry) = json::<Json>(&shared, request).await?;
        let (who, expected) = (who(&shared, &headers), expected(&headers));
        let decide = |now: &Definition| Ok(vec![server_change(Some(now), &name, &entry)?]);
        let changed = manager.change(&agent, who, expected.as_ref(), decide).await;
        one(&changed.map_err(refusal)?.after, &name)
    };
    answered(done.await)
}

/// Takes it away, and shows what it was.
pub(crate) async fn remove(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    path: Pair,
    headers: HeaderMap,
) -> Response {
    let done = async {
        let manager = allowed(&shared, &caller)?;
        let (agent, name) = pair(path)?;
        let (who, expected) = (who(&shared, &headers), expected(&headers));
        let gone = AgentChange::Server { name: name.clone(), entry: None };
        let changed = manager.change(&agent, who, expected.as_ref(), |_| Ok(vec![gone.clone()])).await;
        one(&changed.map_err(refusal)?.before, &name)
    };
    answered(done.await)
}
