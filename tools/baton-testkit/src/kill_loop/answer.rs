//! Answers tasks that ask for the outcome of a tool call that a crash interrupted.

use super::{
    chance::SeededRandom,
    crowd::LoopState,
    link::{ServerLink, is_break},
};
use crate::{
    KeyedMessage,
    in_doubt::{DoubtAnswer, in_doubt_entries},
};
use anyhow::{Context as _, Result, bail};
use baton_client::{ClientError, SendRequest};
use baton_rules::parse_tool_calls;
use baton_types::{Message, Role, TaskId, Violations};
use baton_wire::a2a::v1::{self, TaskState};
use std::sync::Arc;

/// Upper bound of attempts at one question; all but the last were interrupted or too late.
const MAX_ATTEMPTS: usize = 500;

/// Answers the task's current question, if there is one. Every second answer has an idempotency key and is repeated
/// unchanged until a response arrives. Without a key, an unacknowledged answer is repeated only if the task still
/// requires input.
pub(super) async fn answer(crowd: Arc<LoopState>, agent: &'static str, task: TaskId) -> Result<()> {
    let mut link = crowd.link.clone();
    for attempt in 0..MAX_ATTEMPTS {
        let up = link.current();
        let outcome = match up.client.get(agent, task.as_str(), Some(0)).await {
            Ok(shown) if shown.status.state == TaskState::InputRequired => {
                let question = shown.status.message.context("the task requires input but has no message")?;
                let request = reply(&task, &question, crowd.seed, attempt)?;
                if SeededRandom::new(crowd.seed, request.message.id.as_str()).one_in(2) {
                    send_until_answered(&crowd, &mut link, agent, request).await?
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
                link.wait_for_successor(&up, &format!("an answer to {task}: {error}")).await?;
            }
            // Another answer was first, or the task has ended: get the task again.
            Err(error) if error.refusal().is_some() && attempt + 1 < MAX_ATTEMPTS => {}
            Err(error) => bail!("task {task} does not accept an answer: {error}"),
        }
    }
    bail!("task {task} keeps requiring input")
}

/// Repeats an answer with its idempotency key until a response arrives.
async fn send_until_answered(
    crowd: &LoopState,
    link: &mut ServerLink,
    agent: &str,
    mut request: SendRequest,
) -> Result<Result<(), ClientError>> {
    let message = request.message.id.clone();
    request.idempotency_key = Some(message.to_string());
    let mut keyed = KeyedMessage { message, sends: 0, answers: Vec::new() };
    let mut up = link.current();
    let outcome = loop {
        keyed.sends += 1;
        match up.client.send(agent, request.clone()).await {
            Ok(task) => {
                keyed.answers.push(task.id.into_owned().into());
                break Ok(());
            }
            Err(error) if is_break(&error) => {
                up = link.wait_for_successor(&up, &format!("an answer under key {}: {error}", keyed.message)).await?;
            }
            Err(error) => break Err(error),
        }
    };
    crowd.add_keyed_message(keyed);
    Ok(outcome)
}

fn reply(task: &TaskId, question: &v1::Message<'static>, seed: u64, attempt: usize) -> Result<SendRequest> {
    let question = question.clone().check("message", &mut Violations::default()).context("a malformed question")?;
    let doubts = in_doubt_entries(&question);
    if doubts.is_empty() || !parse_tool_calls(&question).is_empty() {
        bail!("task {task} asks for more than the outcome of calls: {}", question.text());
    }
    let id = format!("{}-answer-{attempt}", question.id);
    let mut chance = SeededRandom::new(seed, &format!("{id} how"));
    let answer = chance.pick(&DoubtAnswer::ALL).copied().unwrap_or(DoubtAnswer::Fail);
    let mut message = Message::new(id.into(), Role::User, vec![answer.part(&doubts)]);
    message.task = Some(task.clone());
    let mut request = SendRequest::new(message);
    request.return_immediately = true;
    Ok(request)
}
