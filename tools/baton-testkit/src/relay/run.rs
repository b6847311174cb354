//! The loop from start to verdict.

use super::{
    check::{Seen, check},
    stage::{self, BOSS},
};
use crate::{
    Server, ServerOptions,
    kill_loop::{
        chance::Chance,
        collect,
        link::{Link, Up, is_break},
    },
};
use anyhow::{Context as _, Result, ensure};
use baton_client::SendRequest;
use baton_types::{Message, Part, Role};
use std::{ops::Range, path::PathBuf, time::Duration};
use tokio::{sync::watch, task::JoinSet};

/// Callers at the same time.
const CALLERS: usize = 4;
/// Milliseconds from taking work to death.
const LIFE: Range<u64> = 60..600;
/// Longer than the whole loop may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The `baton` program.
    pub binary: PathBuf,
    /// An empty directory to play in.
    pub directory: PathBuf,
    /// How much work is handed over.
    pub handoffs: usize,
    /// Decides every choice, but not what the machine makes of it.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// How often the near and the far Baton were killed.
    pub kills: (u32, u32),
    /// Handoffs that completed.
    pub completed: usize,
    /// Handoffs that ended otherwise, which a run that was killed three times at one event does.
    pub failed: usize,
    /// Runs at the near Baton that went on after a death while the far one had the work.
    pub reattached: usize,
    /// What did not hold.
    pub violations: Vec<String>,
}

/// Runs the loop and checks both histories; an error means that the loop itself could not go on.
pub async fn run(options: &Options) -> Result<Outcome> {
    let (near, far) = stage::set_up(&options.binary, &options.directory)?;
    let logs = || format!("near log:\n{}\nfar log:\n{}", near.log_tail(), far.log_tail());
    tokio::time::timeout(PATIENCE, played(options, &near, &far))
        .await
        .with_context(|| format!("not done within {PATIENCE:?}\n{}", logs()))?
        .with_context(logs)
}

async fn played(options: &Options, near: &ServerOptions, far: &ServerOptions) -> Result<Outcome> {
    let (stop, stopping) = watch::channel(false);
    let far_server = far.start().await?;
    let near_server = near.start().await?;
    let (news, up) = watch::channel(Up::new(0, &near_server));
    let (far_news, _) = watch::channel(Up::new(0, &far_server));
    let reaper = |server, side: &ServerOptions, news, name| {
        tokio::spawn(reap(server, side.clone(), Chance::of(options.seed, name), news, stopping.clone()))
    };
    let near_reaper = reaper(near_server, near, news, "near");
    let far_reaper = reaper(far_server, far, far_news, "far");

    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let jobs: Vec<usize> = (0..options.handoffs).filter(|job| job % CALLERS == caller).collect();
        callers.spawn(call(Link::new(up.clone()), jobs));
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
    let Seen { completed, failed, reattached, violations } = check(options.handoffs, &answers, &near, &far);
    Ok(Outcome { kills: (near_kills, far_kills), completed, failed, reattached, violations })
}

/// Kills and restarts one Baton until told to stop; gives the last one back alive.
async fn reap(
    mut server: Server,
    options: ServerOptions,
    mut chance: Chance,
    news: watch::Sender<Up>,
    mut stopping: watch::Receiver<bool>,
) -> Result<(Server, u32)> {
    for kills in 0.. {
        tokio::select! {
            stopped = stopping.wait_for(|stop| *stop) => {
                stopped?;
                return Ok((server, kills));
            }
            () = tokio::time::sleep(chance.millis(LIFE)) => {}
        }
        server.kill().await?;
        server = options.start().await?;
        news.send_replace(Up::new(kills + 1, &server));
    }
    Ok((server, u32::MAX))
}

/// Asks for each job under a key until it has an answer, however often the Baton dies meanwhile.
async fn call(mut link: Link, jobs: Vec<usize>) -> Result<Vec<(usize, String)>> {
    let mut answers = Vec::new();
    for job in jobs {
        let message = Message::new(format!("job-{job}").into(), Role::User, vec![Part::text(format!("job-{job}"))]);
        let mut up = link.up();
        let task = loop {
            let mut request = SendRequest::new(message.clone());
            request.idempotency_key = Some(format!("job-{job}"));
            match up.client.send(BOSS, request).await {
                Ok(task) => break task,
                Err(error) if is_break(&error) => up = link.after(&up, &error.to_string()).await?,
                // It is stopping or starting; its next life answers.
                Err(error)
                    if error.refusal().is_some_and(|refusal| refusal.baton_code.as_deref() == Some("BTN-4007")) =>
                {
                    up = link.after(&up, &error.to_string()).await?;
                }
                Err(error) => return Err(error).with_context(|| format!("job {job}")),
            }
        };
        let parts = task.status.message.iter().flat_map(|message| &message.parts);
        let said = parts.filter_map(|part| part.text.as_deref()).collect();
        answers.push((job, said));
    }
    Ok(answers)
}
