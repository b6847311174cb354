//! `/api/v1/agents/{agent}/exports`: work that an agent offers as MCP tools.

use super::{Pair, absent, allowed, answered, expected, pair, read, refusal, tagged, who};
use crate::{app::Shared, auth::Caller, body::json, named::Named};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_manage::{Definition, export, export_change};
use baton_types::AgentChange;
use baton_wire::{
    a2a::v1::Error,
    api::{AgentExport, AgentExportList},
};
use http::HeaderMap;
use std::sync::Arc;

pub(crate) async fn list(State(shared): State<Arc<Shared>>, caller: Caller, Named(agent): Named) -> Response {
    let listed = async {
        let definition = read(&shared, &caller, &agent.into()).await?;
        let exports = definition.kit.exports.iter().map(export).collect();
        let list = AgentExportList { exports, digest: definition.digest.to_string() };
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
    let found = definition.kit.exports.iter().find(|tool| tool.name == name);
    let found = found.ok_or_else(|| absent("exported tool", &definition.name, name))?;
    Ok(tagged(&export(found), &definition.digest))
}

/// Makes it, or changes it; what is not given stays.
pub(crate) async fn put(State(shared): State<Arc<Shared>>, caller: Caller, path: Pair, request: Request) -> Response {
    let done = async {
        let manager = allowed(&shared, &caller)?;
        let (agent, name) = pair(path)?;
        let (headers, entry) = json::<AgentExport>(&shared, request).await?;
        let entry = AgentExport { name: name.clone(), ..entry };
        let (who, expected) = (who(&shared, &headers), expected(&headers));
        let decide = |now: &Definition| Ok(vec![export_change(Some(now), &entry)]);
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
        let gone = AgentChange::Export { name: name.clone(), entry: None };
        let changed = manager.change(&agent, who, expected.as_ref(), |_| Ok(vec![gone.clone()])).await;
        one(&changed.map_err(refusal)?.before, &name)
    };
    answered(done.await)
}
