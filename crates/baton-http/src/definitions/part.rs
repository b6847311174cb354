//! Named collections of an agent definition: the same four operations for every kind.

use super::{Pair, absent, allowed, answered, expected, pair, read, refusal, tagged, who};
use crate::{
    app::Shared,
    auth::Caller,
    body::json,
    named::Named,
    routes::{RouteAccess, Routes},
};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_manage::{Definition, ManageError};
use baton_types::{AgentChange, Digest};
use baton_wire::a2a::v1::Error;
use http::HeaderMap;
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// One kind of collection.
pub(super) trait Part: 'static {
    /// Path segment.
    const PATH: &'static str;
    /// Singular noun for messages.
    const NOUN: &'static str;
    /// Request body of a put.
    type Wish: DeserializeOwned + Send + Sync;

    /// All entries, with the digest of the definition.
    fn all(of: &Definition) -> impl Serialize;

    /// The entry with this name, without secrets.
    fn one(of: &Definition, name: &str) -> Option<impl Serialize>;

    /// Change that creates or replaces an entry.
    fn put(now: &Definition, name: &str, wish: &Self::Wish) -> Result<AgentChange, ManageError>;

    /// Change that removes an entry.
    fn gone(name: String) -> AgentChange;
}

type Served = State<Arc<Shared>>;

/// Routes of one collection.
pub(super) fn mount<P: Part>(routes: Routes) -> Routes {
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

async fn list<P: Part>(State(shared): Served, caller: Caller, Named(agent): Named) -> Response {
    let listed = async {
        let definition = read(&shared, &caller, &agent.into()).await?;
        Ok(tagged(&P::all(&definition), &definition.digest))
    };
    answered(listed.await)
}

async fn show<P: Part>(State(shared): Served, caller: Caller, path: Pair) -> Response {
    let shown = async {
        let (agent, name) = pair(path)?;
        let definition = read(&shared, &caller, &agent).await?;
        one::<P>(&definition, &name, &definition.digest)
    };
    answered(shown.await)
}

fn one<P: Part>(definition: &Definition, name: &str, digest: &Digest) -> Result<Response, Error> {
    let found = P::one(definition, name).ok_or_else(|| absent(P::NOUN, &definition.name, name))?;
    Ok(tagged(&found, digest))
}

async fn put<P: Part>(State(shared): Served, caller: Caller, path: Pair, request: Request) -> Response {
    let done = async {
        let manager = allowed(&shared, &caller)?;
        let (agent, name) = pair(path)?;
        let (headers, wish) = json::<P::Wish>(&shared, request).await?;
        let (who, expected) = (who(&shared, &headers), expected(&headers));
        let decide = |now: &Definition| Ok(vec![P::put(now, &name, &wish)?]);
        let after = manager.change(&agent, who, expected.as_ref(), decide).await.map_err(refusal)?.after;
        one::<P>(&after, &name, &after.digest)
    };
    answered(done.await)
}

/// Removes the entry and returns its last value.
async fn remove<P: Part>(State(shared): Served, caller: Caller, path: Pair, headers: HeaderMap) -> Response {
    let done = async {
        let manager = allowed(&shared, &caller)?;
        let (agent, name) = pair(path)?;
        let (who, expected) = (who(&shared, &headers), expected(&headers));
        let decide = |_: &Definition| Ok(vec![P::gone(name.clone())]);
        let changed = manager.change(&agent, who, expected.as_ref(), decide).await.map_err(refusal)?;
        one::<P>(&changed.before, &name, &changed.after.digest)
    };
    answered(done.await)
}
