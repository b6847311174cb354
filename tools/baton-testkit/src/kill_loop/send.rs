//! Senders: they send until told to stop, and know of a task only when a reply says so.

use super::{
    chance::Chance,
    crowd::{Acknowledged, Beginning, Crowd},
    link::{Up, is_break},
    stage::{BOSS, WORKER},
};
use anyhow::{Context as _, Result, bail};
use baton_client::{ClientError, SendRequest};
use baton_types::{Message, Part, Role, TaskId};
use std::sync::Arc;
use tokio::sync::mpsc;

/// How a sender wants to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// When the task has ended or needs input.
    Blocking,
    /// As soon as the task exists.
    Immediate,
    /// With a stream.
    Streaming,
}

/// Which of them there are.
pub(super) const SENDERS: [Style; 8] = [
    Style::Blocking,
    Style::Blocking,
    Style::Blocking,
    Style::Immediate,
    Style::Immediate,
    Style::Streaming,
    Style::Streaming,
    Style::Streaming,
];

const WORK: [(&str, &str); 11] = [
    (WORKER, "hello"),
    (WORKER, "look"),
    (WORKER, "set"),
    (WORKER, "pay"),
    (WORKER, "everything"),
    (BOSS, "hello"),
    (BOSS, "delegate hello"),
    (BOSS, "delegate set"),
    (BOSS, "delegate pay"),
    (BOSS, "delegate everything"),
    (BOSS, "twice look"),
];

/// Sends until the loop stops. A send without a reply is forgotten: nobody promised anything about it.
pub(super) async fn send(
    crowd: Arc<Crowd>,
    number: usize,
    style: Style,
    reception: mpsc::Sender<Acknowledged>,
) -> Result<()> {
    let name = format!("sender-{number}");
    let mut chance = Chance::of(crowd.seed, &name);
    let mut link = crowd.link.clone();
    let mut up = link.up();
    for message in 0_u64.. {
        let room = Arc::clone(&crowd.room).acquire_owned().await?;
        if crowd.is_stopping() {
            break;
        }
        let (agent, words) = *chance.pick(&WORK).context("there is no work")?;
        let replay = chance.one_in(3);
        let id = format!("{name}-{message}").into();
        let mut request = SendRequest::new(Message::new(id, Role::User, vec![Part::text(words)]));
        request.return_immediately = style == Style::Immediate;
        match deliver(&up, agent, request, style).await {
            Ok((task, beginning)) => {
                let beginning =
                    if replay && matches!(beginning, Beginning::Fresh) { Beginning::Replay } else { beginning };
                crowd.opened(&task, agent);
                reception.send(Acknowledged { agent, task, beginning, room }).await.ok().context("nobody follows")?;
                up = link.up();
            }
            Err(error) if is_break(&error) => {
                crowd.counts.unacknowledged.add();
                up = link.after(&up, &format!("a send to {agent}: {error}")).await?;
            }
            Err(error) => bail!("a send of {words:?} to {agent} was refused: {error}"),
        }
    }
    Ok(())
}

async fn deliver(up: &Up, agent: &str, request: SendRequest, style: Style) -> Result<(TaskId, Beginning), ClientError> {
    if style != Style::Streaming {
        let task = up.client.send(agent, request).await?;
        return Ok((task.id.into_owned().into(), Beginning::Fresh));
    }
    let mut stream = up.client.send_streaming(agent, request).await?;
    let first = match stream.next().await {
        Some(first) => first?,
        None => return Err(ClientError::Unintelligible("the stream ended before it began".to_owned())),
    };
    let task = first.item.task.as_ref().map(|task| TaskId::from(task.id.as_ref()));
    let task = task.ok_or_else(|| ClientError::Unintelligible("the stream began without a task".to_owned()))?;
    Ok((task, Beginning::Stream(Box::new((stream, first)))))
}
