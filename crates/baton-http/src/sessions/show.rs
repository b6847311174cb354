//! `GET /api/v1/sessions/{context}?agent=`.

use super::{
    SessionAgentQuery, SessionPath, SessionQuery, file, items, load_session, read_query, read_session_ref, summary_of,
};
use crate::{app::HttpState, auth::Caller, reply};
use axum::{extract::State, response::Response};
use baton_api::{SessionDetails, SessionSettingsBody};
use baton_rules::Access;
use std::sync::Arc;

/// Returns a session with its messages.
pub(crate) async fn show(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    path: SessionPath,
    query: SessionQuery<SessionAgentQuery>,
) -> Response {
    let shown = async {
        let session_ref = read_session_ref(&shared, &caller, path, read_query(query)?.agent)?;
        load_session(&shared, &caller, Access::Read, &session_ref).await
    };
    match shown.await {
        Ok(view) => {
            let record = view.record.as_ref();
            reply::json(&SessionDetails {
                session: summary_of(&view),
                settings: record.map(|record| SessionSettingsBody::from(&record.settings)).unwrap_or_default(),
                included: record.map(|record| items(&record.included)).unwrap_or_default(),
                excluded: record.map(|record| items(&record.excluded)).unwrap_or_default(),
                messages: view.lines.iter().map(file::message).collect(),
            })
        }
        Err(error) => reply::rest_error(&error),
    }
}
