//! `baton approvals answer`: shows a pending approval and answers it.

use super::{list::fetch_pending, show::lines};
use crate::{
    commands::{
        connection_options::ConnectionOptions,
        run::{answer_commands, watch},
    },
    config::ConfigOverrides,
    connect::{BatonConnection, client_failure},
    error_codes,
    failure::{CliError, Exit},
    form::{AnswerKind, ApprovalDetails, InputForm, InputQuestion, InputReply, is_interactive},
    screen::{Screen, one_line},
};
use baton_api::{
    AnswerApproval, AnsweredApproval, ApprovalAnswer, ApprovalDecision, ApprovalEntry, ApprovalKind, ApprovalQuestion,
};
use baton_client::ClientError;
use baton_server::now;
use baton_types::{AnswerAction, ErrorCode, Json, Timestamp};
use baton_wire::a2a::v1::TaskState;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::{path::PathBuf, time::Duration};

/// Number and interval of the polls that wait until the root task of the chain resumes.
const MAX_RESUME_POLLS: usize = 100;
const RESUME_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Options of `baton approvals answer`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton approvals answer 0199.../call-1 allow
  baton approvals answer 0199.../call-1 deny
  baton approvals answer 0199.../call-2 --content '{\"size\": 42}'     fill in a form
  baton approvals answer 0199.../call-3 --text \"Next Tuesday\"        answer a question
  baton approvals answer 0199.../call-1                              decide on the terminal

The call is shown with its full arguments, and the answer applies to exactly these: if they have
changed when it arrives, it is rejected. An approval that was already answered is rejected with
BTN-2022, and nothing runs twice. If a server runs, the command returns as soon as the answer is
saved; with --wait it returns when the task ends or asks again.")]
pub(super) struct ApprovalAnswerOptions {
    /// Approval id from `baton approvals list`, or a task id if the task has one pending approval
    id: String,
    /// Allow the call once, allow the tool for this session, or deny the call
    decision: Option<DecisionArgument>,
    #[command(flatten)]
    connection: ConnectionOptions,
    /// Agent directories to use when no server runs [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
    /// Reject the answer unless the arguments have this digest [default: the digest of the arguments shown]
    #[arg(long, value_name = "SHA256")]
    digest: Option<String>,
    /// Values for a form, as a JSON object
    #[arg(long, value_name = "JSON")]
    content: Option<String>,
    /// Answer to a question
    #[arg(long, value_name = "WORDS")]
    text: Option<String>,
    /// Wait until the task ends or asks again; always on when no server runs
    #[arg(long)]
    wait: bool,
}

// Variants have no doc comments, which keeps the help short.
/// Decision about a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DecisionArgument {
    Allow,
    Always,
    Deny,
}

/// Answers the approval.
pub(super) async fn run(options: ApprovalAnswerOptions, screen: Screen) -> Result<Exit, CliError> {
    let ConnectionOptions { server, token, data, config } = options.connection.clone();
    let session = match server {
        Some(url) => BatonConnection::connect(&url, token.as_deref())?,
        None => {
            let chosen = ConfigOverrides { config, data, agents: options.agents.clone(), ..ConfigOverrides::default() };
            BatonConnection::find(&chosen.resolve()?, token.as_deref(), screen).await?
        }
    };
    let ended = answer(&session, &options, screen).await;
    session.close().await;
    ended
}

async fn answer(session: &BatonConnection, options: &ApprovalAnswerOptions, screen: Screen) -> Result<Exit, CliError> {
    let id = resolve_id(session, &options.id).await?;
    let entry = session.client.approval(&id).await.map_err(client_failure)?;
    if !screen.is_json() {
        for line in lines(&entry, usize::MAX, now(), screen.stderr_paint()) {
            screen.print_stderr(&line);
        }
    }
    let Some(answer) = collect_answer(&entry, options, screen).await? else { return Ok(Exit::Interrupted) };
    let waits = options.wait || session.url.is_none();
    let since = if waits { root_status(session, &entry).await } else { None };
    let answered = session.client.answer_approval(&id, &answer).await.map_err(answer_failure)?;
    print_confirmation(&entry, &answer, &answered, screen);
    if waits {
        return follow_resumed_task(session, &entry, since, screen).await;
    }
    if screen.is_json() {
        screen.print(&json!(answered).to_string());
    }
    Ok(Exit::Ok)
}

