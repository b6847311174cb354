//! Where a request goes on: a task that waits for it, a conversation, or a new one that begins with what was said before.

use super::{
    asked::Asked,
    conversations::{self, Joined, Place},
    refused::{from_engine, from_session},
    turn::{self, Turn},
    waiting,
};
use baton_engine::{ListTasks, SendCommand};
use baton_responses::{Create, Input, Last, Refusal, Turn as Said};
use baton_rules::{calls_in, results_part};
use baton_types::{
    AgentSpec, CallId, ContextId, Message, SessionEntry, TaskId, TaskState, Timestamp, ToolCall, ToolExecution,
    ToolResult,
};
use std::collections::HashSet;

/// A command, and what has to be known to find the turn that comes of it.
pub(super) struct Placed {
    pub(super) command: SendCommand,
    /// The last event of the task before it, when it goes on with one.
    pub(super) after: u64,
    /// The conversation that is told of the response.
    pub(super) joined: Option<Joined>,
    /// Whether nothing else is in the conversation, so that what may not be kept can be forgotten with it.
    pub(super) alone: bool,
}

/// What goes before the words of a request.
struct Before {
    context: Option<ContextId>,
    history: Vec<SessionEntry>,
    joined: Option<Joined>,
}

impl Placed {
    /// Reads where the request goes on.
    pub(super) async fn read(asked: &Asked, spec: &AgentSpec, mut create: Create) -> Result<Self, Refusal> {
        let input = std::mem::take(&mut create.input);
        create.note.hides_tools |= asked.hides_tools();
        create.note.model = create.model.clone().or(create.note.model.take());
        let now = asked.shared.engine.now();
        let (said, last) = split(input, &mut create, now)?;
        if let Some(previous) = create.previous.clone() {
            let turn = previous_turn(asked, &previous).await?;
            return after_turn(asked, spec, create, turn, (said, last)).await;
        }
        // An approval names its task, so that clients which keep no ids can give it with all that was said before.
        if let Some(approval) = last.approvals.first() {
            let task = approval.task.clone();
            return answering(asked, spec, create, task, last).await;
        }
        if let Some(resumption) = create.resumption.take()
            && let Some(turn) = waiting::find(asked, spec, &resumption).await?
        {
            let last = waiting::answer(asked, &turn, &resumption, last)?;
            return Ok(in_waiting_task(asked, spec, create, &turn, last));
        }
        match create.conversation.clone() {
            None => {
                let open = said.last().map(|entry| calls_in(&entry.message)).unwrap_or_default();
                check_results(&ids(&open), &last)?;
                Ok(begin(asked, spec, create, Before { context: None, history: said, joined: None }, last))
            }
            Some(conversation) => {
                let joined = conversations::join(asked, spec, &conversation, !said.is_empty()).await?;
                in_conversation(asked, spec, create, joined, said, last)
            }
        }
    }
}

/// What was said before, and what is to be answered.
fn split(input: Input, create: &mut Create, now: Timestamp) -> Result<(Vec<SessionEntry>, Last), Refusal> {
    let Input { history, last, system } = input;
    create.note.system.extend(system.iter().cloned());
    let mut said = Vec::with_capacity(history.len());
    for entry in history {
        match entry {
            Said::Said(message) => said.push(SessionEntry::new(now, message)),
            Said::Reference { id, param } => {
                let message = format!("there is no item '{id}' here; send the item itself");
                return Err(Refusal::invalid("item_not_found", &param, message));
            }
        }
    }
    Ok((said, last))
}

async fn previous_turn(asked: &Asked, previous: &str) -> Result<Turn, Refusal> {
    let turn = turn::find(asked, previous).await.map_err(|refused| match refused.status {
        404 => {
            let message = format!(
                "Previous response with id '{previous}' not found. Send the whole conversation as input instead."
            );
            Refusal::invalid("previous_response_not_found", "previous_response_id", message)
        }
        _ => refused,
    })?;
    if turn.end.is_some() {
        return Ok(turn);
    }
    let message = format!("response '{previous}' is in progress; wait for its end, or cancel it");
    Err(Refusal {
        status: 409,
        kind: "conflict",
        ..Refusal::invalid("response_in_progress", "previous_response_id", message)
    })
}

/// Goes on from a turn: in its task or its conversation when nothing came after it, else in a conversation that begins with
/// what was said until then.
async fn after_turn(
    asked: &Asked,
    spec: &AgentSpec,
    mut create: Create,
    turn: Turn,
    (said, last): (Vec<SessionEntry>, Last),
) -> Result<Placed, Refusal> {
    let Turn { view, note, end, .. } = &turn;
    // What was said by whoever set the conversation up holds in it.
    let mut system = note.system.clone();
    system.append(&mut create.note.system);
    create.note.system = system;
    let goes_on = said.is_empty() && view.agent == spec.name && is_newest(asked, &turn).await?;
    if goes_on && view.state == TaskState::InputRequired {
        check_answers(view.status_message.as_ref(), &last)?;
        let mut placed = begin(asked, spec, create, Before { context: None, history: Vec::new(), joined: None }, last);
        placed.command.message.task = Some(view.id.clone());
        placed.after = view.version;
        placed.alone = false;
        return Ok(placed);
    }
    let context = goes_on.then(|| view.context.clone());
    let history = match goes_on {
        true => Vec::new(),
        false => {
            let until = end.unwrap_or(view.version);
            let mut history =
                asked.shared.engine.said_until(asked.principal(), view, until).await.map_err(from_session)?;
            history.extend(said);
            history
        }
    };
    let mut open = history.last().map(|entry| calls_in(&entry.message)).unwrap_or_default();
    // What the agent ran itself has its result already, and goes along.
    let called: HashSet<&CallId> = open.iter().map(|call| &call.id).collect();
    let known: Vec<ToolResult> = turn.results.iter().filter(|result| called.contains(&result.call)).cloned().collect();
    let settled: HashSet<&CallId> = known.iter().map(|result| &result.call).collect();
    open.retain(|call| !settled.contains(&call.id));
    check_results(&ids(&open), &last)?;
    let mut placed = begin(asked, spec, create, Before { context, history, joined: None }, last);
    if !known.is_empty() {
        placed.command.message.parts.push(results_part(&known));
    }
    Ok(placed)
}

