//! Resolves the point that a request continues from: a waiting task, a conversation, or a new context with the given
//! history.

use super::{
    conversations::{self, ContinuationPoint, ConversationContinuation},
    error::{from_engine, from_session},
    request::ResponsesRequest,
    turn::{self, ResponseTurn},
    waiting_run,
};
use baton_engine::{ListTasks, SendCommand};
use baton_responses::{CreateResponse, CurrentInput, HistoryEntry as Said, OpenAiError, ParsedInput};
use baton_rules::{parse_tool_calls, results_part};
use baton_types::{
    AgentSpec, CallId, ContextId, Message, SessionEntry, TaskId, TaskState, Timestamp, ToolCall, ToolExecution,
    ToolResult,
};
use std::collections::HashSet;

/// A command and the data needed to find the resulting turn.
pub(super) struct TurnCommand {
    pub(super) command: SendCommand,
    /// Last event of the continued task before the command; 0 for a new task.
    pub(super) after: u64,
    /// Conversation that records the response.
    pub(super) continuation: Option<ConversationContinuation>,
    /// Whether the context contains nothing else, so that an unstored response is deleted with it.
    pub(super) owns_context: bool,
}

/// Context and history before the message of a request.
struct PriorContext {
    context: Option<ContextId>,
    history: Vec<SessionEntry>,
    continuation: Option<ConversationContinuation>,
}

impl TurnCommand {
    /// Resolves the point that the request continues from.
    pub(super) async fn read(
        request: &ResponsesRequest,
        spec: &AgentSpec,
        mut create: CreateResponse,
    ) -> Result<Self, OpenAiError> {
        let input = std::mem::take(&mut create.input);
        create.record.hides_tools |= request.hides_tools();
        create.record.model = create.model.clone().or(create.record.model.take());
        let now = request.shared.engine.now();
        let (entries, last) = split_input(input, &mut create, now)?;
        if let Some(previous) = create.previous.clone() {
            let turn = previous_turn(request, &previous).await?;
            return continue_turn(request, spec, create, turn, (entries, last)).await;
        }
        // An approval names its task, so that clients without stored ids can send it together with the whole history.
        if let Some(approval) = last.approvals.first() {
            let task = approval.task.clone();
            return answer_approval(request, spec, create, task, last).await;
        }
        if let Some(resumption) = create.resumption.take()
            && let Some(turn) = waiting_run::find_waiting_turn(request, spec, &resumption).await?
        {
            let last = waiting_run::answer(request, &turn, &resumption, last)?;
            return Ok(continue_waiting_task(request, spec, create, &turn, last));
        }
        match create.conversation.clone() {
            None => {
                let open = entries.last().map(|entry| parse_tool_calls(&entry.message)).unwrap_or_default();
                check_results(&ids(&open), &last)?;
                Ok(new_command(
                    request,
                    spec,
                    create,
                    PriorContext { context: None, history: entries, continuation: None },
                    last,
                ))
            }
            Some(conversation) => {
                let joined =
                    conversations::continue_conversation(request, spec, &conversation, !entries.is_empty()).await?;
                continue_conversation(request, spec, create, joined, entries, last)
            }
        }
    }
}

/// Splits the input into history and the message to answer.
fn split_input(
    input: ParsedInput,
    create: &mut CreateResponse,
    now: Timestamp,
) -> Result<(Vec<SessionEntry>, CurrentInput), OpenAiError> {
    let ParsedInput { history, current: last, system } = input;
    create.record.system.extend(system.iter().cloned());
    let mut entries = Vec::with_capacity(history.len());
    for entry in history {
        match entry {
            Said::Message(message) => entries.push(SessionEntry::new(now, message)),
            Said::Reference { id, param } => {
                let message = format!("there is no item '{id}' here; send the item itself");
                return Err(OpenAiError::invalid("item_not_found", &param, message));
            }
        }
    }
    Ok((entries, last))
}

