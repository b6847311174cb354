//! `/api/v1/agents/{agent}/rules` and `/references`.

use super::{Pair, absent, allowed, answered, expected, pair, read, refusal, tagged, who};
use crate::{app::Shared, auth::Caller, body::json, named::Named};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_manage::{Definition, item, item_put, item_with_text};
use baton_types::{AgentChange, ItemKind};
use baton_wire::{
    a2a::v1::Error,
    api::{AgentItem, AgentItemList},
};
use http::HeaderMap;
use std::sync::Arc;

type Served = State<Arc<Shared>>;

pub(crate) async fn list_rules(State(shared): Served, caller: Caller, Named(agent): Named) -> Response {
    list(&shared, &caller, agent, ItemKind::Rule).await
}

pub(crate) async fn list_references(State(shared): Served, caller: Caller, Named(agent): Named) -> Response {
    list(&shared, &caller, agent, ItemKind::Reference).await
}

pub(crate) async fn show_rule(State(shared): Served, caller: Caller, path: Pair) -> Response {
    show(&shared, &caller, path, ItemKind::Rule).await
}

pub(crate) async fn show_reference(State(shared): Served, caller: Caller, path: Pair) -> Response {
    show(&shared, &caller, path, ItemKind::Reference).await
}

pub(crate) async fn put_rule(State(shared): Served, caller: Caller, path: Pair, request: Request) -> Response {
    put(&shared, &caller, path, request, ItemKind::Rule).await
}

pub(crate) async fn put_reference(State(shared): Served, caller: Caller, path: Pair, request: Request) -> Response {
    put(&shared, &caller, path, request, ItemKind::Reference).await
}

pub(crate) async fn remove_rule(State(shared): Served, caller: Caller, path: Pair, headers: HeaderMap) -> Response {
    remove(&shared, &caller, path, &headers, ItemKind::Rule).await
}

pub(crate) async fn remove_reference(
    State(shared): Served,
    caller: Caller,
    path: Pair,
    headers: HeaderMap,
) -> Response {
    remove(&shared, &caller, path, &headers, ItemKind::Reference).await
}

async fn list(shared: &Shared, caller: &Caller, agent: String, kind: ItemKind) -> Response {
    let listed = async {
        let definition = read(shared, caller, &agent.into()).await?;
        let items = definition.agent.knowledge.items(kind).iter().map(item).collect();
        let digest = definition.digest.to_string();
        Ok(tagged(&AgentItemList { items, digest }, &definition.digest))
    };
    answered(listed.await)
}

async fn show(shared: &Shared, caller: &Caller, path: Pair, kind: ItemKind) -> Response {
    let shown = async {
        let (agent, name) = pair(path)?;
        one(&read(shared, caller, &agent).await?, kind, &name)
    };
    answered(shown.await)
}

fn one(definition: &Definition, kind: ItemKind, name: &str) -> Result<Response, Error> {
    let found = definition.agent.knowledge.items(kind).iter().find(|item| item.name == name);
    let found = found.ok_or_else(|| absent(kind.as_str(), &definition.name, name))?;
    Ok(tagged(&item_with_text(found), &definition.digest))
}

/// Makes it, or changes the one that is there; what is not given stays.
async fn put(shared: &Shared, caller: &Caller, path: Pair, request: Request, kind: ItemKind) -> Response {
    let done = async {
        let manager = allowed(shared, caller)?;
        let (agent, name) = pair(path)?;
        let (headers, wish) = json::<AgentItem>(shared, request).await?;
        let wish = AgentItem { name: name.clone(), ..wish };
        let (who, expected) = (who(shared, &headers), expected(&headers));
        let changed = manager.change(&agent, who, expected.as_ref(), |now| Ok(vec![item_put(now, kind, &wish)?])).await;
        one(&changed.map_err(refusal)?.after, kind, &name)
    };
    answered(done.await)
}

/// Takes it away, and shows what it was.
async fn remove(shared: &Shared, caller: &Caller, path: Pair, headers: &HeaderMap, kind: ItemKind) -> Response {
    let done = async {
        let manager = allowed(shared, caller)?;
        let (agent, name) = pair(path)?;
        let (who, expected) = (who(shared, headers), expected(headers));
        let gone = AgentChange::Remove { kind, name: name.clone() };
        let changed = manager.change(&agent, who, expected.as_ref(), |_| Ok(vec![gone.clone()])).await;
        let changed = changed.map_err(refusal)?;
        let was = changed.before.agent.knowledge.items(kind).iter().find(|item| item.name == name);
        let was = was.ok_or_else(|| absent(kind.as_str(), &agent, &name))?;
        Ok(tagged(&item_with_text(was), &changed.after.digest))
    };
    answered(done.await)
}
