//! `baton demo`: two agents answer a question with every step shown; the server keeps running.

mod show;

use self::show::Show;
use crate::{
    config::{Chosen, ChosenModels},
    connect::{Session, failure},
    examples,
    failure::{Exit, Failure},
    follow::follow,
    screen::Screen,
    signals::StopRequests,
    wiring::{Baton, Needs, PortChoice, Server, Strictness, fresh_id},
};
use baton_client::SendRequest;
use baton_types::{ErrorCode, Message, Part, Role};
use baton_wire::a2a::v1::TaskState;
use clap::Args;
use std::path::PathBuf;

const DATA: &str = ".baton/demo";
const ASKED: &str = "personal";
const QUESTION: &str = "What's the weather in Oakland?";
const MOST_EVENTS: usize = 100;

/// Options of `baton demo`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton demo                       watch, then try the printed curl commands
  baton demo --once                watch, then exit
  baton demo --examples my/agents  use your own versions of the agents weather and personal

The demo uses the built-in playbook: fixed rules in a file, no AI model, no key, no network.")]
pub(crate) struct Options {
    /// Exit after the answer instead of serving until Ctrl-C
    #[arg(long)]
    once: bool,
    /// Port to listen on; 0 selects a free port [default: 8700, or a free port if it is in use]
    #[arg(long, value_name = "N", env = "BATON_PORT")]
    port: Option<u16>,
    /// Data directory of the demo
    #[arg(long, value_name = "DIR", default_value = DATA)]
    data: PathBuf,
    /// Directory with the agents weather and personal [default: the built-in agents]
    #[arg(long, value_name = "DIR")]
    examples: Option<PathBuf>,
}

/// Starts the server, asks the question, prints the steps and keeps serving.
pub(crate) async fn run(options: Options, screen: Screen, mut stop: StopRequests) -> Result<Exit, Failure> {
    let Options { once, port, data, examples } = options;
    let choice = if port.is_some() { PortChoice::Fixed } else { PortChoice::Preferred };
    let agents = match examples {
        Some(directory) => vec![directory],
        None => examples::write(&data.join("agents"))?,
    };
    // The demo behaves the same everywhere, so a baton.yaml in the current directory is ignored.
    let models = ChosenModels { model: Some("playbook".to_owned()), production: None };
    let settings = Chosen { port, data: Some(data), agents, models, ..Chosen::default() }.without_file()?;
    let (baton, diagnostics) = Baton::open(&settings, Strictness::Lenient, Needs::Agents).await?;
    for diagnostic in &diagnostics {
        screen.diagnostic(diagnostic);
    }
    let server = Server::start(baton, &settings, choice, screen).await?;
    let mut show = Show::new(screen, server.url.clone());
    show.cast(&server.agents());
    let answered = tokio::select! {
        answered = perform(&server, &mut show) => answered,
        () = stop.first() => Ok(Exit::Interrupted),
    };
    if once || answered.is_err() {
        if answered.is_ok() {
            show.leave();
        }
    } else {
        show.stay();
        stop.first().await;
        screen.say("stopping");
    }
    server.stop().await;
    answered
}

/// Sends the question over HTTP, like any client.
async fn perform(server: &Server, show: &mut Show) -> Result<Exit, Failure> {
    let session = Session::at(&server.url, None)?;
    let question = Message::new(fresh_id().into(), Role::User, vec![Part::text(QUESTION)]);
    show.question(ASKED, QUESTION);
    let stream = session.client.send_streaming(ASKED, SendRequest::new(question)).await.map_err(failure)?;
    let ended = follow(&session.client, ASKED, 0, stream, show).await?;
    let events = session.client.events(&ended.task, 0, MOST_EVENTS).await.map_err(failure)?;
    if ended.status.state != TaskState::Completed || ended.status.says.is_empty() {
        show.events(&ended.task, &events);
        let message = format!("the demo's task {} gave no answer", ended.task);
        return Err(Failure::new(ErrorCode::INTERNAL, message).exit(Exit::TaskFailed));
    }
    let task = session.client.get(ASKED, &ended.task, None).await.map_err(failure)?;
    show.answer(&ended.status.says);
    show.events(&ended.task, &events);
    show.next(ASKED, &ended.task);
    show.data(&task, &events);
    Ok(Exit::Ok)
}
