//! Resolves item references in requests.

use super::{
    error::{from_engine, from_error},
    request::ResponsesRequest,
    turn::{self, project, task_events},
};
use crate::error_codes;
use baton_engine::{EngineError, TaskRef};
use baton_http::body::BodyShare;
use baton_responses::{OpenAiError, ResponseId, task_of_item};
use baton_types::{Json, StreamId, TaskEvent, TaskId};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

/// Type of a reference item.
const ITEM_REFERENCE_TYPE: &str = "item_reference";

/// Maximum number of different items that a request can reference; each is read from the journal.
const MAX_REFERENCED_ITEMS: usize = 1024;

#[derive(Deserialize)]
struct ItemHead<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
}

/// Request body with references replaced by the items; `None` if there are no references. The size of the result is
/// checked against the body limits before anything is copied. An unparsable body is left to the parser of the request.
pub(super) async fn resolve_references(
    request: &ResponsesRequest,
    body: &[u8],
    share: &mut BodyShare,
) -> Result<Option<Vec<u8>>, OpenAiError> {
    if !body.windows(ITEM_REFERENCE_TYPE.len()).any(|window| window == ITEM_REFERENCE_TYPE.as_bytes()) {
        return Ok(None);
    }
    let Ok(mut members) = serde_json::from_slice::<BTreeMap<Cow<'_, str>, &RawValue>>(body) else { return Ok(None) };
    let Some(input) = members.remove("input") else { return Ok(None) };
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(input.get()) else { return Ok(None) };
    let mut finder = ItemFinder::new(request);
    let mut total = body.len();
    // Resolved items by the index of their reference.
    let mut found: HashMap<usize, Json> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let Ok(ItemHead { kind: Some(kind), id: Some(id) }) = serde_json::from_str(item.get()) else { continue };
        if kind != ITEM_REFERENCE_TYPE {
            continue;
        }
        let param = format!("input[{index}].id");
        let Some(item) = finder.find(&id, &param).await? else {
            let message = format!("there is no item '{id}' here; send the item itself");
            return Err(OpenAiError::invalid("item_not_found", &param, message));
        };
        total = total.saturating_add(item.as_str().len());
        request
            .shared
            .http
            .bodies
            .check_size(total)
            .map_err(|error| OpenAiError { param: Some(param), ..from_error(&error) })?;
        share.grow(total).map_err(|error| from_error(&error))?;
        found.insert(index, item);
    }
    if found.is_empty() {
        return Ok(None);
    }
    let mut written = Vec::with_capacity(total);
    written.extend_from_slice(b"{\"input\":[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            written.push(b',');
        }
        written.extend_from_slice(found.get(&index).map_or(item.get(), Json::as_str).as_bytes());
    }
    written.push(b']');
    for (name, value) in &members {
        written.push(b',');
        // A parsed member name can always be serialized.
        serde_json::to_writer(&mut written, name).unwrap_or_default();
        written.push(b':');
        written.extend_from_slice(value.get().as_bytes());
    }
    written.push(b'}');
    Ok(Some(written))
}

/// Finds items of responses that the caller has access to, each once.
struct ItemFinder<'a> {
    request: &'a ResponsesRequest,
    found: HashMap<String, Json>,
    /// The task that was read last: items of one task are usually adjacent.
    task: Option<TaskItems>,
}

/// Items of all turns of a task, each with its response id.
struct TaskItems {
    task: TaskId,
    items: HashMap<String, (Json, String)>,
    /// Cached access checks by response id.
    visible: HashMap<String, bool>,
}

impl<'a> ItemFinder<'a> {
    fn new(request: &'a ResponsesRequest) -> Self {
        Self { request, found: HashMap::new(), task: None }
    }

    async fn find(&mut self, id: &str, param: &str) -> Result<Option<Json>, OpenAiError> {
        if let Some(item) = self.found.get(id) {
            return Ok(Some(item.clone()));
        }
        if self.found.len() >= MAX_REFERENCED_ITEMS {
            let message = format!(
                "A request can reference {MAX_REFERENCED_ITEMS} different items; send the others in full, or continue \
                 with previous_response_id or a conversation."
            );
            return Err(OpenAiError::invalid("array_above_max_length", param, message));
        }
        let Some(task) = task_of_item(id) else { return Ok(None) };
        if self.task.as_ref().is_none_or(|known| known.task != task) {
            self.task = Some(TaskItems::read(self.request, task).await?);
        }
        let Some(known) = &mut self.task else { return Ok(None) };
        let Some((item, response)) = known.items.get(id) else { return Ok(None) };
        let visible = match known.visible.get(response) {
            Some(visible) => *visible,
            // Existence and access are checked in one place for all operations.
            None => match turn::find(self.request, response).await {
                Ok(_) => true,
                Err(refused) if refused.status == 404 => false,
                Err(refused) => return Err(refused),
            },
        };
        known.visible.insert(response.clone(), visible);
        if !visible {
            return Ok(None);
        }
        self.found.insert(id.to_owned(), item.clone());
        Ok(Some(item.clone()))
    }
}

impl TaskItems {
    async fn read(request: &ResponsesRequest, task: TaskId) -> Result<Self, OpenAiError> {
        let mut known = Self { task: task.clone(), items: HashMap::new(), visible: HashMap::new() };
        let named = TaskRef { task: task.clone(), agent: None };
        let (view, events) = match request.shared.engine.task_with_events(request.principal(), &named).await {
            Ok(found) => found,
            Err(EngineError::TaskNotFound(task)) => {
                request.caller.audit_not_found(
                    &request.shared.http,
                    StreamId::Task(task),
                    error_codes::RESPONSE_NOT_FOUND,
                );
                return Ok(known);
            }
            Err(error) => return Err(from_engine(error)),
        };
        let first = ResponseId::first(task.clone());
        let option_events = task_events(&events).filter(|(.., event)| matches!(event, TaskEvent::RunOptionsSet { .. }));
        let mut turns: Vec<ResponseId> =
            option_events.map(|(at, ..)| ResponseId { task: task.clone(), event_number: at }).collect();
        if !turns.contains(&first) {
            turns.push(first);
        }
        for turn in turns {
            let response = turn.to_string();
            let Some(turn) = project(turn, view.clone(), &events) else { continue };
            for item in &turn.projector.response().output {
                let Ok(json) = Json::from_serializable(item) else { continue };
                known.items.entry(item.id().to_owned()).or_insert((json, response.clone()));
            }
        }
        Ok(known)
    }
}
