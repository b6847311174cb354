//! `baton run AGENT "..."`: ask once, print the answer.

use crate::{
    config::Chosen,
    connect::{Session, failure},
    failure::{Exit, Failure},
    follow::{Ended, Watcher, follow},
    narrate::sentence,
    screen::{Screen, harmless},
    signals::StopRequests,
    steps::{Piece, Step},
    wiring::fresh_id,
};
use baton_client::{ClientError, SendRequest};
use baton_types::{ErrorCode, Message, Part, Role};
use baton_wire::a2a::v1::TaskState;
use clap::Args;
use std::{
    io::{self, IsTerminal},
    path::PathBuf,
};

/// What `baton run` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton run weather \"What's the weather in Oakland?\"
  baton run weather \"And in Lisbon?\" --context 0199...        go on with a conversation
  baton run booking \"Tuesday, please\" --task 0199...          answer a task that asked (exit code 3)
  baton run weather \"Weather in Oakland?\" --json | jq .status.state

The running server of the data directory is used when there is one; otherwise the agents of the
current directory (or --agents) answer in this process, with the same journal.
On a terminal the answer is printed as it comes. Steps are told on stderr.")]
pub(crate) struct Options {
    /// Who to ask
    agent: String,
    /// What to say
    message: String,
    /// The server to use
    #[arg(long, value_name = "URL", env = "BATON_SERVER")]
    server: Option<String>,
    /// The data directory [default: .baton]
    #[arg(long, value_name = "DIR", env = "BATON_DATA")]
    data: Option<PathBuf>,
    /// Agent directories to use when no server runs [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
    /// The task to go on with
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The conversation to go on with
    #[arg(long, value_name = "ID")]
    context: Option<String>,
    /// Tell no steps on stderr
    #[arg(long, short)]
    quiet: bool,
    /// The configuration file [default: baton.yaml, if there is one]
    #[arg(long, value_name = "FILE", env = "BATON_CONFIG")]
    config: Option<PathBuf>,
}

/// Sends, follows, and asks back when the agent asks.
pub(crate) async fn run(options: Options, screen: Screen, mut stop: StopRequests) -> Result<Exit, Failure> {
    let Options { agent, message, server, data, agents, task, context, quiet, config } = options;
    let settings = Chosen { config, data, agents, ..Chosen::default() }.resolve()?;
    let session = Session::find(server.as_deref(), &settings, screen).await?;
    let mut first = Message::new(fresh_id().into(), Role::User, vec![Part::text(message)]);
    first.task = task.map(Into::into);
    first.context = context.map(Into::into);
    let mut telling = Telling::new(screen, quiet);
    let ended = tokio::select! {
        ended = converse(&session, &agent, first, &mut telling) => ended,
        () = stop.first() => {
            telling.answer.end_line();
            screen.say(match session.url {
                Some(_) => "stopped listening; the task goes on at the server",
                None => "stopped; the task goes on at the next `baton up`",
            });
            Ok(Exit::Interrupted)
        }
    };
    session.close().await;
    ended
}

async fn converse(session: &Session, agent: &str, first: Message, telling: &mut Telling) -> Result<Exit, Failure> {
    let mut message = first;
    loop {
        let sent = session.client.send_streaming(agent, SendRequest::new(message)).await.map_err(failure)?;
        let ended = follow(&session.client, agent, 0, sent, telling).await?;
        telling.answer.end_line();
        let interactive = !telling.screen.is_json() && io::stdin().is_terminal() && io::stderr().is_terminal();
        let asks = ended.status.state == TaskState::InputRequired && ended.status.calls.is_empty();
        if !(asks && interactive) {
            return finish(session, agent, ended, telling).await;
        }
        let Some(answer) = ask(&ended, telling.screen).await else {
            return finish(session, agent, ended, telling).await;
        };
        message = Message::new(fresh_id().into(), Role::User, vec![Part::text(answer)]);
        message.task = Some(ended.task.into());
    }
}

/// Asks on the terminal; nothing when the terminal is closed.
async fn ask(ended: &Ended, screen: Screen) -> Option<String> {
    screen.ask(&format!("{}\n> ", harmless(&ended.status.says)));
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|read| (read > 0).then_some(line))
    });
    let line = line.await.ok()?.ok()??;
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

