//! HTTP+JSON: the operations as paths. Paths under `v1` are those of A2A 0.3.

mod asked;
mod query;
mod v03;
mod v1;

use crate::{app::Shared, reply};
use axum::{
    Router,
    routing::{any, get, post},
};
use std::sync::Arc;

/// Adds the paths of every place where an agent can be found.
pub(crate) fn mount(router: Router<Arc<Shared>>) -> Router<Arc<Shared>> {
    // The last two forms name the agent as a tenant; `v1` cannot be one.
    let router =
        ["/agents/{agent}", "/agents/{agent}/{tenant}", "", "/{tenant}"].iter().fold(router, |router, base| {
            router
                .route(&format!("{base}/message:send"), post(v1::send))
                .route(&format!("{base}/message:stream"), post(v1::stream))
                .route(&format!("{base}/tasks"), get(v1::list))
                .route(&format!("{base}/tasks/{{task}}"), get(v1::task_get).post(v1::task_post))
                .route(
                    &format!("{base}/tasks/{{task}}/pushNotificationConfigs"),
                    get(v1::list_push).post(v1::create_push),
                )
                .route(
                    &format!("{base}/tasks/{{task}}/pushNotificationConfigs/{{config}}"),
                    get(v1::get_push).delete(v1::delete_push),
                )
                .route(&format!("{base}/extendedAgentCard"), get(v1::extended_card))
        });
    // Where clients of 0.2 look for the extended card.
    let router = router
        .route("/agent/authenticatedExtendedCard", get(v03::card))
        .route("/agents/{agent}/agent/authenticatedExtendedCard", get(v03::card));
    ["/agents/{agent}/v1", "/v1"].iter().fold(router, |router, base| {
        router
            .route(&format!("{base}/message:send"), post(v03::send))
            .route(&format!("{base}/message:stream"), post(v03::stream))
            // 0.3 has no list; without this the path would be that of a tenant.
            .route(&format!("{base}/tasks"), any(reply::no_such_page))
            .route(&format!("{base}/tasks/{{task}}"), get(v03::task_get).post(v03::task_post))
            .route(
                &format!("{base}/tasks/{{task}}/pushNotificationConfigs"),
                get(v03::list_push).post(v03::create_push),
            )
            .route(
                &format!("{base}/tasks/{{task}}/pushNotificationConfigs/{{config}}"),
                get(v03::get_push).delete(v03::delete_push),
            )
            .route(&format!("{base}/card"), get(v03::card))
    })
}
