//! The loop from start to result.

use super::{
    Summary, collect,
    crowd::{Acknowledged, Crowd},
    follow::follow,
    link::{Link, Up},
    notify,
    send::{SENDERS, send},
    stage,
    supervise::Supervisor,
};
use crate::{
    Evidence, Execution, Server, ServerOptions, Transcript,
    checker::{Promise, Violation, check},
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
const PATIENCE: Duration = Duration::from_secs(90);

/// Upper bound of tasks whose events an error displays.
const SHOWN: usize = 8;

/// Options of the kill loop.
#[derive(Clone, Debug)]
pub struct Options {
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
pub struct Outcome {
    /// Counters of the loop.
    pub summary: Summary,
    /// Violated guarantees.
    pub violations: Vec<Violation>,
}

/// Runs the loop and checks the whole history; an error means that the loop itself could not continue.
pub async fn run(options: &Options) -> Result<Outcome> {
    let begun = Instant::now();
    let server_options = stage::set_up(&options.binary, &options.agents, &options.directory)?;
    let mut supervisor = Supervisor::new(server_options.clone(), options.seed);
    let first = supervisor.start().await?;
    let (news, up) = watch::channel(Up::new(0, &first));
    let (stop, stopping) = watch::channel(false);
    let webhook = notify::open(options.seed).await?;
    let crowd = Arc::new(Crowd::new(options.seed, Link::new(up), stopping, webhook));

    let (door, acknowledged) = mpsc::channel(SENDERS.len());
    let mut senders = JoinSet::new();
    for (number, style) in SENDERS.into_iter().enumerate() {
        senders.spawn(send(Arc::clone(&crowd), number, style, door.clone()));
    }
    drop(door);
    let mut reception = tokio::spawn(receive(Arc::clone(&crowd), acknowledged));

    let server = tokio::select! {
        server = supervisor.cycle(first, options.cycles, &news) => server?,
        early = &mut reception => {
            let error = early?.err().unwrap_or_else(|| anyhow!("every sender gave up"));
            bail!("{error:#}\nthe server's log ends:\n{}", server_options.log_tail());
        }
    };
    stop.send_replace(true);
    let ended = async {
        while let Some(sender) = senders.join_next().await {
            sender??;
        }
        reception.await?
    };
    let followed = match tokio::time::timeout(PATIENCE, ended).await {
        Ok(Ok(followed)) => followed,
        Ok(Err(error)) => return Err(stuck(&crowd, &server, &server_options, error).await),
        Err(_) => {
            let error = anyhow!("acknowledged tasks did not end within {PATIENCE:?}");
            return Err(stuck(&crowd, &server, &server_options, error).await);
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
    evidence.keyed = crowd.all_keyed();
    let mut violations = check(&evidence);
    violations.extend(innocents(&evidence));
    let took = begun.elapsed();
    let mut summary = Summary {
        seed: options.seed,
        cycles: options.cycles,
        kills: supervisor.kills,
        unacknowledged: crowd.counts.unacknowledged.get(),
        reconnects: crowd.counts.reconnects.get(),
        answers: crowd.counts.answers.get(),
        took,
        ..Summary::default()
    };
    summary.count(&evidence);
    Ok(Outcome { summary, violations })
}

/// Nothing in this loop crashes a process, so no run may fail as a crash loop.
fn innocents(evidence: &Evidence) -> impl Iterator<Item = Violation> {
    evidence.history.all_facts().filter_map(|(task, _, fact)| match fact {
        TaskEvent::StatusChanged { reason: Some(reason), .. } if reason.code == ErrorCode::CRASH_LOOP.code => {
            let (subject, detail) = (task.to_string(), format!("an innocent run was given up: {}", reason.detail));
            Some(Violation { promise: Promise::CrashLoop, subject, detail })
        }
        _ => None,
    })
}

/// Acknowledged tasks with their agents, and the transcripts of their subscribers.
#[derive(Default)]
struct Followed {
    tasks: BTreeMap<TaskId, &'static str>,
    transcripts: Vec<Transcript>,
}

/// Starts a subscriber for every acknowledged task; returns when all senders and all tasks have ended.
async fn receive(crowd: Arc<Crowd>, mut acknowledged: mpsc::Receiver<Acknowledged>) -> Result<Followed> {
    let mut followed = Followed::default();
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

async fn gather(server: &Server, crowd: &Crowd, followed: Followed) -> Result<Evidence> {
    let client = server.client();
    collect::quiet(client).await?;
    notify::all_told(client, crowd).await?;
    let Followed { tasks, transcripts } = followed;
    let views = collect::views(client, tasks.iter().map(|(task, agent)| (task, *agent))).await?;
    let mut listed = BTreeMap::new();
    for task in views.keys() {
        listed.insert(task.clone(), collect::listed(client, task).await?);
    }
    Ok(Evidence { acknowledged: tasks.into_keys().collect(), transcripts, views, listed, ..Evidence::default() })
}

/// Adds open tasks with their events and the server's log to the error.
async fn stuck(crowd: &Crowd, server: &Server, options: &ServerOptions, error: anyhow::Error) -> anyhow::Error {
    let open = crowd.open();
    let mut words = format!("{error:#}\n{} tasks are open", open.len());
    for task in open.iter().take(SHOWN) {
        words.push_str(&format!("\n  {task}"));
        match collect::listed(server.client(), task).await {
            Ok(events) => {
                for event in events {
                    let body: String = event.body.as_str().chars().take(160).collect();
                    words.push_str(&format!("\n    {} {} {body}", event.number, event.kind));
                }
            }
            Err(error) => words.push_str(&format!(": {error}")),
        }
    }
    anyhow!("{words}\nthe server's log ends:\n{}", options.log_tail())
}