/// Resolves an id. A task id is accepted if the task, with its handoffs, has exactly one pending approval.
async fn resolve_id(session: &BatonConnection, id: &str) -> Result<String, CliError> {
    if id.contains('/') {
        return Ok(id.to_owned());
    }
    let mut open = fetch_pending(session, None).await?.approvals;
    open.retain(|entry| entry.task_id == id || entry.root_task_id == id);
    match open.as_slice() {
        [] => {
            let message = format!("task '{}' has no pending approval", one_line(id, 120));
            Err(CliError::new(ErrorCode::APPROVAL_NOT_FOUND, message))
        }
        [one] => Ok(one.id.clone()),
        several => {
            let message = format!("task {} has several pending approvals", one_line(id, 120));
            let hint = format!("Answer one of them by its id:\n    {}", answer_commands(several).join("\n    "));
            Err(CliError::new(error_codes::USAGE, message).hint(hint))
        }
    }
}

/// Converts a client error; an invalid answer gets a hint.
fn answer_failure(error: ClientError) -> CliError {
    let unfit = matches!(&error, ClientError::Refused(refusal)
        if refusal.baton_code.as_deref() == Some(error_codes::ANSWER_INVALID.code));
    let refused = client_failure(error);
    match unfit {
        true => refused.hint(
            "Show it with `baton approvals list`. Answer a call with allow, always or deny, a form with --content, a \
             question with --text.",
        ),
        false => refused,
    }
}

/// Answer from the command line or the terminal; `None` if the terminal was closed.
async fn collect_answer(
    entry: &ApprovalEntry,
    options: &ApprovalAnswerOptions,
    screen: Screen,
) -> Result<Option<AnswerApproval>, CliError> {
    let usage = |message: String| CliError::new(error_codes::USAGE, message);
    let content = options.content.as_deref().map(Json::parse).transpose();
    let content = content.map_err(|error| usage(format!("--content: {error}")))?;
    let answer =
        AnswerApproval { digest: options.digest.clone().or(entry.digest.clone()), ..AnswerApproval::default() };
    let decision = options.decision.map(|decision| match decision {
        DecisionArgument::Allow => ApprovalDecision::AllowOnce,
        DecisionArgument::Always => ApprovalDecision::AllowSession,
        DecisionArgument::Deny => ApprovalDecision::Deny,
    });
    let has_answer = decision.is_some() || content.is_some() || options.text.is_some();
    match (has_answer, entry.further_questions.is_empty()) {
        (true, true) => {
            let text = options.text.clone();
            return Ok(Some(AnswerApproval { decision, content, text, ..answer }));
        }
        (true, false) if options.decision == Some(DecisionArgument::Deny) => {
            let no = |question: &ApprovalQuestion| ApprovalAnswer {
                key: question.key.clone().unwrap_or_default(),
                decision,
                ..ApprovalAnswer::default()
            };
            let answers = questions(entry).iter().map(no).collect();
            return Ok(Some(AnswerApproval { answers, ..answer }));
        }
        _ if !is_interactive(screen) => {
            let how = answer_commands(std::slice::from_ref(entry));
            return Err(usage("no answer given".to_owned()).hint(format!("Answer with: {}", how.concat())));
        }
        _ => {}
    }
    let mut answers = Vec::new();
    for question in questions(entry) {
        let input = InputQuestion { message: question.message.clone(), answer_kind: question_input(&question) };
        let reply = input.ask(&[], screen).await.map_err(|unfit| usage(unfit.0))?;
        if reply.action == AnswerAction::Cancel {
            return Ok(None);
        }
        answers.push(answer_from_reply(&question, reply));
    }
    Ok(Some(match (answers.pop(), answers.is_empty()) {
        (Some(ApprovalAnswer { decision, content, text, .. }), true) => {
            AnswerApproval { decision, content, text, ..answer }
        }
        (last, _) => AnswerApproval { answers: answers.into_iter().chain(last).collect(), ..answer },
    }))
}

