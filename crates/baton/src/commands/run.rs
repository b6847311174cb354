//! `baton run AGENT "..."`: ask once, print the answer.

mod elsewhere;
mod finish;
mod inputs;
mod settings;
mod telling;

pub(crate) use self::inputs::commands;

use self::{
    finish::{answer, finish},
    settings::SessionSettings,
    telling::Telling,
};
use crate::{
    commands::place::{self, Place},
    config::{Chosen, ChosenModels},
    connect::{Session, failure},
    failure::{Exit, Failure},
    follow::{Ended, follow, follow_from_now},
    screen::Screen,
    signals::StopRequests,
    steps::Status,
    wiring::{self, fresh_id},
};
use baton_client::{ClientError, SendRequest};
use baton_types::{ErrorCode, Message, Part, Role};
use clap::Args;
use std::{io::IsTerminal, path::PathBuf};

/// What `baton run` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton run weather \"What's the weather in Oakland?\"
  baton run weather \"And in Lisbon?\" --context 0199...        go on with a conversation
  baton run booking \"Tuesday, please\" --task 0199...          answer a task that asked (exit code 3)
  baton run weather \"Weather in Oakland?\" --json | jq .status.state
  baton run https://agent.example.com \"Hello\"               an agent that lives elsewhere
  baton run files \"Tidy up\" --tool-permission always         be asked before every call
  baton run weather \"Hi\" --server https://agents.example.com --token $TOKEN

The running server of the data directory is used when there is one; otherwise the agents of the
current directory (or --agents) answer in this process, with the same journal.
An address is asked directly, in whatever binding its card offers, and nothing of it is kept here.
If it asks for work to be handed to another agent, that is refused unless --allow-peer names that agent
or you agree on the terminal.
On a terminal the answer is printed as it comes. Steps are told on stderr.
When a tool needs leave you are asked: y allows the call once, a for the rest of the conversation,
n denies it. Without a terminal the command ends with exit code 3 and says how to answer.")]
pub(crate) struct Options {
    /// Who to ask: a name, or the address of an agent that lives elsewhere
    agent: String,
    /// What to say
    message: String,
    #[command(flatten)]
    place: Place,
    /// Agent directories to use when no server runs [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
    /// Where the bearer token for an address is: env://NAME or file://PATH [default: as peers in baton.yaml say]
    #[arg(long, value_name = "REF")]
    bearer: Option<String>,
    /// An agent that the agent at an address may have work handed to, by its address or its name under peers in baton.yaml; repeatable
    #[arg(long, value_name = "NAME_OR_URL")]
    allow_peer: Vec<String>,
    /// The task to go on with
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The conversation to go on with
    #[arg(long, value_name = "ID")]
    context: Option<String>,
    #[command(flatten)]
    settings: SessionSettings,
    /// Who answers in this process for agents that name nobody: provider:model, or playbook [default: what is found]
    #[arg(long, value_name = "PROVIDER:MODEL", env = "BATON_MODEL")]
    model: Option<String>,
    /// Tell no steps on stderr
    #[arg(long, short)]
    quiet: bool,
}

/// What is said first.
struct Said {
    message: String,
    task: Option<String>,
    context: Option<String>,
    settings: SessionSettings,
}

/// Sends, follows, and asks back when the agent asks.
pub(crate) async fn run(options: Options, screen: Screen, mut stop: StopRequests) -> Result<Exit, Failure> {
    let Options { agent, message, place, agents, bearer, allow_peer, task, context, settings, model, quiet } = options;
    let Place { server, token, data, config } = place;
    let said = Said { message, task, context, settings };
    let mut telling = Telling::new(screen, quiet);
    let models = ChosenModels { model, production: None };
    let chosen = Chosen { config, data, agents, models, ..Chosen::default() };
    if wiring::is_address(&agent) {
        let bearer = place::bearer(bearer.as_deref())?;
        let client = wiring::elsewhere(&agent, bearer, &allow_peer, &chosen.resolve()?)?;
        return tokio::select! {
            ended = elsewhere::converse(&client, &agent, said, &mut telling) => ended,
            () = stop.first() => Ok(stopped(&mut telling, Stopped { what: "stopped listening", place: "there", list: " there" })),
        };
    }
    if bearer.is_some() {
        let message = format!("--bearer is for addresses, and '{agent}' is a name");
        return Err(Failure::new(ErrorCode::USAGE, message)
            .hint("A token for the server is given with --token; one for an agent elsewhere when it is added."));
    }
    if !allow_peer.is_empty() {
        let message = format!("--allow-peer is for addresses, and '{agent}' is a name");
        return Err(Failure::new(ErrorCode::USAGE, message)
            .hint("Whom an agent of a Baton may hand work to stands under handoffs in its definition."));
    }
    let session = match &server {
        Some(url) => Session::at(url, token.as_deref())?,
        None => Session::find(&chosen.resolve()?, token.as_deref(), screen).await?,
    };
    if let Some(own) = session.own.as_ref().filter(|_| !quiet && std::io::stderr().is_terminal()) {
        for line in own.answering()?.lines(screen.talk_paint()) {
            screen.say(&line);
        }
    }
    let ended = tokio::select! {
        ended = converse(&session, &agent, said, &mut telling) => ended,
        () = stop.first() => Ok(stopped(&mut telling, match session.url {
            Some(_) => Stopped { what: "stopped listening", place: "at the server", list: LIST },
            None => Stopped { what: "stopped", place: "at the next `baton up`", list: LIST },
        })),
    };
    session.close().await;
    ended
}

