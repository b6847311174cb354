//! `/v1/responses` and what belongs to it, for clients that were written for OpenAI's.
//!
//! A response is one turn of a task: its id names the task and the event with which the turn began, so nothing has to be
//! kept beside the journal, and the same work is there over A2A. `baton-responses` says what requests mean and what turns
//! look like; here requests become commands of the engine, and events become replies.

mod asked;
mod cancel;
mod chat;
mod compact;
mod completions;
mod conversations;
mod create;
mod delete;
mod edge;
mod failed_reply;
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
mod unknown;
mod waiting;

pub(crate) use edge::EdgeLayer;
pub use guests::GuestPorts;
pub use options::ResponsesOptions;
pub(crate) use unknown::{no_such_method, no_such_path};

use crate::routes::{AgentPlace, RouteAccess, Routes};
use axum::response::Response;
use baton_wire::a2a::v1::Error;

/// Adds the paths, for all agents together and for each by itself.
pub(crate) fn mount(routes: Routes) -> Routes {
    let places = [("/v1", AgentPlace::Resource), ("/agents/{agent}/v1", AgentPlace::Path)];
    places.into_iter().fold(routes, |routes, (base, place)| {
        let at = |path: &str| format!("{base}{path}");
        let (read, call) = (RouteAccess::Read(place), RouteAccess::Call(place));
        routes
            .post(&at("/responses"), call, create::create)
            .get(&at("/responses"), call, socket::connect)
            .post(&at("/responses/compact"), call, compact::compact)
            .post(&at("/responses/input_tokens"), call, input_tokens::count)
            .get(&at("/responses/{response}"), read, show::show)
            .delete(&at("/responses/{response}"), call, delete::delete)
            .post(&at("/responses/{response}/cancel"), call, cancel::cancel)
            .get(&at("/responses/{response}/input_items"), read, input_items::list)
            .post(&at("/chat/completions"), call, chat::create)
            .post(&at("/completions"), call, completions::create)
            .get(&at("/models"), read, models::list)
            .get(&at("/models/{model}"), read, models::show)
            .post(&at("/conversations"), call, conversations::create)
            .get(&at("/conversations/{conversation}"), read, conversations::show)
            .post(&at("/conversations/{conversation}"), call, conversations::change)
            .delete(&at("/conversations/{conversation}"), call, conversations::delete)
            .get(&at("/conversations/{conversation}/items"), read, conversations::list_items)
            .post(&at("/conversations/{conversation}/items"), call, conversations::add_items)
            .get(&at("/conversations/{conversation}/items/{item}"), read, conversations::show_item)
            .delete(&at("/conversations/{conversation}/items/{item}"), call, conversations::delete_item)
    })
}

/// A refusal by those who answer before anything is read.
pub(crate) fn refused(error: &Error) -> Response {
    refused::reply_to(&refused::refusal(error))
}

/// Whether a path below the root or an agent is for OpenAI's clients, served or not: all below `v1` but those of A2A 0.3
/// and of exporters.
pub(crate) fn owns(place: &str) -> bool {
    match place.strip_prefix("v1/").map(|below| below.split('/').next().unwrap_or_default()) {
        Some("card" | "tasks" | "traces" | "logs" | "metrics") => false,
        Some(first) => !first.starts_with("message:"),
        None => place == "v1",
    }
}

/// The same of a whole path.
pub(crate) fn owns_path(path: &str) -> bool {
    match path.strip_prefix("/agents/") {
        Some(below) => below.split_once('/').is_some_and(|(_agent, place)| owns(place)),
        None => owns(path.trim_start_matches('/')),
    }
}
