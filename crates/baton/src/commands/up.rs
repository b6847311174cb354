//! `baton up`: serves agents until it is stopped.

mod playbook_report;

use self::playbook_report::report_playbook;
use crate::{
    config::{AccessOverrides, BatonSettings, ConfigOverrides, ModelOverrides},
    error_codes,
    failure::{CliError, Exit},
    mcp_status, model_summary,
    open_server::open_server,
    published_server::{PortChoice, PublishedServer},
    screen::Screen,
    signals::{Hangups, StopRequests},
};
use baton_api::agent_address;
use baton_server::{AgentRequirement, LostJournal, ModelSummary, PlaybookMode, ServerHandle};
use baton_types::ToolExecution;
use clap::{Args, ValueEnum, builder::BoolishValueParser};
use serde_json::json;
use std::path::PathBuf;

/// Options of `baton up`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton up                          serve the agents in this directory
  baton up agents/ --port 0         use any free port, and print it
  baton up weather --tools caller   run tools in the caller: calls are returned as input-required
  baton up --data /var/lib/baton    use another data directory
  baton up --model openai:gpt-5-mini     set the model for agents without one
  baton up --auth                   require a token from `baton token create`
  baton up --auth --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
  BATON_PORT=9000 baton up          set an option by environment variable

Example of baton.yaml, in the current directory, in the only directory to serve, or set by --config:
  port: 8700
  agents: [agents/weather, agents/personal]
  retention: { days: 30, keep: 100000 }      # ended tasks only
  limits: { body_bytes: 8MB, max_connections: 8192, max_streams: 4096 }
  push: { allow: [\"127.0.0.0/8\"] }           # private addresses for push notifications
  model: claude:claude-sonnet-4-5            # model for agents without one
  providers: { claude: { api_key: \"env://MY_KEY\" } }
  auth: { required: true }                   # same as --auth; also takes JWT issuers
  peers: [{ name: weather, url: \"https://weather.example.com\", bearer: \"env://WEATHER_TOKEN\" }]

Ctrl-C or SIGTERM shuts down gracefully. Unfinished runs resume at the next start, even after a
crash.")]
pub(crate) struct UpOptions {
    /// Agent directories, or directories that contain them [default: the current directory]
    #[arg(value_name = "DIR_OR_FILE")]
    paths: Vec<PathBuf>,
    /// Port to listen on; 0 selects a free port [default: 8700]
    #[arg(long, value_name = "N", env = "BATON_PORT")]
    port: Option<u16>,
    /// Address to listen on; addresses other than loopback require --auth or --insecure [default: 127.0.0.1]
    #[arg(long, value_name = "ADDRESS", env = "BATON_HOST")]
    host: Option<String>,
    /// Data directory [default: .baton]
    #[arg(long, value_name = "DIR", env = "BATON_DATA")]
    data: Option<PathBuf>,
    /// Create a new journal if the data directory has lost its own; its tasks, sessions and tokens are lost
    #[arg(long)]
    new_journal: bool,
    /// Where tools of all agents run: in the agent or in its caller [default: as set for each agent]
    #[arg(long, value_name = "WHERE", env = "BATON_TOOLS")]
    tools: Option<ToolLocation>,
    /// Model for agents without one: provider:model, or playbook [default: detected]
    #[arg(long, value_name = "PROVIDER:MODEL", env = "BATON_MODEL")]
    model: Option<String>,
    /// Refuse to start if the playbook would be used instead of a model
    #[arg(
        long,
        value_name = "BOOL",
        env = "BATON_PRODUCTION",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_possible_values = true,
        value_parser = BoolishValueParser::new(),
    )]
    production: Option<bool>,
    /// Base URL for agent cards
    #[arg(long, value_name = "URL", env = "PUBLIC_URL")]
    public_url: Option<String>,
    /// Additional host name that requests may use; repeatable
    #[arg(long = "allow-host", value_name = "HOST", env = "BATON_ALLOW_HOSTS", value_delimiter = ',')]
    allow_hosts: Vec<String>,
    /// Private address that push notifications may be sent to, such as 127.0.0.0/8 or hooks.internal; repeatable
    #[arg(long, value_name = "ADDRESS", env = "BATON_PUSH_ALLOW", value_delimiter = ',')]
    push_allow: Vec<String>,
    /// Fail on messages that match no playbook rule; report unused rules at shutdown, and exit with 1 if a message did
    /// not match
    #[arg(long)]
    strict: bool,
    /// Require a token, from `baton token create` or from an issuer in baton.yaml
    #[arg(
        long,
        value_name = "BOOL",
        env = "BATON_AUTH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_possible_values = true,
        value_parser = BoolishValueParser::new(),
    )]
    auth: Option<bool>,
    /// TLS certificate (PEM); enables HTTPS
    #[arg(long, value_name = "FILE", env = "BATON_TLS_CERT")]
    tls_cert: Option<PathBuf>,
    /// Private key of the TLS certificate (PEM)
    #[arg(long, value_name = "FILE", env = "BATON_TLS_KEY")]
    tls_key: Option<PathBuf>,
    /// Web origin that may send requests, such as `https://app.example.com`; repeatable
    #[arg(long = "cors-origin", value_name = "ORIGIN", env = "BATON_CORS_ORIGINS", value_delimiter = ',')]
    cors_origins: Vec<String>,
    /// Allow a non-loopback --host without authentication; any client that can reach it has full access
    #[arg(long)]
    insecure: bool,
    /// Configuration file [default: baton.yaml in the current directory, or in the only directory to serve]
    #[arg(long, value_name = "FILE", env = "BATON_CONFIG")]
    config: Option<PathBuf>,
}

/// Place where tools run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ToolLocation {
    Agent,
    Caller,
}

impl From<ToolLocation> for ToolExecution {
    fn from(tools: ToolLocation) -> Self {
        match tools {
            ToolLocation::Agent => Self::Agent,
            ToolLocation::Caller => Self::Caller,
        }
    }
}

/// Opens the data directory, serves, and shuts down gracefully.
pub(crate) async fn run(options: UpOptions, screen: Screen, mut stop: StopRequests) -> Result<Exit, CliError> {
    let playbook = if options.strict { PlaybookMode::Strict } else { PlaybookMode::Lenient };
    let chosen = ConfigOverrides {
        config: options.config,
        port: options.port,
        host: options.host,
        data: options.data,
        public_url: options.public_url,
        allow_hosts: options.allow_hosts,
        tools: options.tools.map(ToolExecution::from),
        agents: options.paths,
        push_allow: options.push_allow,
        access: AccessOverrides {
            auth: options.auth,
            tls_cert: options.tls_cert,
            tls_key: options.tls_key,
            cors_origins: options.cors_origins,
        },
        models: ModelOverrides { model: options.model, production: options.production },
    };
    let mut settings = chosen.resolve()?;
    settings.lost_journal = if options.new_journal { LostJournal::Replace } else { LostJournal::Reject };
    if !settings.host.is_loopback() && !settings.auth.required && !options.insecure {
        let message = format!("others can reach {}, and would have full access without authentication", settings.host);
        return Err(CliError::new(error_codes::EXPOSED, message));
    }
    let server = open_server(&settings, playbook, AgentRequirement::Optional).await?;
    for diagnostic in server.diagnostics() {
        screen.diagnostic(diagnostic);
    }
    warn_push_without_public_url(&settings, screen);
    let answering = server.handle().model_summary()?;
    let server = PublishedServer::start(server, &settings, PortChoice::Fixed, screen).await?;
    announce(&server, &settings, &answering, screen);
    server.handle().warm_mcp_servers(move |agent, status| mcp_status::print_status(agent, status, screen));
    reload_on_hangup(server.handle().clone());
    stop.first().await;
    screen.print_stderr("stopping; unfinished runs resume at the next start (repeat to stop immediately)");
    let exit = match playbook {
        PlaybookMode::Strict => report_playbook(server.handle(), screen),
        PlaybookMode::Lenient => Exit::Ok,
    };
    server.stop().await;
    Ok(exit)
}

/// Reloads agents and models on SIGHUP, in the background.
fn reload_on_hangup(server: ServerHandle) {
    let mut hangups = Hangups::listen();
    tokio::spawn(async move {
        loop {
            hangups.next().await;
            let reloaded = server.reload().await;
            let (unusable, model) = (reloaded.unusable.len(), reloaded.model.as_str());
            tracing::info!(unusable, model, "reloaded agents and models");
        }
    });
}

/// Maximum number of agents listed at startup.
const MAX_LISTED_AGENTS: usize = 50;

fn announce(server: &PublishedServer, settings: &BatonSettings, answering: &ModelSummary, screen: Screen) {
    let url = server.url();
    let agents = server.agents();
    let data = settings.data.display().to_string();
    if screen.is_json() {
        let agents: Vec<_> = agents
            .iter()
            .map(|agent| json!({"name": agent.name, "url": agent_address(url, agent.name.as_str())}))
            .collect();
        let auth = settings.auth.required;
        let all = json!({"url": url, "data": data, "pid": std::process::id(), "auth": auth, "agents": agents,
            "models": model_summary::to_json(answering)});
        screen.print(&all.to_string());
        return;
    }
    let paint = screen.stderr_paint();
    let elsewhere = agents.iter().filter(|agent| agent.is_peer()).count();
    let here = agents.len() - elsewhere;
    let mut count = format!("{here} agent{}", if here == 1 { "" } else { "s" });
    if elsewhere > 0 {
        count.push_str(&format!(", and {elsewhere} remote agent{},", if elsewhere == 1 { "" } else { "s" }));
    }
    screen.print_stderr(&format!("baton serves {count} at {} (data in {data})", paint.strong(url)));
    let width = agents.iter().map(|agent| agent.name.as_str().len()).max().unwrap_or(0);
    for agent in agents.iter().take(MAX_LISTED_AGENTS) {
        let name = paint.name(&format!("{:<width$}", agent.name.as_str()));
        let lives = agent.address.as_deref().map(|address| format!(" (remote: {address})")).unwrap_or_default();
        screen.print_stderr(&format!("  {name}  {}{lives}", agent_address(url, agent.name.as_str())));
    }
    if agents.is_empty() {
        screen.print_stderr("  no agents yet; create one with: baton agents create NAME --prompt \"...\"");
    }
    if let Some(more @ 1..) = agents.len().checked_sub(MAX_LISTED_AGENTS) {
        screen.print_stderr(&format!("  and {more} more; list all with `baton agents`"));
    }
    for line in model_summary::lines(answering, paint) {
        screen.print_stderr(&line);
    }
    if settings.auth.required {
        announce_auth(server.handle().valid_tokens(), settings, screen);
    } else if !settings.host.is_loopback() {
        let warning = paint.warn("warning");
        screen.print_stderr(&format!("{warning}: any client that can reach {} has full access", settings.host));
    }
}

/// Warns about peers with push enabled if no public URL is configured.
fn warn_push_without_public_url(settings: &BatonSettings, screen: Screen) {
    let unreachable_peers = settings.peers.iter().filter(|peer| peer.push && settings.public_url.is_none());
    let unreachable_peers: Vec<&str> =
        unreachable_peers.map(|peer| peer.name.as_ref().map_or(peer.url.as_str(), |name| name.as_str())).collect();
    if !unreachable_peers.is_empty() {
        let (warning, names) = (screen.stderr_paint().warn("warning"), unreachable_peers.join(", "));
        screen.print_stderr(&format!(
            "{warning}: push of {names} has no effect without --public-url, the address that peers send notifications to"
        ));
    }
}

/// Prints the number of tokens and issuers, and the command that creates a token.
fn announce_auth(tokens: usize, settings: &BatonSettings, screen: Screen) {
    let issuers = settings.auth.issuers.len();
    let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let credentials = match (tokens, issuers) {
        (0, 0) => "no tokens yet".to_owned(),
        (tokens, 0) => plural(tokens, "valid token"),
        (tokens, issuers) => format!("{} and {}", plural(tokens, "valid token"), plural(issuers, "issuer")),
    };
    screen.print_stderr(&format!("authentication is on: {credentials}"));
    if tokens == 0 {
        let data = match settings.data.to_str() {
            Some(".baton") => String::new(),
            _ => format!(" --data {}", settings.data.display()),
        };
        screen.print_stderr(&format!("  create a token with: baton token create NAME{data}"));
    }
    if settings.tls.is_none() && !settings.host.is_loopback() {
        let warning = screen.stderr_paint().warn("warning");
        screen.print_stderr(&format!(
            "{warning}: tokens are sent unencrypted; use --tls-cert and --tls-key, or a TLS proxy"
        ));
    }
}