/// Goes on in a task that waits for leave to run a tool.
async fn answering(
    asked: &Asked,
    spec: &AgentSpec,
    create: Create,
    task: TaskId,
    last: Last,
) -> Result<Placed, Refusal> {
    let unknown = || {
        let message = "no approval request of that id waits for an answer; use the id of an mcp_approval_request item";
        Refusal::invalid("approval_request_not_found", "input", message)
    };
    if last.approvals.iter().any(|approval| approval.task != task) {
        return Err(unknown());
    }
    let turn = waiting::waiting_turn(asked, spec, &task).await.ok_or_else(unknown)?;
    Ok(in_waiting_task(asked, spec, create, &turn, last))
}

/// Goes on in a task that waits; what may not be kept of it is forgotten when it is over.
fn in_waiting_task(asked: &Asked, spec: &AgentSpec, create: Create, turn: &Turn, last: Last) -> Placed {
    let mut placed = begin(asked, spec, create, Before { context: None, history: Vec::new(), joined: None }, last);
    (placed.command.message.task, placed.after) = (Some(turn.view.id.clone()), turn.view.version);
    // The answer is to what was shown: a task that has moved on since takes it for nothing.
    placed.command.if_generation = Some(turn.view.generation);
    placed.alone = turn.note.unstored;
    placed
}

/// Whether nothing came after a turn in its conversation.
async fn is_newest(asked: &Asked, turn: &Turn) -> Result<bool, Refusal> {
    if turn.end != Some(turn.view.version) {
        return Ok(false);
    }
    let query = ListTasks {
        agent: Some(turn.view.agent.clone()),
        context: Some(turn.view.context.clone()),
        limit: 1,
        ..ListTasks::default()
    };
    let newest = asked.shared.engine.tasks(asked.principal(), &query).await.map_err(from_engine)?;
    Ok(newest.tasks.first().is_some_and(|task| task.id == turn.view.id))
}

/// Refuses words where results are due, and results of calls that nobody made.
fn check_answers(asking: Option<&Message>, last: &Last) -> Result<(), Refusal> {
    let open = asking.map(calls_in).unwrap_or_default();
    check_results(&ids(&open), last)
}

fn ids(calls: &[ToolCall]) -> Vec<String> {
    calls.iter().map(|call| call.id.to_string()).collect()
}

fn check_results(open: &[String], last: &Last) -> Result<(), Refusal> {
    let (due, given): (HashSet<_>, HashSet<_>) = (open.iter().collect(), last.results.iter().collect());
    if let Some(missing) = open.iter().find(|call| !given.contains(call)) {
        let message = format!("No tool output found for function call {missing}. Send a function_call_output for it.");
        return Err(Refusal::invalid("missing_tool_output", "input", message));
    }
    if let Some(unknown) = last.results.iter().find(|result| !due.contains(result)) {
        let message = format!("No tool call found for function call output with call_id {unknown}.");
        return Err(Refusal::invalid("unknown_tool_output", "input", message));
    }
    Ok(())
}

/// Goes on in a conversation that was made before.
fn in_conversation(
    asked: &Asked,
    spec: &AgentSpec,
    mut create: Create,
    mut joined: Joined,
    said: Vec<SessionEntry>,
    last: Last,
) -> Result<Placed, Refusal> {
    let mut system = std::mem::take(&mut joined.system);
    system.append(&mut create.note.system);
    create.note.system = system;
    joined.input = create.note.input.iter().filter_map(conversations::id_of).collect();
    let mut history = std::mem::take(&mut joined.history);
    history.extend(said);
    let (context, task) = match &joined.place {
        Place::Waiting { task, version, open } => {
            check_results(open, &last)?;
            (None, Some((task.clone(), *version)))
        }
        Place::Natural => (Some(joined.context.clone()), None),
        Place::Apart => (None, None),
    };
    let mut placed = begin(asked, spec, create, Before { context, history, joined: Some(joined) }, last);
    if let Some((task, version)) = task {
        (placed.command.message.task, placed.after) = (Some(task), version);
    }
    Ok(placed)
}

/// The command of a request that begins a task.
fn begin(asked: &Asked, spec: &AgentSpec, mut create: Create, before: Before, last: Last) -> Placed {
    let Before { context, history, joined } = before;
    let alone = context.is_none() && joined.is_none();
    let words: Vec<&str> = create
        .wishes
        .instructions
        .as_deref()
        .into_iter()
        .chain(create.note.system.iter().map(String::as_str))
        .collect();
    create.wishes.instructions = (!words.is_empty()).then(|| words.join("\n\n"));
    let mut message = last.message.unwrap_or_else(|| Message::new("".into(), baton_types::Role::User, Vec::new()));
    message.context = context;
    let mut command = SendCommand::new(spec.name.clone(), message);
    // Whatever the definition leaves to its callers: these callers bring functions of their own, and no others.
    command.tool_execution = Some(ToolExecution::Agent);
    command.wishes = Some(Box::new(create.noted()));
    command.history = history;
    command.trace = asked.trace();
    Placed { command, after: 0, joined, alone }
}
