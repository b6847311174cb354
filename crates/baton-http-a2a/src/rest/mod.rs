//! HTTP+JSON binding: operations as paths. Paths under `v1` belong to A2A 0.3.

mod query;
mod request;
mod v03;
mod v1;

use crate::{reply, state::A2aState};
use baton_http::{RouteAccess, RouteAgentSource, Routes, no_such_page};
use http::Uri;
use std::sync::Arc;

/// Adds the paths under every base path of an agent.
pub(crate) fn mount(routes: Routes<Arc<A2aState>>) -> Routes<Arc<A2aState>> {
    let (path, resource) = (RouteAgentSource::Path, RouteAgentSource::Resource);
    // The forms with `{tenant}` name the agent as tenant; `v1` is never a tenant.
    let prefixes = [("/agents/{agent}", path), ("/agents/{agent}/{tenant}", path), ("", resource), ("/{tenant}", path)];
    let routes = prefixes.into_iter().fold(routes, |routes, (base, agent_source)| {
        let at = |path: &str| format!("{base}{path}");
        let (read, call) = (RouteAccess::Read(agent_source), RouteAccess::Call(agent_source));
        let (pushes, push) =
            (at("/tasks/{task}/pushNotificationConfigs"), at("/tasks/{task}/pushNotificationConfigs/{config}"));
        routes
            .post(&at("/message:send"), call, v1::send)
            .post(&at("/message:stream"), call, v1::stream)
            .get(&at("/tasks"), read, v1::list)
            .get(&at("/tasks/{task}"), read, v1::task_get)
            .post(&at("/tasks/{task}"), RouteAccess::ReadOrCall(agent_source), v1::task_post)
            .get(&pushes, read, v1::list_push)
            .post(&pushes, call, v1::create_push)
            .get(&push, read, v1::get_push)
            .delete(&push, call, v1::delete_push)
            .get(&at("/extendedAgentCard"), read, v1::extended_card)
    });
    // Path of the extended card in 0.2.
    let routes = routes.get("/agent/authenticatedExtendedCard", RouteAccess::Read(resource), v03::card).get(
        "/agents/{agent}/agent/authenticatedExtendedCard",
        RouteAccess::Read(path),
        v03::card,
    );
    [("/agents/{agent}/v1", path), ("/v1", resource)].into_iter().fold(routes, |routes, (base, agent_source)| {
        let at = |path: &str| format!("{base}{path}");
        let (read, call) = (RouteAccess::Read(agent_source), RouteAccess::Call(agent_source));
        let (pushes, push) =
            (at("/tasks/{task}/pushNotificationConfigs"), at("/tasks/{task}/pushNotificationConfigs/{config}"));
        routes
            .post(&at("/message:send"), call, v03::send)
            .post(&at("/message:stream"), call, v03::stream)
            // 0.3 has no list; without this route `v1` would match as a tenant.
            .any(&at("/tasks"), RouteAccess::Authenticated, unknown_page)
            .get(&at("/tasks/{task}"), read, v03::task_get)
            .post(&at("/tasks/{task}"), RouteAccess::ReadOrCall(agent_source), v03::task_post)
            .get(&pushes, read, v03::list_push)
            .post(&pushes, call, v03::create_push)
            .get(&push, read, v03::get_push)
            .delete(&push, call, v03::delete_push)
            .get(&at("/card"), read, v03::card)
    })
}

/// `/tasks` without an agent or a method of A2A.
async fn unknown_page(uri: Uri) -> axum::response::Response {
    reply::error(&no_such_page(&uri))
}