async fn previous_turn(request: &ResponsesRequest, previous: &str) -> Result<ResponseTurn, OpenAiError> {
    let turn = turn::find(request, previous).await.map_err(|refused| match refused.status {
        404 => {
            let message = format!(
                "Previous response with id '{previous}' not found. Send the whole conversation as input instead."
            );
            OpenAiError::invalid("previous_response_not_found", "previous_response_id", message)
        }
        _ => refused,
    })?;
    if turn.end.is_some() {
        return Ok(turn);
    }
    let message = format!("response '{previous}' is in progress; wait for its end, or cancel it");
    Err(OpenAiError {
        status: 409,
        kind: "conflict",
        ..OpenAiError::invalid("response_in_progress", "previous_response_id", message)
    })
}

/// Continues from a turn: in its task or context if it is the latest, otherwise in a new context with the history up to
/// the turn.
async fn continue_turn(
    request: &ResponsesRequest,
    spec: &AgentSpec,
    mut create: CreateResponse,
    turn: ResponseTurn,
    (entries, last): (Vec<SessionEntry>, CurrentInput),
) -> Result<TurnCommand, OpenAiError> {
    let ResponseTurn { view, note, end, .. } = &turn;
    // System messages of the conversation stay in effect.
    let mut system = note.system.clone();
    system.append(&mut create.record.system);
    create.record.system = system;
    let goes_on = entries.is_empty() && view.agent == spec.name && is_newest(request, &turn).await?;
    if goes_on && view.state == TaskState::InputRequired {
        check_answers(view.status_message.as_ref(), &last)?;
        let mut placed = new_command(
            request,
            spec,
            create,
            PriorContext { context: None, history: Vec::new(), continuation: None },
            last,
        );
        placed.command.message.task = Some(view.id.clone());
        placed.after = view.version;
        placed.owns_context = false;
        return Ok(placed);
    }
    let context = goes_on.then(|| view.context.clone());
    let history = match goes_on {
        true => Vec::new(),
        false => {
            let until = end.unwrap_or(view.version);
            let mut history =
                request.shared.engine.history_until(request.principal(), view, until).await.map_err(from_session)?;
            history.extend(entries);
            history
        }
    };
    let mut open = history.last().map(|entry| parse_tool_calls(&entry.message)).unwrap_or_default();
    // Calls that the agent ran already have results, which are sent along.
    let called: HashSet<&CallId> = open.iter().map(|call| &call.id).collect();
    let known: Vec<ToolResult> = turn.results.iter().filter(|result| called.contains(&result.call)).cloned().collect();
    let settled: HashSet<&CallId> = known.iter().map(|result| &result.call).collect();
    open.retain(|call| !settled.contains(&call.id));
    check_results(&ids(&open), &last)?;
    let mut placed = new_command(request, spec, create, PriorContext { context, history, continuation: None }, last);
    if !known.is_empty() {
        placed.command.message.parts.push(results_part(&known));
    }
    Ok(placed)
}

/// Continues a task that waits for an approval.
async fn answer_approval(
    request: &ResponsesRequest,
    spec: &AgentSpec,
    create: CreateResponse,
    task: TaskId,
    last: CurrentInput,
) -> Result<TurnCommand, OpenAiError> {
    let unknown = || {
        let message = "no approval request with that id is pending; use the id of an mcp_approval_request item";
        OpenAiError::invalid("approval_request_not_found", "input", message)
    };
    if last.approvals.iter().any(|approval| approval.task != task) {
        return Err(unknown());
    }
    let turn = waiting_run::waiting_turn(request, spec, &task).await.ok_or_else(unknown)?;
    Ok(continue_waiting_task(request, spec, create, &turn, last))
}

/// Continues a waiting task; if it is not stored, it is deleted when it ends.
fn continue_waiting_task(
    request: &ResponsesRequest,
    spec: &AgentSpec,
    create: CreateResponse,
    turn: &ResponseTurn,
    last: CurrentInput,
) -> TurnCommand {
    let mut placed = new_command(
        request,
        spec,
        create,
        PriorContext { context: None, history: Vec::new(), continuation: None },
        last,
    );
    (placed.command.message.task, placed.after) = (Some(turn.view.id.clone()), turn.view.version);
    // The answer applies to the state that was shown; a task that has changed since rejects it.
    placed.command.if_generation = Some(turn.view.generation);
    placed.owns_context = turn.note.unstored;
    placed
}

