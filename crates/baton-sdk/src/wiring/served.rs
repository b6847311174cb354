//! The engine behind its HTTP surface.

use super::{
    agents::{CodedAgents, Least},
    kept::{self, KeptShelf},
    listen::listen,
    mcp::endpoints,
    store::Store,
    telemetry,
    tools::toolbox,
};
use crate::{Error, Running, baton::Start, manage::Manager};
use baton_engine::{Engine, Ports};
use baton_http::{AccessOptions, HttpOptions, ServeOptions, SpanPorts, ToolPorts};
use baton_lineup::{Lineup, Loopback, ModelSettings, Parts, process_environment};
use baton_local::{SystemClock, TimeOrderedIds};
use baton_models::{Catalog, PlaybookModels};
use baton_outbound::{AddressPolicy, GuardedClient, PushSender};
use baton_peers::PeerHub;
use baton_ports::{AgentSource, Clock as _};
use baton_spans::Recorded;
use baton_toolhost::Toolbox;
use baton_types::ErrorCode;
use std::{io, sync::Arc, time::Duration};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long runs may take to reach their next journaled event when the process ends.
const CHECKPOINT: Duration = Duration::from_secs(5);
/// How long MCP servers have to end.
const FAREWELL: Duration = Duration::from_secs(4);
/// Everything that ends in order has ended by then.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// What has to be ended in order.
pub(crate) struct Served {
    engine: Engine,
    /// The same for tools that are part of Baton: they reach it as long as this is here, and do not keep it.
    _reached: Arc<Engine>,
    tools: Arc<Toolbox>,
    store: Store,
    spans: Recorded,
    shelf: Arc<KeptShelf>,
    serving: JoinHandle<io::Result<()>>,
    stopping: DropGuard,
}

/// The models of the agents: those that they name, with keys of their kits or of the environment; the playbook for others.
fn lineup(agents: Arc<dyn AgentSource>) -> Arc<Lineup> {
    Lineup::new(Parts {
        agents,
        playbooks: Arc::new(PlaybookModels::new()),
        settings: ModelSettings::default(),
        environment: process_environment(),
        probe: Arc::new(Loopback),
        catalog: Arc::new(Catalog::default()),
        clock: Arc::new(SystemClock),
    })
}

/// Puts everything together and serves it; unfinished runs are taken up in the background.
pub(crate) async fn start(start: Start, address: &str) -> Result<Running, Error> {
    let Start { agents, data, storage, tracing } = start;
    let least = if storage.is_some() { Least::None } else { Least::One };
    let kept = kept::open(storage).await?;
    let (agents, native) = CodedAgents::of(agents, Arc::clone(&kept), least)?;
    let shelf = Arc::new(KeptShelf { coded: agents.coded(), kept });
    let book = agents.book();
    let agents: Arc<dyn AgentSource> = Arc::new(agents);
    let listener = listen(address).await?;
    let bound = listener
        .local_addr()
        .map_err(|error| Error::new(ErrorCode::INTERNAL, format!("the socket has no address: {error}")))?;
    let store = Store::open(data.as_deref())?;
    let spans = telemetry::open(data.as_deref(), tracing)?;
    let tools = toolbox(Arc::clone(&agents), Arc::clone(&book), native, data.as_deref(), spans.tracer())?;
    let policy = AddressPolicy::public_only();
    let webhooks = PushSender::new(|| GuardedClient::new(policy, &baton_outbound::Options::default()));
    let ports = Ports {
        journal: store.journal(),
        models: lineup(Arc::clone(&agents)),
        tools: tools.toolbox.clone(),
        agents: Arc::clone(&agents),
        peers: Arc::new(PeerHub::new(book, None).with_tracer(spans.tracer())),
        webhooks: Arc::new(webhooks.with_tracer(spans.tracer())),
        watch: spans.observer(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(TimeOrderedIds),
    };
    let engine = Engine::new(baton_engine::Options::default(), ports);
    let reached = Arc::new(engine.clone());
    tools.attach(&reached);
    let tools = tools.toolbox;
    let spans = spans.follow(store.journal());
    let stopping = CancellationToken::new();
    let mcp = endpoints(&engine, &agents, &tools, data.as_deref(), stopping.clone())?;
    let options = HttpOptions {
        bound: Some(bound),
        access: AccessOptions { clock: Arc::new(SystemClock), ..AccessOptions::default() },
        signer: store.signer(),
        tools: Some(ToolPorts { host: tools.clone() }),
        mcp: Some(mcp),
        spans: Some(SpanPorts { store: spans.store() }),
        tracer: spans.tracer(),
        started_at: SystemClock.now(),
        shutdown: stopping.clone(),
        ..HttpOptions::default()
    };
    let app = baton_http::app(engine.clone(), options);
    let serving = tokio::spawn(baton_http::serve(listener, app, ServeOptions::default(), stopping.clone()));
    recover(engine.clone());
    let served =
        Served { engine, _reached: reached, tools, store, spans, shelf, serving, stopping: stopping.drop_guard() };
    Ok(Running::new(format!("http://{bound}"), served))
}

/// Takes up what a dead process left behind, in the background.
fn recover(engine: Engine) {
    tokio::spawn(async move {
        match engine.recover().await {
            Ok(0) => {}
            Ok(runs) => tracing::info!(runs, "unfinished runs go on"),
            Err(error) => tracing::error!(%error, "unfinished runs could not be taken up; restart to try again"),
        }
    });
}

impl Served {
    /// Who makes and changes agents.
    pub(crate) fn manager(&self) -> Manager {
        Manager::new(self.shelf.clone())
    }

    /// Stops accepting, lets requests and runs come to a good point, and lets the data directory go.
    pub(crate) async fn stop(self) {
        let Self { engine, tools, store, spans, serving, stopping, .. } = self;
        drop(stopping);
        let ending = async {
            let (served, ()) = tokio::join!(serving, engine.shutdown(CHECKPOINT));
            // What does not close in time is ended when the servers are dropped.
            let _ = tokio::time::timeout(FAREWELL, tools.close()).await;
            spans.close().await;
            store.close().await;
            served
        };
        match tokio::time::timeout(SHUTDOWN, ending).await {
            Ok(Ok(Err(error))) => tracing::warn!(%error, "the listener failed"),
            Ok(_) => {}
            Err(_) => tracing::warn!("shutdown took too long; unfinished runs go on at the next start"),
        }
    }
}
