//! Answering a task that asks what became of a tool call that a crash cut off.

use super::{
    chance::Chance,
    crowd::Crowd,
    link::{Link, is_break},
};
use crate::{
    Keyed,
    doubts::{DoubtAnswer, doubts_in},
};
use anyhow::{Context as _, Result, bail};
use baton_client::{ClientError, SendRequest};
use baton_rules::calls_in;
use baton_types::{Message, Role, TaskId};
use baton_wire::{
    Violations,
    a2a::v1::{self, TaskState},
};
use std::sync::Arc;

/// Tries at one question; each but the last was cut off or came too late.
const MAX_TRIES: usize = 500;

/// Answers what the task asks for now, if it still asks. An answer without a reply is repeated as it is when it has an
/// idempotency key, as every second has; otherwise only when the task, looked at again, still asks.
pub(super) async fn answer(crowd: Arc<Crowd>, agent: &'static str, task: TaskId) -> Result<()> {
    let mut link = crowd.link.clone();
    for attempt in 0..MAX_TRIES {
        let up = link.up();
        let outcome = match up.client.get(agent, task.as_str(), Some(0)).await {
            Ok(shown) if shown.status.state == TaskState::InputRequired => {
                let question = shown.status.message.context("a task asks without a message")?;
                let request = reply(&task, &question, crowd.seed, attempt)?;
                if Chance::of(crowd.seed, request.message.id.as_str()).one_in(2) {
                    insist(&crowd, &mut link, agent, request).await?
                } else {
                    up.client.send(agent, request).await.map(|_| ())
                }
            }
            Ok(_) => return Ok(()),
            Err(error) => Err(error),
        };
        match outcome {
            Ok(()) => {
                crowd.counts.answers.add();
                return Ok(());
            }
            Err(error) if is_break(&error) => {
                link.after(&up, &format!("an answer to {task}: {error}")).await?;
            }
            // Somebody was faster, or the task has ended: look again.
            Err(error) if error.refusal().is_some() && attempt + 1 < MAX_TRIES => {}
            Err(error) => bail!("task {task} does not take an answer: {error}"),
        }
    }
    bail!("task {task} asks again and again")
}

/// Repeats an answer under its key until there is a reply.
async fn insist(
    crowd: &Crowd,
    link: &mut Link,
    agent: &str,
    mut request: SendRequest,
) -> Result<Result<(), ClientError>> {
    let message = request.message.id.clone();
    request.idempotency_key = Some(message.to_string());
    let mut keyed = Keyed { message, sends: 0, answers: Vec::new() };
    let mut up = link.up();
    let outcome = loop {
        keyed.sends += 1;
        match up.client.send(agent, request.clone()).await {
            Ok(task) => {
                keyed.answers.push(task.id.into_owned().into());
                break Ok(());
            }
            Err(error) if is_break(&error) => {
                up = link.after(&up, &format!("an answer under key {}: {error}", keyed.message)).await?;
            }
            Err(error) => break Err(error),
        }
    };
    crowd.keyed(keyed);
    Ok(outcome)
}

fn reply(task: &TaskId, question: &v1::Message<'static>, seed: u64, attempt: usize) -> Result<SendRequest> {
    let question = question.clone().check("message", &mut Violations::default()).context("a malformed question")?;
    let doubts = doubts_in(&question);
    if doubts.is_empty() || !calls_in(&question).is_empty() {
        bail!("task {task} asks for something else than what became of calls: {}", question.text());
    }
    let id = format!("{}-answer-{attempt}", question.id);
    let mut chance = Chance::of(seed, &format!("{id} how"));
    let answer = chance.pick(&DoubtAnswer::ALL).copied().unwrap_or(DoubtAnswer::Fail);
    let mut message = Message::new(id.into(), Role::User, vec![answer.part(&doubts)]);
    message.task = Some(task.clone());
    let mut request = SendRequest::new(message);
    request.return_immediately = true;
    Ok(request)
}
