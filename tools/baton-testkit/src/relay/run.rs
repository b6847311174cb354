//! The loop from start to result.

use super::{
    check::{RelayFindings, check},
    stage::{self, BOSS},
};
use crate::{
    Execution, Server, ServerOptions,
    in_doubt::{DoubtAnswer, in_doubt_entries},
    kill_loop::{
        chance::SeededRandom,
        collect,
        link::{LiveServer, ServerLink, is_break},
    },
};
use anyhow::{Context as _, Result, ensure};
use baton_client::SendRequest;
use baton_rules::parse_tool_calls;
use baton_types::{CallId, Message, Part, Role, Violations};
use baton_wire::a2a::v1::{self, Task, TaskState};
use std::{collections::BTreeMap, ops::Range, path::PathBuf, time::Duration};
use tokio::{sync::watch, task::JoinSet};

/// Concurrent callers.
const CALLERS: usize = 4;
/// Milliseconds from readiness to the kill.
const KILL_DELAY_MILLIS: Range<u64> = 60..600;
/// Upper bound of the whole loop.
const RELAY_TIMEOUT: Duration = Duration::from_secs(600);

/// Options of the relay loop.
#[derive(Clone, Debug)]
pub struct RelayOptions {
    /// The `baton` program.
    pub binary: PathBuf,
    /// An empty working directory.
    pub directory: PathBuf,
    /// Number of handoffs.
    pub handoffs: usize,
    /// Determines every random choice, but not the timing of the machine.
    pub seed: u64,
}

/// Result of the relay loop.
#[derive(Clone, Debug, Default)]
pub struct RelayResult {
    /// Number of kills of the near and the far Baton.
    pub kills: (u32, u32),
    /// Handoffs that completed.
    pub completed: usize,
    /// Executions of the tool with unknown effects.
    pub effects: usize,
    /// In-doubt questions to callers.
    pub doubts: usize,
    /// Runs at the near Baton that resumed after a crash while the far one had the work.
    pub reattached: usize,
    /// Violated invariants.
    pub violations: Vec<String>,
}

/// Runs the loop and checks both histories; an error means that the loop itself could not continue.
pub async fn run(options: &RelayOptions) -> Result<RelayResult> {
    let (near, far) = stage::set_up(&options.binary, &options.directory)?;
    let logs = || format!("near log:\n{}\nfar log:\n{}", near.log_tail(), far.log_tail());
    tokio::time::timeout(RELAY_TIMEOUT, run_loop(options, &near, &far))
        .await
        .with_context(|| format!("not done within {RELAY_TIMEOUT:?}\n{}", logs()))?
        .with_context(logs)
}

async fn run_loop(options: &RelayOptions, near: &ServerOptions, far: &ServerOptions) -> Result<RelayResult> {
    let (stop, stopping) = watch::channel(false);
    let far_server = far.start().await?;
    let near_server = near.start().await?;
    let (news, up) = watch::channel(LiveServer::new(0, &near_server));
    let (far_news, _) = watch::channel(LiveServer::new(0, &far_server));
    let reaper = |server, side: &ServerOptions, news, name| {
        tokio::spawn(kill_and_restart(
            server,
            side.clone(),
            SeededRandom::new(options.seed, name),
            news,
            stopping.clone(),
        ))
    };
    let near_reaper = reaper(near_server, near, news, "near");
    let far_reaper = reaper(far_server, far, far_news, "far");

    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let jobs: Vec<usize> = (0..options.handoffs).filter(|job| job % CALLERS == caller).collect();
        callers.spawn(call(ServerLink::new(up.clone()), options.seed, jobs));
    }
    let mut answers = Vec::new();
    while let Some(answered) = callers.join_next().await {
        answers.extend(answered??);
    }
    stop.send_replace(true);
    let (near_server, near_kills) = near_reaper.await??;
    let (far_server, far_kills) = far_reaper.await??;
    for server in [near_server, far_server] {
        let status = server.stop().await?;
        ensure!(status.success(), "the orderly stop ended with {status}");
    }
    let (near, far) = (collect::history(&near.data).await?, collect::history(&far.data).await?);
    let RelayFindings { completed, reattached, mut violations } = check(options.handoffs, &answers, &near, &far);
    let effects = Execution::read_log(&stage::effects_log(&options.directory))?;
    violations.extend(repeated_effects(&effects));
    let doubts = answers.iter().map(|answer| answer.doubts).sum();
    let kills = (near_kills, far_kills);
    Ok(RelayResult { kills, completed, effects: effects.len(), doubts, reattached, violations })
}

