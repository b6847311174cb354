//! What an agent has several of, each under a name: the same four verbs for every kind.

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

/// One kind of what an agent has.
pub(super) trait Part: 'static {
    /// The segment of its addresses.
    const PATH: &'static str;
    /// One of them, for people.
    const NOUN: &'static str;
    /// What a client says one is to be.
    type Wish: DeserializeOwned + Send + Sync;

    /// All of them, with the digest of the definition.
    fn all(of: &Definition) -> impl Serialize;

    /// The one of this name, as it may be seen.
    fn one(of: &Definition, name: &str) -> Option<impl Serialize>;

    /// Makes it, or changes the one that is there.
    fn put(now: &Definition, name: &str, wish: &Self::Wish) -> Result<AgentChange, ManageError>;

    /// Takes it away.
    fn gone(name: String) -> AgentChange;
}

type Served = State<Arc<Shared>>;

/// The routes of one kind.
pub(super) fn mount<P: Part>(routes: Routes) -> Routes {
    let base = format!("/api/v1/agents/{{agent}}/{}", P::PATH);
    // Another route below names this segment, so it has one name everywhere.
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

/// Takes it away, and shows what it was.
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
