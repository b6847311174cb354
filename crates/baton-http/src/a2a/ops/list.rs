//! `ListTasks`: a page of the agent's tasks, newest status first.

use super::{
    super::{extensions::Active, presentation::PresentationPolicy},
    ShownTasks,
};
use crate::a2a::call::Call;
use baton_engine::ListTasks;
use baton_ports::PageCursor;
use baton_types::{ContextId, Timestamp};
use baton_wire::{
    FieldViolation,
    a2a::v1::{ArtifactChoice, Error, ListTasksRequest, TaskState},
};
use std::borrow::Cow;

/// Longest task id in a page token.
const MAX_TASK_ID: usize = 512;

pub(in super::super) async fn list(call: &Call<'_>, request: ListTasksRequest<'static>) -> Result<ShownTasks, Error> {
    call.check_tenant(request.tenant.as_deref())?;
    let (page_size, history) = request.check()?;
    let after = match request.page_token.as_deref() {
        None | Some("") => None,
        Some(token) => Some(read_token(token)?),
    };
    call.spec()?;
    let query = ListTasks {
        agent: Some(call.agent.clone()),
        context: request.context_id.filter(|id| !id.is_empty()).map(|id| ContextId::from(id.into_owned())),
        state: request.status.and_then(TaskState::known),
        status_after: request.status_timestamp_after,
        after,
        limit: page_size as usize,
    };
    let page = call.shared.engine.tasks(call.principal(), &query).await.map_err(|error| call.refuse(error))?;
    let artifacts = match request.include_artifacts {
        Some(true) => ArtifactChoice::Include,
        _ => ArtifactChoice::Omit,
    };
    let active = Active::of(call);
    Ok(ShownTasks {
        views: page.tasks,
        history,
        artifacts,
        next: page.next,
        page_size,
        total: page.total,
        policy: PresentationPolicy::new(call, &active),
        active,
    })
}

pub(super) fn write_token(cursor: &PageCursor) -> Cow<'static, str> {
    Cow::Owned(format!("{}.{}", cursor.status_at.as_millis(), cursor.id))
}

/// Only what [`write_token`] writes: anything else would look like a page after the last.
fn read_token(token: &str) -> Result<PageCursor, Error> {
    let parsed = token.split_once('.').and_then(|(millis, id)| {
        let cursor = PageCursor { status_at: Timestamp::from_millis(millis.parse().ok()?), id: id.to_owned() };
        (is_task_id(id) && write_token(&cursor) == token).then_some(cursor)
    });
    parsed.ok_or_else(|| {
        let description = "must be the nextPageToken of an earlier page".to_owned();
        Error::invalid_params(FieldViolation { field: "pageToken".to_owned(), description }.into())
    })
}

/// Task ids are Baton's own, so their letters are known.
fn is_task_id(id: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=MAX_TASK_ID).contains(&id.len()) && id.bytes().all(letters)
}