/// What is said of a task that nobody follows any more.
struct Stopped {
    what: &'static str,
    /// Where work in progress goes on.
    place: &'static str,
    /// How a question that is open is found again.
    list: &'static str,
}

const LIST: &str = ": `baton approvals list` has what it asks";

fn stopped(telling: &mut Telling, Stopped { what, place, list }: Stopped) -> Exit {
    telling.answer.end_line();
    let task = telling.task.as_ref().map_or("the task".to_owned(), |task| format!("task {task}"));
    match telling.asks {
        true => telling.screen.say(&format!("\n{what}; {task} waits for an answer{list}")),
        false => telling.screen.say(&format!("{what}; {task} goes on {place}")),
    }
    Exit::Interrupted
}

async fn converse(session: &Session, agent: &str, said: Said, telling: &mut Telling) -> Result<Exit, Failure> {
    let mut message = words(said.message, said.settings);
    message.task = said.task.map(Into::into);
    message.context = said.context.map(Into::into);
    loop {
        let sent = session.client.send_streaming(agent, SendRequest::new(message)).await.map_err(failure)?;
        let ended = follow(&session.client, agent, 0, sent, telling).await?;
        telling.answer.end_line();
        let Some(answer) = answer(agent, &ended, telling.screen).await else {
            return told(session, agent, ended, telling).await;
        };
        message = said_by_user(answer);
        message.task = Some(ended.task.into());
    }
}

/// Says how the task stands that was followed.
async fn told(session: &Session, agent: &str, ended: Ended, telling: &mut Telling) -> Result<Exit, Failure> {
    if telling.screen.is_json() {
        let whole = session.client.get(agent, &ended.task, None).await.map_err(failure)?;
        return finish(agent, ended, Some(&whole), &[], telling);
    }
    let approvals = match ended.status.asks.is_empty() {
        true => Vec::new(),
        // A server that does not list them still takes answers by `baton run`.
        false => {
            let list = session.client.approvals(None, Some(&ended.task), None).await;
            list.map(|list| list.approvals).unwrap_or_default()
        }
    };
    finish(agent, ended, None, &approvals, telling)
}

/// Follows a task that goes on, and says how it stands then.
pub(crate) async fn watch(session: &Session, agent: &str, task: &str, screen: Screen) -> Result<Exit, Failure> {
    // What happened before this look is not told, so neither is the rest.
    let mut telling = Telling::new(screen, true);
    let ended = match session.client.subscribe(agent, task, None).await {
        Ok(stream) => follow_from_now(&session.client, agent, stream, &mut telling).await?,
        // It has ended.
        Err(ClientError::Refused(_)) => {
            let whole = session.client.get(agent, task, None).await.map_err(failure)?;
            Ended { task: task.to_owned(), status: Status::of(&whole) }
        }
        Err(error) => return Err(failure(error)),
    };
    telling.answer.end_line();
    told(session, agent, ended, &mut telling).await
}

/// What a person says first.
fn words(text: String, settings: SessionSettings) -> Message {
    let mut message = said_by_user(vec![Part::text(text)]);
    message.metadata = settings.metadata();
    message
}

fn said_by_user(parts: Vec<Part>) -> Message {
    Message::new(fresh_id().into(), Role::User, parts)
}