/// Whether the turn is the latest of its context.
async fn is_newest(request: &ResponsesRequest, turn: &ResponseTurn) -> Result<bool, OpenAiError> {
    if turn.end != Some(turn.view.version) {
        return Ok(false);
    }
    let query = ListTasks {
        agent: Some(turn.view.agent.clone()),
        context: Some(turn.view.context.clone()),
        limit: 1,
        ..ListTasks::default()
    };
    let newest = request.shared.engine.tasks(request.principal(), &query).await.map_err(from_engine)?;
    Ok(newest.tasks.first().is_some_and(|task| task.id == turn.view.id))
}

/// Rejects a message without the pending tool results, and results of unknown calls.
fn check_answers(question: Option<&Message>, last: &CurrentInput) -> Result<(), OpenAiError> {
    let open = question.map(parse_tool_calls).unwrap_or_default();
    check_results(&ids(&open), last)
}

fn ids(calls: &[ToolCall]) -> Vec<String> {
    calls.iter().map(|call| call.id.to_string()).collect()
}

fn check_results(open: &[String], last: &CurrentInput) -> Result<(), OpenAiError> {
    let (due, results): (HashSet<_>, HashSet<_>) = (open.iter().collect(), last.results.iter().collect());
    if let Some(missing) = open.iter().find(|call| !results.contains(call)) {
        let message = format!("No tool output found for function call {missing}. Send a function_call_output for it.");
        return Err(OpenAiError::invalid("missing_tool_output", "input", message));
    }
    if let Some(unknown) = last.results.iter().find(|result| !due.contains(result)) {
        let message = format!("No tool call found for function call output with call_id {unknown}.");
        return Err(OpenAiError::invalid("unknown_tool_output", "input", message));
    }
    Ok(())
}

/// Continues an existing conversation.
fn continue_conversation(
    request: &ResponsesRequest,
    spec: &AgentSpec,
    mut create: CreateResponse,
    mut joined: ConversationContinuation,
    entries: Vec<SessionEntry>,
    last: CurrentInput,
) -> Result<TurnCommand, OpenAiError> {
    let mut system = std::mem::take(&mut joined.system);
    system.append(&mut create.record.system);
    create.record.system = system;
    joined.input = create.record.input.iter().filter_map(conversations::id_of).collect();
    let mut history = std::mem::take(&mut joined.history);
    history.extend(entries);
    let (context, task) = match &joined.point {
        ContinuationPoint::Waiting { task, version, open } => {
            check_results(open, &last)?;
            (None, Some((task.clone(), *version)))
        }
        ContinuationPoint::SameContext => (Some(joined.context.clone()), None),
        ContinuationPoint::SeparateContext => (None, None),
    };
    let mut placed =
        new_command(request, spec, create, PriorContext { context, history, continuation: Some(joined) }, last);
    if let Some((task, version)) = task {
        (placed.command.message.task, placed.after) = (Some(task), version);
    }
    Ok(placed)
}

/// Builds the command that starts a task.
fn new_command(
    request: &ResponsesRequest,
    spec: &AgentSpec,
    mut create: CreateResponse,
    before: PriorContext,
    last: CurrentInput,
) -> TurnCommand {
    let PriorContext { context, history, continuation: joined } = before;
    let alone = context.is_none() && joined.is_none();
    let instructions: Vec<&str> = create
        .run_options
        .instructions
        .as_deref()
        .into_iter()
        .chain(create.record.system.iter().map(String::as_str))
        .collect();
    create.run_options.instructions = (!instructions.is_empty()).then(|| instructions.join("\n\n"));
    let mut message = last.message.unwrap_or_else(|| Message::new("".into(), baton_types::Role::User, Vec::new()));
    message.context = context;
    let mut command = SendCommand::new(spec.name.clone(), message);
    // Overrides the agent's setting: callers of this API execute only the functions that they define in the request.
    command.tool_execution = Some(ToolExecution::Agent);
    command.run_options = Some(Box::new(create.run_options()));
    command.history = history;
    command.trace = request.trace();
    TurnCommand { command, after: 0, continuation: joined, owns_context: alone }
}
