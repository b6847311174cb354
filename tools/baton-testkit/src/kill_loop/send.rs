//! Senders: they send until the loop stops, and know of a task only from a response.

use super::{
    chance::Chance,
    crowd::{Acknowledged, Beginning, Crowd},
    deliver::{Letter, Style},
    link::{Link, is_break},
    notify,
    stage::{BOSS, WORKER},
};
use crate::{Keyed, Receiver};
use anyhow::{Context as _, Result, bail};
use baton_types::{MessageId, PushDialect, TaskId};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Style of each sender.
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

/// Sends until the loop stops. A send without a response is dropped, because it was not acknowledged. With an
/// idempotency key it is repeated until a response arrives, and sometimes once more.
pub(super) async fn send(
    crowd: Arc<Crowd>,
    number: usize,
    style: Style,
    reception: mpsc::Sender<Acknowledged>,
) -> Result<()> {
    let name = format!("sender-{number}");
    let mut chance = Chance::of(crowd.seed, &name);
    let mut link = crowd.link.clone();
    for message in 0_u64.. {
        let room = Arc::clone(&crowd.room).acquire_owned().await?;
        if crowd.is_stopping() {
            break;
        }
        let letter = write(&crowd, &mut chance, style, format!("{name}-{message}").into())?;
        let (replay, once_more) = (chance.one_in(3), letter.keyed && chance.one_in(3));
        let mut keyed = Keyed { message: letter.message.clone(), sends: 0, answers: Vec::new() };
        if let Some((task, beginning)) = insist(&crowd, &mut link, &letter, style, &mut keyed).await? {
            let beginning = if replay && matches!(beginning, Beginning::Fresh) { Beginning::Replay } else { beginning };
            let agent = letter.agent;
            crowd.opened(&task, agent);
            reception.send(Acknowledged { agent, task, beginning, room }).await.ok().context("nobody follows")?;
            if once_more {
                insist(&crowd, &mut link, &letter, Style::Immediate, &mut keyed).await?;
            }
        }
        if letter.keyed {
            crowd.keyed(keyed);
        }
    }
    Ok(())
}

/// Creates the next message; a push receiver that it registers is recorded at once, regardless of the outcome.
fn write(crowd: &Crowd, chance: &mut Chance, style: Style, message: MessageId) -> Result<Letter> {
    let (agent, words) = *chance.pick(&WORK).context("there is no work")?;
    // Half of the non-waiting clients use A2A 0.3.
    let old = style == Style::Immediate && chance.one_in(2);
    let dialect = if old { PushDialect::V03 } else { PushDialect::V1 };
    let push = chance.one_in(3).then(|| (crowd.webhook.url(&notify::path(&message)), dialect));
    if push.is_some() {
        crowd.registered(Receiver { message: message.clone(), dialect, after: 0, attempts: Vec::new() });
    }
    Ok(Letter { agent, message, words, push, keyed: chance.one_in(3) })
}

/// Sends until a response arrives; `None` if the send was interrupted and must not be repeated.
async fn insist(
    crowd: &Crowd,
    link: &mut Link,
    letter: &Letter,
    style: Style,
    keyed: &mut Keyed,
) -> Result<Option<(TaskId, Beginning)>> {
    let Letter { agent, words, .. } = letter;
    let mut up = link.up();
    loop {
        keyed.sends += 1;
        match letter.deliver(&up, style).await {
            Ok((task, beginning)) => {
                keyed.answers.push(task.clone());
                return Ok(Some((task, beginning)));
            }
            Err(error) if is_break(&error) => {
                crowd.counts.unacknowledged.add();
                up = link.after(&up, &format!("a send to {agent}: {error}")).await?;
                if !letter.keyed {
                    return Ok(None);
                }
            }
            Err(error) => bail!("a send of {words:?} to {agent} was refused: {error}"),
        }
    }
}
