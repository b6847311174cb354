//! `/v1/responses` and what belongs to it, for clients that were written for OpenAI's.
//!
//! A response is one turn of a task: its id names the task and the event with which the turn began, so nothing has to be
//! kept beside the journal, and the same work is there over A2A. `baton-responses` says what requests mean and what turns
//! look like; here requests become commands of the engine, and events become replies.

mod asked;
mod cancel;
mod chat;
mod compact;
mod conversations;
mod create;
mod delete;
mod guests;
mod input_items;
mod input_tokens;
mod models;
mod options;
mod place;
mod references;
mod refused;
mod show;
mod socket;
mod stream;
mod turn;

pub use guests::GuestPorts;
pub use options::ResponsesOptions;

use crate::app::Shared;
use axum::{
    Router,
    response::Response,
    routing::{get, post},
};
use baton_wire::a2a::v1::Error;
use std::sync::Arc;

/// Adds the paths, for all agents together and for each by itself.
pub(crate) fn mount(router: Router<Arc<Shared>>) -> Router<Arc<Shared>> {
    ["/v1", "/agents/{agent}/v1"].iter().fold(router, |router, base| {
        let at = |path: &str| format!("{base}{path}");
        router
            .route(&at("/responses"), post(create::create).get(socket::connect))
            .route(&at("/responses/compact"), post(compact::compact))
            .route(&at("/responses/input_tokens"), post(input_tokens::count))
            .route(&at("/responses/{response}"), get(show::show).delete(delete::delete))
            .route(&at("/responses/{response}/cancel"), post(cancel::cancel))
            .route(&at("/responses/{response}/input_items"), get(input_items::list))
            .route(&at("/chat/completions"), post(chat::create))
            .route(&at("/models"), get(models::list))
            .route(&at("/models/{model}"), get(models::show))
            .route(&at("/conversations"), post(conversations::create))
            .route(
                &at("/conversations/{conversation}"),
                get(conversations::show).post(conversations::change).delete(conversations::delete),
            )
            .route(
                &at("/conversations/{conversation}/items"),
                get(conversations::list_items).post(conversations::add_items),
            )
            .route(
                &at("/conversations/{conversation}/items/{item}"),
                get(conversations::show_item).delete(conversations::delete_item),
            )
    })
}

/// A refusal by those who answer before anything is read.
pub(crate) fn refused(error: &Error) -> Response {
    refused::reply_to(&refused::refusal(error))
}

/// Whether a path is one of these, for those who have to answer before anything is read.
pub(crate) fn owns(place: &str) -> bool {
    let first = place.strip_prefix("v1/").and_then(|below| below.split('/').next());
    matches!(first, Some("responses" | "chat" | "models" | "conversations"))
}
