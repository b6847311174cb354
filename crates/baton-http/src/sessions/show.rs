//! `GET /api/v1/sessions/{context}?agent=`.

use super::{Asked, Named, OfAgent, asked, file, found, items, named, summary_of};
use crate::{app::Shared, auth::Caller, reply};
use axum::{extract::State, response::Response};
use baton_rules::Access;
use baton_wire::api::{SessionDetails, SessionSettings};
use std::sync::Arc;

/// Returns a session with its messages.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    path: Named,
    query: Asked<OfAgent>,
) -> Response {
    let shown = async {
        let wanted = named(&shared, &caller, path, asked(query)?.agent)?;
        found(&shared, &caller, Access::Read, &wanted).await
    };
    match shown.await {
        Ok(view) => {
            let record = view.record.as_ref();
            reply::json(&SessionDetails {
                session: summary_of(&view),
                settings: record.map(|record| SessionSettings::from(&record.settings)).unwrap_or_default(),
                included: record.map(|record| items(&record.included)).unwrap_or_default(),
                excluded: record.map(|record| items(&record.excluded)).unwrap_or_default(),
                messages: view.lines.iter().map(file::message).collect(),
            })
        }
        Err(error) => reply::rest_error(&error),
    }
}