async fn finish(session: &Session, agent: &str, ended: Ended, telling: &mut Telling) -> Result<Exit, Failure> {
    let Ended { task, status } = ended;
    let screen = telling.screen;
    if screen.is_json() {
        let task = session.client.get(agent, &task, None).await.map_err(failure)?;
        let json = serde_json::to_string_pretty(&task)
            .map_err(|error| Failure::new(ErrorCode::INTERNAL, error.to_string()))?;
        screen.print(&json);
    }
    match status.state {
        TaskState::Completed => {
            if !screen.is_json() {
                telling.answer.complete(&status.says);
            }
            Ok(Exit::Ok)
        }
        TaskState::InputRequired | TaskState::AuthRequired => {
            if screen.is_json() {
                return Ok(Exit::InputRequired);
            }
            if !status.says.is_empty() {
                screen.print(&harmless(&status.says));
            }
            for call in &status.calls {
                screen.print(&format!("{} {} {}", call.id, call.name, call.arguments));
            }
            screen.say(&format!("task {task} waits for an answer"));
            screen.say(&match status.calls.is_empty() {
                true => format!("  answer with: baton run {agent} \"...\" --task {task}"),
                false => "  it waits for tool results; an A2A client sends them as a tool_results data part".to_owned(),
            });
            Ok(Exit::InputRequired)
        }
        _ => {
            let state = status.state.known().map_or("not done", baton_types::TaskState::as_str);
            let Some(reason) = status.reason else {
                let why = if status.says.is_empty() { String::new() } else { format!(": {}", status.says) };
                return Err(Failure::plain(Exit::TaskFailed, format!("task {task} is {state}{why}")));
            };
            let known = ErrorCode::ALL.iter().find(|known| known.code == reason.code);
            let message = format!("task {task} is {state}: {}", reason.detail);
            let failed = Failure::foreign(reason.code, message, known.map(|known| known.hint.to_owned()));
            Err(failed.exit(Exit::TaskFailed))
        }
    }
}

/// Steps to stderr, the answer to stdout.
struct Telling {
    screen: Screen,
    quiet: bool,
    answer: Answer,
}

impl Telling {
    fn new(screen: Screen, quiet: bool) -> Self {
        let live = !screen.is_json() && io::stdout().is_terminal();
        let quiet = quiet || screen.is_json();
        Self { screen, quiet, answer: Answer { screen, live, id: String::new(), text: String::new(), open: false } }
    }
}

impl Watcher for Telling {
    fn step(&mut self, agent: &str, depth: usize, step: &Step) {
        if let (Step::Text(piece), 0) = (step, depth) {
            self.answer.piece(piece);
        }
        let ended = matches!(step, Step::Moved(_)) && depth == 0;
        if self.quiet || ended {
            return;
        }
        let paint = self.screen.talk_paint();
        if let Some(sentence) = sentence(step, paint) {
            self.answer.end_line();
            let name = paint.name(agent);
            self.screen.say(&format!("{}{name}: {sentence}", "  ".repeat(depth)));
        }
    }

    fn broken(&mut self, error: &ClientError) {
        self.answer.end_line();
        self.screen.say(&format!("{error}; trying to go on"));
    }
}

/// The answer on stdout. A terminal sees it grow; a file or a program gets it once, when it is final, because text
/// that an agent takes back cannot be taken back from a pipe.
struct Answer {
    screen: Screen,
    live: bool,
    id: String,
    text: String,
    open: bool,
}

impl Answer {
    fn piece(&mut self, piece: &Piece) {
        if !piece.is_answer() || !self.live {
            return;
        }
        if piece.is_retraction() {
            self.end_line();
            self.id.clear();
            return;
        }
        let known = self.id == piece.id;
        let news = match piece.append {
            true => piece.text.as_str(),
            false if known && piece.text.starts_with(&self.text) => &piece.text[self.text.len()..],
            false => {
                self.end_line();
                self.text.clear();
                &piece.text
            }
        };
        self.screen.stream(&harmless(news));
        self.open |= !news.is_empty();
        self.id.clone_from(&piece.id);
        self.text.push_str(news);
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.open) {
            self.screen.stream("\n");
        }
    }

    /// The final text, if it has not been shown already.
    fn complete(&mut self, answer: &str) {
        self.end_line();
        if !self.live {
            self.screen.print(answer);
        } else if self.text != answer && !answer.is_empty() {
            self.screen.print(&harmless(answer));
        }
    }
}