/// All questions of the call.
fn questions(entry: &ApprovalEntry) -> Vec<ApprovalQuestion> {
    let first = ApprovalQuestion {
        key: entry.key.clone(),
        kind: entry.kind,
        message: entry.message.clone(),
        schema: entry.schema.clone(),
        url: entry.url.clone(),
    };
    std::iter::once(first).chain(entry.further_questions.iter().cloned()).collect()
}

fn question_input(question: &ApprovalQuestion) -> AnswerKind {
    match (question.kind, &question.schema, &question.url) {
        (ApprovalKind::Form, Some(schema), _) => AnswerKind::Form(InputForm::from_schema(schema)),
        (ApprovalKind::Visit, _, Some(url)) => AnswerKind::Visit(url.clone()),
        (ApprovalKind::Approval, ..) => {
            AnswerKind::Approval(ApprovalDetails { for_session: true, ..ApprovalDetails::default() })
        }
        _ => AnswerKind::Text,
    }
}

fn answer_from_reply(question: &ApprovalQuestion, reply: InputReply) -> ApprovalAnswer {
    let key = question.key.clone().unwrap_or_default();
    let decision = match reply.action {
        AnswerAction::Accept => ApprovalDecision::AllowOnce,
        AnswerAction::AcceptForSession => ApprovalDecision::AllowSession,
        AnswerAction::Decline | AnswerAction::Cancel => ApprovalDecision::Deny,
    };
    match (question.kind, reply.content) {
        (ApprovalKind::Question, content) => {
            let text = content.and_then(|content| content.to_value()["text"].as_str().map(str::to_owned));
            ApprovalAnswer { key, text, ..ApprovalAnswer::default() }
        }
        (_, content) => ApprovalAnswer { key, decision: Some(decision), content, text: None },
    }
}

/// Prints a confirmation of the answer.
fn print_confirmation(entry: &ApprovalEntry, answer: &AnswerApproval, answered: &AnsweredApproval, screen: Screen) {
    if screen.is_json() {
        return;
    }
    let action = match (answer.decision, entry.kind) {
        (Some(ApprovalDecision::AllowOnce), ApprovalKind::Approval) => "allowed once",
        (Some(ApprovalDecision::AllowSession), ApprovalKind::Approval) => "allowed for this session",
        (Some(ApprovalDecision::Deny), ApprovalKind::Approval) => "denied",
        _ => "answered",
    };
    let stands = match answered.state.as_str() {
        "working" => "continues",
        "input_required" => "waits for another answer",
        other => other,
    };
    screen.print_stderr(&format!("{action}; task {} of {} {stands}", answered.task_id, one_line(&answered.agent, 120)));
}

/// Agent and status timestamp of the root task of the chain; `None` if the task is the root.
async fn root_status(session: &BatonConnection, entry: &ApprovalEntry) -> Option<(String, Option<Timestamp>)> {
    if entry.root_task_id == entry.task_id {
        return None;
    }
    let root = session.client.task(&entry.root_task_id).await.ok()?;
    Some((root.agent.clone(), root.task.status.timestamp))
}

/// Follows the task, or the root task of the chain once it has resumed.
async fn follow_resumed_task(
    session: &BatonConnection,
    entry: &ApprovalEntry,
    first: Option<(String, Option<Timestamp>)>,
    screen: Screen,
) -> Result<Exit, CliError> {
    let task = session.client.task(&entry.task_id).await.map_err(client_failure)?;
    let Some((agent, since)) = first.filter(|_| task.task.status.state != TaskState::InputRequired) else {
        return watch(session, &task.agent, &entry.task_id, screen).await;
    };
    for _ in 0..MAX_RESUME_POLLS {
        let root = session.client.task(&entry.root_task_id).await.map_err(client_failure)?;
        if root.task.status.timestamp != since {
            break;
        }
        tokio::time::sleep(RESUME_POLL_INTERVAL).await;
    }
    watch(session, &agent, &entry.root_task_id, screen).await
}
