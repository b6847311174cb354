//! `baton run`: sends one message and prints the answer.

mod finish;
mod inputs;
mod printer;
mod remote;
mod settings;

pub(crate) use self::inputs::answer_commands;

use self::{
    finish::{print_result, prompt_answer},
    printer::RunPrinter,
    settings::RunSessionOptions,
};
use crate::{
    commands::connection_options::{self, ConnectionOptions},
    config::{ConfigOverrides, ModelOverrides},
    connect::{BatonConnection, client_failure},
    error_codes,
    failure::{CliError, Exit},
    follow::{FollowOutcome, follow, follow_from_now},
    model_summary, remote_agents,
    screen::Screen,
    signals::StopRequests,
    steps::StepStatus,
};
use baton_client::{ClientError, SendRequest};
use baton_server::fresh_id;
use baton_types::{Message, Part, Role};
use clap::Args;
use std::{io::IsTerminal, path::PathBuf};

/// Options of `baton run`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton run weather \"What's the weather in Oakland?\"
  baton run weather \"And in Lisbon?\" --context 0199...        continue a conversation
  baton run booking \"Tuesday, please\" --task 0199...          answer a task that needs input
  baton run weather \"Weather in Oakland?\" --json | jq .status.state
  baton run https://agent.example.com \"Hello\"               a remote agent
  baton run files \"Tidy up\" --tool-permission always         ask before every tool call
  baton run weather \"Hi\" --server https://agents.example.com --token $TOKEN

If a server runs for the data directory, the command uses it. Otherwise the agents of the current
directory (or of --agents) run in this process, with the same journal.
A remote agent is called directly, over any binding that its card offers. Nothing is stored here. If
it asks to hand off work to another agent, the handoff is denied unless --allow-peer names that
agent or you agree on the terminal.
On a terminal the answer is streamed. Steps are printed to stderr.
If a tool call requires approval, you are asked: y allows it once, a allows the tool for the rest of
the conversation, n denies it. Without a terminal the command exits with code 3 and prints how to
answer.")]
pub(crate) struct RunCommandOptions {
    /// Name of the agent, or the address of a remote agent
    agent: String,
    /// Message to send
    message: String,
    #[command(flatten)]
    connection: ConnectionOptions,
    /// Agent directories to use when no server runs [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
    /// Bearer token for an address: env://NAME or file://PATH [default: as set under peers in baton.yaml]
    #[arg(long, value_name = "REF")]
    bearer: Option<String>,
    /// Agent that the agent at an address may hand off work to: an address, or a name under peers in baton.yaml;
    /// repeatable
    #[arg(long, value_name = "NAME_OR_URL")]
    allow_peer: Vec<String>,
    /// Task to continue
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Conversation to continue
    #[arg(long, value_name = "ID")]
    context: Option<String>,
    #[command(flatten)]
    settings: RunSessionOptions,
    /// Model for agents without one, if no server runs: provider:model, or playbook [default: detected]
    #[arg(long, value_name = "PROVIDER:MODEL", env = "BATON_MODEL")]
    model: Option<String>,
    /// Do not print steps to stderr
    #[arg(long, short)]
    quiet: bool,
}

/// Initial message and its target.
struct RunRequest {
    message: String,
    task: Option<String>,
    context: Option<String>,
    settings: RunSessionOptions,
}

/// Sends the message, follows the task, and prompts for answers when the agent asks.
pub(crate) async fn run(options: RunCommandOptions, screen: Screen, mut stop: StopRequests) -> Result<Exit, CliError> {
    let RunCommandOptions {
        agent,
        message,
        connection,
        agents,
        bearer,
        allow_peer,
        task,
        context,
        settings,
        model,
        quiet,
    } = options;
    let ConnectionOptions { server, token, data, config } = connection;
    let request = RunRequest { message, task, context, settings };
    let mut telling = RunPrinter::new(screen, quiet);
    let models = ModelOverrides { model, production: None };
    let chosen = ConfigOverrides { config, data, agents, models, ..ConfigOverrides::default() };
    if remote_agents::is_address(&agent) {
        let bearer = connection_options::parse_bearer(bearer.as_deref())?;
        let client = remote_agents::remote_orchestrator(&agent, bearer, &allow_peer, &chosen.resolve()?)?;
        return tokio::select! {
            ended = remote::converse(&client, &agent, request, &mut telling) => ended,
            () = stop.first() => Ok(print_interrupt(&mut telling, InterruptMessage { verb: "stopped following", location: "there", list: " there" })),
        };
    }
    if bearer.is_some() {
        let message = format!("--bearer requires an address, but '{agent}' is a name");
        return Err(CliError::new(error_codes::USAGE, message).hint(
            "Pass a token for the server with --token. Set a token for a remote agent with `baton agents add`.",
        ));
    }
    if !allow_peer.is_empty() {
        let message = format!("--allow-peer requires an address, but '{agent}' is a name");
        return Err(CliError::new(error_codes::USAGE, message)
            .hint("The handoffs of a named agent are configured under handoffs in its definition."));
    }
    let session = match &server {
        Some(url) => BatonConnection::connect(url, token.as_deref())?,
        None => BatonConnection::find(&chosen.resolve()?, token.as_deref(), screen).await?,
    };
    if let Some(own) = session.in_process.as_ref().filter(|_| !quiet && std::io::stderr().is_terminal()) {
        for line in model_summary::lines(&own.handle().model_summary()?, screen.stderr_paint()) {
            screen.print_stderr(&line);
        }
    }
    let ended = tokio::select! {
        ended = converse(&session, &agent, request, &mut telling) => ended,
        () = stop.first() => Ok(print_interrupt(&mut telling, match session.url {
            Some(_) => InterruptMessage { verb: "stopped following", location: "on the server", list: APPROVALS_HINT },
            None => InterruptMessage { verb: "stopped", location: "at the next `baton up`", list: APPROVALS_HINT },
        })),
    };
    session.close().await;
    ended
}