/// Kills and restarts one Baton until `stopping`; returns the last one running.
async fn kill_and_restart(
    mut server: Server,
    options: ServerOptions,
    mut chance: SeededRandom,
    news: watch::Sender<LiveServer>,
    mut stopping: watch::Receiver<bool>,
) -> Result<(Server, u32)> {
    for kills in 0.. {
        tokio::select! {
            stopped = stopping.wait_for(|stop| *stop) => {
                stopped?;
                return Ok((server, kills));
            }
            () = tokio::time::sleep(chance.millis(KILL_DELAY_MILLIS)) => {}
        }
        server.kill().await?;
        server = options.start().await?;
        news.send_replace(LiveServer::new(kills + 1, &server));
    }
    Ok((server, u32::MAX))
}

/// Final answer to a job.
pub(super) struct JobAnswer {
    pub(super) job: usize,
    pub(super) text: String,
    /// In-doubt questions to its caller.
    pub(super) doubts: usize,
}

/// Sends each job with an idempotency key until it is answered, across any number of crashes.
async fn call(mut link: ServerLink, seed: u64, jobs: Vec<usize>) -> Result<Vec<JobAnswer>> {
    let mut answers = Vec::new();
    for job in jobs {
        let mut message = Message::new(format!("job-{job}").into(), Role::User, vec![Part::text(format!("job-{job}"))]);
        let mut doubts = 0;
        let task = loop {
            let task = send_until_answered(&mut link, message).await.with_context(|| format!("job {job}"))?;
            if task.status.state != TaskState::InputRequired {
                break task;
            }
            let question = task.status.message.clone().context("the task requires input but has no message")?;
            message = answer(seed, &task.id, question)?;
            doubts += 1;
        };
        // A failed job has its reason in the status; the answer of a completed one is in the history.
        let last = task.status.message.as_ref().or_else(|| task.history.as_ref()?.last());
        let parts = last.into_iter().flat_map(|message| &message.parts);
        let text = parts.filter_map(|part| part.text.as_deref()).collect();
        answers.push(JobAnswer { job, text, doubts });
    }
    Ok(answers)
}

/// Sends a message, with its id as the idempotency key, until a response arrives.
async fn send_until_answered(link: &mut ServerLink, message: Message) -> Result<Task<'static>> {
    let mut up = link.current();
    loop {
        let mut request = SendRequest::new(message.clone());
        request.idempotency_key = Some(message.id.to_string());
        match up.client.send(BOSS, request).await {
            Ok(task) => return Ok(task),
            Err(error) if is_break(&error) => up = link.wait_for_successor(&up, &error.to_string()).await?,
            // The server is stopping or starting; the next process responds.
            Err(error) if error.refusal().is_some_and(|refusal| refusal.baton_code.as_deref() == Some("BTN-4007")) => {
                up = link.wait_for_successor(&up, &error.to_string()).await?;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Answers the in-doubt questions of a task; none of the calls may run again.
fn answer(seed: u64, task: &str, question: v1::Message<'static>) -> Result<Message> {
    let question = question.check("message", &mut Violations::default()).context("a malformed question")?;
    let doubts = in_doubt_entries(&question);
    ensure!(!doubts.is_empty(), "task {task} asks for something else: {}", question.text());
    ensure!(parse_tool_calls(&question).is_empty(), "task {task} asks its caller to run an in-doubt call");
    let mut chance = SeededRandom::new(seed, question.id.as_str());
    let how = chance.pick(&DoubtAnswer::ALL).copied().unwrap_or(DoubtAnswer::Fail);
    let mut message = Message::new(format!("{}-answer", question.id).into(), Role::User, vec![how.part(&doubts)]);
    message.task = Some(task.into());
    Ok(message)
}

/// Reports jobs paid more than once, under any call id.
fn repeated_effects(effects: &[Execution]) -> Vec<String> {
    let mut runs: BTreeMap<&str, Vec<&CallId>> = BTreeMap::new();
    for Execution { tool: job, call, .. } in effects {
        runs.entry(job).or_default().push(call);
    }
    let repeated = runs.iter().filter(|(_, calls)| calls.len() > 1);
    repeated.map(|(job, calls)| format!("{job} was paid {} times, by calls {calls:?}", calls.len())).collect()
}
