//! `baton demo`: two agents answer a question with every step shown; the server keeps running.

mod show;

use self::show::DemoPrinter;
use crate::{
    config::{ConfigOverrides, ModelOverrides},
    connect::{BatonConnection, client_failure},
    examples,
    failure::{CliError, Exit},
    follow::follow,
    open_server::open_server,
    published_server::{PortChoice, PublishedServer},
    screen::Screen,
    signals::StopRequests,
};
use baton_client::SendRequest;
use baton_server::{AgentRequirement, PlaybookMode, fresh_id};
use baton_types::{ErrorCode, Message, Part, Role};
use baton_wire::a2a::v1::TaskState;
use clap::Args;
use std::path::PathBuf;

const DEFAULT_DATA_DIR: &str = ".baton/demo";
const AGENT_NAME: &str = "personal";
const QUESTION: &str = "What's the weather in Oakland?";
const MAX_EVENTS: usize = 100;

/// Options of `baton demo`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton demo                       watch, then try the printed curl commands
  baton demo --once                watch, then exit
  baton demo --examples my/agents  use your own versions of the agents weather and personal

The demo uses the built-in playbook: fixed rules in a file, no AI model, no key, no network.")]
pub(crate) struct DemoOptions {
    /// Exit after the answer instead of serving until Ctrl-C
    #[arg(long)]
    once: bool,
    /// Port to listen on; 0 selects a free port [default: 8700, or a free port if it is in use]
    #[arg(long, value_name = "N", env = "BATON_PORT")]
    port: Option<u16>,
    /// Data directory of the demo
    #[arg(long, value_name = "DIR", default_value = DEFAULT_DATA_DIR)]
    data: PathBuf,
    /// Directory with the agents weather and personal [default: the built-in agents]
    #[arg(long, value_name = "DIR")]
    examples: Option<PathBuf>,
}

/// Starts the server, asks the question, prints the steps and keeps serving.
pub(crate) async fn run(options: DemoOptions, screen: Screen, mut stop: StopRequests) -> Result<Exit, CliError> {
    let DemoOptions { once, port, data, examples } = options;
    let choice = if port.is_some() { PortChoice::Fixed } else { PortChoice::Preferred };
    let agents = match examples {
        Some(directory) => vec![directory],
        None => examples::write(&data.join("agents"))?,
    };
    // The demo behaves the same everywhere, so a baton.yaml in the current directory is ignored.
    let models = ModelOverrides { model: Some("playbook".to_owned()), production: None };
    let settings =
        ConfigOverrides { port, data: Some(data), agents, models, ..ConfigOverrides::default() }.without_file()?;
    let server = open_server(&settings, PlaybookMode::Lenient, AgentRequirement::Required).await?;
    for diagnostic in server.diagnostics() {
        screen.diagnostic(diagnostic);
    }
    let server = PublishedServer::start(server, &settings, choice, screen).await?;
    let mut show = DemoPrinter::new(screen, server.url().to_owned());
    show.print_agents(&server.agents());
    let answered = tokio::select! {
        answered = ask_question(&server, &mut show) => answered,
        () = stop.first() => Ok(Exit::Interrupted),
    };
    if once || answered.is_err() {
        if answered.is_ok() {
            show.print_done();
        }
    } else {
        show.print_serving();
        stop.first().await;
        screen.print_stderr("stopping");
    }
    server.stop().await;
    answered
}

/// Sends the question over HTTP, like any client.
async fn ask_question(server: &PublishedServer, show: &mut DemoPrinter) -> Result<Exit, CliError> {
    let session = BatonConnection::connect(server.url(), None)?;
    let question = Message::new(fresh_id().into(), Role::User, vec![Part::text(QUESTION)]);
    show.print_question(AGENT_NAME, QUESTION);
    let stream = session.client.send_streaming(AGENT_NAME, SendRequest::new(question)).await.map_err(client_failure)?;
    let ended = follow(&session.client, AGENT_NAME, 0, stream, show).await?;
    let events = session.client.events(&ended.task, 0, MAX_EVENTS).await.map_err(client_failure)?;
    if ended.status.state != TaskState::Completed || ended.status.message.is_empty() {
        show.print_events(&ended.task, &events);
        let message = format!("the demo's task {} gave no answer", ended.task);
        return Err(CliError::new(ErrorCode::INTERNAL, message).exit(Exit::TaskFailed));
    }
    let task = session.client.get(AGENT_NAME, &ended.task, None).await.map_err(client_failure)?;
    show.print_answer(&ended.status.message);
    show.print_events(&ended.task, &events);
    show.print_next_steps(AGENT_NAME, &ended.task);
    show.print_json(&task, &events);
    Ok(Exit::Ok)
}