/// Parts of the message printed when the command is interrupted.
struct InterruptMessage {
    verb: &'static str,
    /// Place where unfinished work continues.
    location: &'static str,
    /// Hint on finding an open question again.
    list: &'static str,
}

const APPROVALS_HINT: &str = "; see `baton approvals list`";

fn print_interrupt(telling: &mut RunPrinter, InterruptMessage { verb, location, list }: InterruptMessage) -> Exit {
    telling.answer.end_line();
    let task = telling.task.as_ref().map_or("the task".to_owned(), |task| format!("task {task}"));
    match telling.waits_for_answer {
        true => telling.screen.print_stderr(&format!("\n{verb}; {task} waits for an answer{list}")),
        false => telling.screen.print_stderr(&format!("{verb}; {task} continues {location}")),
    }
    Exit::Interrupted
}

async fn converse(
    session: &BatonConnection,
    agent: &str,
    request: RunRequest,
    telling: &mut RunPrinter,
) -> Result<Exit, CliError> {
    let mut message = initial_message(request.message, request.settings);
    message.task = request.task.map(Into::into);
    message.context = request.context.map(Into::into);
    loop {
        let sent = session.client.send_streaming(agent, SendRequest::new(message)).await.map_err(client_failure)?;
        let ended = follow(&session.client, agent, 0, sent, telling).await?;
        telling.answer.end_line();
        let Some(answer) = prompt_answer(agent, &ended, telling.screen).await else {
            return print_outcome(session, agent, ended, telling).await;
        };
        message = user_message(answer);
        message.task = Some(ended.task.into());
    }
}

/// Prints the final state of the task.
async fn print_outcome(
    session: &BatonConnection,
    agent: &str,
    ended: FollowOutcome,
    telling: &mut RunPrinter,
) -> Result<Exit, CliError> {
    if telling.screen.is_json() {
        let full_task = session.client.get(agent, &ended.task, None).await.map_err(client_failure)?;
        return print_result(agent, ended, Some(&full_task), &[], telling);
    }
    let approvals = match ended.status.input_requests.is_empty() {
        true => Vec::new(),
        // A server without an approval list still accepts answers from `baton run`.
        false => {
            let list = session.client.approvals(None, Some(&ended.task), None).await;
            list.map(|list| list.approvals).unwrap_or_default()
        }
    };
    print_result(agent, ended, None, &approvals, telling)
}

/// Follows a task that is still running, then prints its state.
pub(crate) async fn watch(
    session: &BatonConnection,
    agent: &str,
    task: &str,
    screen: Screen,
) -> Result<Exit, CliError> {
    // Earlier steps were not printed, so later ones are not printed either.
    let mut telling = RunPrinter::new(screen, true);
    let ended = match session.client.subscribe(agent, task, None).await {
        Ok(stream) => follow_from_now(&session.client, agent, stream, &mut telling).await?,
        // The task has ended.
        Err(ClientError::Refused(_)) => {
            let full_task = session.client.get(agent, task, None).await.map_err(client_failure)?;
            FollowOutcome { task: task.to_owned(), status: StepStatus::from_task(&full_task) }
        }
        Err(error) => return Err(client_failure(error)),
    };
    telling.answer.end_line();
    print_outcome(session, agent, ended, &mut telling).await
}

/// The initial message, with the session settings as metadata.
fn initial_message(text: String, settings: RunSessionOptions) -> Message {
    let mut message = user_message(vec![Part::text(text)]);
    message.metadata = settings.metadata();
    message
}

fn user_message(parts: Vec<Part>) -> Message {
    Message::new(fresh_id().into(), Role::User, parts)
}
