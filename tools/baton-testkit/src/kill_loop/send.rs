//! Senders: they send until the loop stops, and know of a task only from a response.

use super::{
    chance::SeededRandom,
    crowd::{AcknowledgedTask, FirstStream, LoopState},
    deliver::{OutgoingMessage, SendStyle},
    link::{ServerLink, is_break},
    notify,
    stage::{BOSS, WORKER},
};
use crate::{KeyedMessage, Receiver};
use anyhow::{Context as _, Result, bail};
use baton_types::{MessageId, PushDialect, TaskId};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Style of each sender.
pub(super) const SENDERS: [SendStyle; 8] = [
    SendStyle::Blocking,
    SendStyle::Blocking,
    SendStyle::Blocking,
    SendStyle::Immediate,
    SendStyle::Immediate,
    SendStyle::Streaming,
    SendStyle::Streaming,
    SendStyle::Streaming,
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

/// Sends until the loop stops. A send without a response is dropped, because it was not acknowledged. With an
/// idempotency key it is repeated until a response arrives, and sometimes once more.
pub(super) async fn send(
    crowd: Arc<LoopState>,
    number: usize,
    style: SendStyle,
    reception: mpsc::Sender<AcknowledgedTask>,
) -> Result<()> {
    let name = format!("sender-{number}");
    let mut chance = SeededRandom::new(crowd.seed, &name);
    let mut link = crowd.link.clone();
    for message in 0_u64.. {
        let room = Arc::clone(&crowd.task_slots).acquire_owned().await?;
        if crowd.is_stopping() {
            break;
        }
        let outgoing = next_message(&crowd, &mut chance, style, format!("{name}-{message}").into())?;
        let (replay, once_more) = (chance.one_in(3), outgoing.keyed && chance.one_in(3));
        let mut keyed = KeyedMessage { message: outgoing.message.clone(), sends: 0, answers: Vec::new() };
        if let Some((task, beginning)) = send_until_answered(&crowd, &mut link, &outgoing, style, &mut keyed).await? {
            let beginning =
                if replay && matches!(beginning, FirstStream::Fresh) { FirstStream::Replay } else { beginning };
            let agent = outgoing.agent;
            crowd.add_open_task(&task, agent);
            reception
                .send(AcknowledgedTask { agent, task, first_stream: beginning, permit: room })
                .await
                .ok()
                .context("the follower task has ended")?;
            if once_more {
                send_until_answered(&crowd, &mut link, &outgoing, SendStyle::Immediate, &mut keyed).await?;
            }
        }
        if outgoing.keyed {
            crowd.add_keyed_message(keyed);
        }
    }
    Ok(())
}

/// Creates the next message; a push receiver that it registers is recorded at once, regardless of the outcome.
fn next_message(
    crowd: &LoopState,
    chance: &mut SeededRandom,
    style: SendStyle,
    message: MessageId,
) -> Result<OutgoingMessage> {
    let (agent, text) = *chance.pick(&WORK).context("there is no work")?;
    // Half of the non-waiting clients use A2A 0.3.
    let old = style == SendStyle::Immediate && chance.one_in(2);
    let dialect = if old { PushDialect::V03 } else { PushDialect::V1 };
    let push = chance.one_in(3).then(|| (crowd.webhook.url(&notify::path(&message)), dialect));
    if push.is_some() {
        crowd.add_receiver(Receiver { message: message.clone(), dialect, after: 0, attempts: Vec::new() });
    }
    Ok(OutgoingMessage { agent, message, text, push, keyed: chance.one_in(3) })
}

/// Sends until a response arrives; `None` if the send was interrupted and must not be repeated.
async fn send_until_answered(
    crowd: &LoopState,
    link: &mut ServerLink,
    outgoing: &OutgoingMessage,
    style: SendStyle,
    keyed: &mut KeyedMessage,
) -> Result<Option<(TaskId, FirstStream)>> {
    let OutgoingMessage { agent, text, .. } = outgoing;
    let mut up = link.current();
    loop {
        keyed.sends += 1;
        match outgoing.deliver(&up, style).await {
            Ok((task, beginning)) => {
                keyed.answers.push(task.clone());
                return Ok(Some((task, beginning)));
            }
            Err(error) if is_break(&error) => {
                crowd.counts.unacknowledged.add();
                up = link.wait_for_successor(&up, &format!("a send to {agent}: {error}")).await?;
                if !outgoing.keyed {
                    return Ok(None);
                }
            }
            Err(error) => bail!("a send of {text:?} to {agent} was refused: {error}"),
        }
    }
}
