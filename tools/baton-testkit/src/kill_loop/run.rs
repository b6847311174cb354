//! The loop from start to result.

use super::{
    KillLoopSummary, collect,
    crowd::{AcknowledgedTask, LoopState},
    follow::follow,
    link::{LiveServer, ServerLink},
    notify,
    send::{SENDERS, send},
    stage,
    supervise::Supervisor,
};
use crate::{
    Evidence, Execution, Server, ServerOptions, Transcript,
    checker::{Guarantee, Violation, check},
};
use anyhow::{Result, anyhow, bail, ensure};
use baton_types::{ErrorCode, TaskEvent, TaskId};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::Instant,
};

/// Upper bound for all open tasks to end after the last kill.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(90);

/// Upper bound of tasks whose events an error displays.
const MAX_DISPLAYED_TASKS: usize = 8;

/// Options of the kill loop.
#[derive(Clone, Debug)]
pub struct KillLoopOptions {
    /// The `baton` program.
    pub binary: PathBuf,
    /// The folder with the agents `boss` and `worker`.
    pub agents: PathBuf,
    /// An empty working directory.
    pub directory: PathBuf,
    /// Number of times the server is killed while ready.
    pub cycles: u32,
    /// Determines every random choice, but not the timing of the machine.
    pub seed: u64,
}

/// Result of the kill loop.
#[derive(Debug)]
pub struct KillLoopResult {
    /// Counters of the loop.
    pub summary: KillLoopSummary,
    /// Violated guarantees.
    pub violations: Vec<Violation>,
}

/// Runs the loop and checks the whole history; an error means that the loop itself could not continue.
pub async fn run(options: &KillLoopOptions) -> Result<KillLoopResult> {
    let begun = Instant::now();
    let server_options = stage::set_up(&options.binary, &options.agents, &options.directory)?;
    let mut supervisor = Supervisor::new(server_options.clone(), options.seed);
    let first = supervisor.start().await?;
    let (news, up) = watch::channel(LiveServer::new(0, &first));
    let (stop, stopping) = watch::channel(false);
    let webhook = notify::open(options.seed).await?;
    let crowd = Arc::new(LoopState::new(options.seed, ServerLink::new(up), stopping, webhook));

    let (door, acknowledged) = mpsc::channel(SENDERS.len());
    let mut senders = JoinSet::new();
    for (number, style) in SENDERS.into_iter().enumerate() {
        senders.spawn(send(Arc::clone(&crowd), number, style, door.clone()));
    }
    drop(door);
    let mut reception = tokio::spawn(follow_all(Arc::clone(&crowd), acknowledged));

    let server = tokio::select! {
        server = supervisor.cycle(first, options.cycles, &news) => server?,
        early = &mut reception => {
            let error = early?.err().unwrap_or_else(|| anyhow!("every sender has ended"));
            bail!("{error:#}\nend of the server's log:\n{}", server_options.log_tail());
        }
    };
    stop.send_replace(true);
    let ended = async {
        while let Some(sender) = senders.join_next().await {
            sender??;
        }
        reception.await?
    };
    let followed = match tokio::time::timeout(DRAIN_TIMEOUT, ended).await {
        Ok(Ok(followed)) => followed,
        Ok(Err(error)) => return Err(with_diagnostics(&crowd, &server, &server_options, error).await),
        Err(_) => {
            let error = anyhow!("acknowledged tasks did not end within {DRAIN_TIMEOUT:?}");
            return Err(with_diagnostics(&crowd, &server, &server_options, error).await);
        }
    };

    let mut evidence = gather(&server, &crowd, followed).await?;
    let status = server.stop().await?;
    ensure!(status.success(), "the orderly stop ended with {status}");
    evidence.history = collect::history(&server_options.data).await?;
    evidence.executions = Execution::read_log(&stage::tool_log(&options.directory))?;
    evidence.effects = stage::effects();
    evidence.generations = supervisor.generations;
    evidence.receivers = notify::receivers(&crowd);
    evidence.keyed_messages = crowd.keyed_messages();
    let mut violations = check(&evidence);
    violations.extend(false_crash_loops(&evidence));
    let took = begun.elapsed();
    let mut summary = KillLoopSummary {
        seed: options.seed,
        cycles: options.cycles,
        kills: supervisor.kills,
        unacknowledged: crowd.counts.unacknowledged.get(),
        reconnects: crowd.counts.reconnects.get(),
        answers: crowd.counts.answers.get(),
        took,
        ..KillLoopSummary::default()
    };
    summary.count(&evidence);
    Ok(KillLoopResult { summary, violations })
}

/// Nothing in this loop crashes a process, so no run may fail as a crash loop.
fn false_crash_loops(evidence: &Evidence) -> impl Iterator<Item = Violation> {
    evidence.history.all_facts().filter_map(|(task, _, fact)| match fact {
        TaskEvent::StatusChanged { reason: Some(reason), .. } if reason.code == ErrorCode::CRASH_LOOP.code => {
            let (subject, detail) =
                (task.to_string(), format!("a run that caused no crash failed as a crash loop: {}", reason.detail));
            Some(Violation { guarantee: Guarantee::CrashLoop, subject, detail })
        }
        _ => None,
    })
}

/// Acknowledged tasks with their agents, and the transcripts of their subscribers.
#[derive(Default)]
struct FollowedTasks {
    tasks: BTreeMap<TaskId, &'static str>,
    transcripts: Vec<Transcript>,
}

/// Starts a subscriber for every acknowledged task; returns when all senders and all tasks have ended.
async fn follow_all(
    crowd: Arc<LoopState>,
    mut acknowledged: mpsc::Receiver<AcknowledgedTask>,
) -> Result<FollowedTasks> {
    let mut followed = FollowedTasks::default();
    let mut followers = JoinSet::new();
    loop {
        tokio::select! {
            arrived = acknowledged.recv() => match arrived {
                Some(arrived) => {
                    if followed.tasks.insert(arrived.task.clone(), arrived.agent).is_some() {
                        bail!("task {} was acknowledged to two senders", arrived.task);
                    }
                    followers.spawn(follow(Arc::clone(&crowd), arrived));
                }
                None => break,
            },
            Some(transcript) = followers.join_next() => followed.transcripts.push(transcript??),
        }
    }
    while let Some(transcript) = followers.join_next().await {
        followed.transcripts.push(transcript??);
    }
    Ok(followed)
}

async fn gather(server: &Server, crowd: &LoopState, followed: FollowedTasks) -> Result<Evidence> {
    let client = server.client();
    collect::wait_until_quiet(client).await?;
    notify::wait_for_notifications(client, crowd).await?;
    let FollowedTasks { tasks, transcripts } = followed;
    let views = collect::views(client, tasks.iter().map(|(task, agent)| (task, *agent))).await?;
    let mut listed = BTreeMap::new();
    for task in views.keys() {
        listed.insert(task.clone(), collect::list_events(client, task).await?);
    }
    Ok(Evidence {
        acknowledged: tasks.into_keys().collect(),
        transcripts,
        views,
        listed_events: listed,
        ..Evidence::default()
    })
}

/// Adds open tasks with their events and the server's log to the error.
async fn with_diagnostics(
    crowd: &LoopState,
    server: &Server,
    options: &ServerOptions,
    error: anyhow::Error,
) -> anyhow::Error {
    let open = crowd.open_tasks();
    let mut report = format!("{error:#}\n{} tasks are open", open.len());
    for task in open.iter().take(MAX_DISPLAYED_TASKS) {
        report.push_str(&format!("\n  {task}"));
        match collect::list_events(server.client(), task).await {
            Ok(events) => {
                for event in events {
                    let body: String = event.body.as_str().chars().take(160).collect();
                    report.push_str(&format!("\n    {} {} {body}", event.number, event.kind));
                }
            }
            Err(error) => report.push_str(&format!(": {error}")),
        }
    }
    anyhow!("{report}\nend of the server's log:\n{}", options.log_tail())
}
