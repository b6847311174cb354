//! Outcome of a followed task in Baton's own types. Invalid or oversized content of the peer is dropped.

use super::{
    MAX_CONTENT, TaskTracker,
    artifacts::{content_size, merge_text, text},
};
use baton_ports::PeerOutcome;
use baton_types::{TaskState, Violations};
use baton_wire::a2a::v1::{Artifact, MAX_PARTS, Message, Part, Role};

/// The outcome of a settled task.
pub(crate) fn outcome(seen: &TaskTracker) -> Option<PeerOutcome> {
    let state = seen.settled()?;
    let reported = seen.answer().or(seen.status_message()).and_then(message);
    let message = match reported {
        None if state == TaskState::Completed => {
            let last = seen.artifacts().rev().find(|artifact| !text(&artifact.parts).trim().is_empty());
            last.and_then(|artifact| message(&answer(artifact)))
        }
        reported => reported,
    };
    let message_text = message.as_ref().map(|message| strip_whitespace(message.parts.iter().filter_map(plain)));
    let tells_more = |artifact: &&Artifact<'static>| {
        let content = strip_whitespace(artifact.parts.iter().filter_map(|part| part.text.as_deref()));
        let only_text = artifact.parts.iter().all(|part| part.text.is_some());
        !only_text || !content.is_empty() && message_text.as_ref() != Some(&content)
    };
    let artifacts = seen.artifacts().filter(tells_more).filter_map(checked).collect();
    Some(PeerOutcome { state, message, artifacts })
}

/// An artifact as an answer message.
fn answer(artifact: &Artifact<'static>) -> Message<'static> {
    let parts: Vec<_> = artifact.parts.iter().filter(|part| part.text.is_some()).cloned().collect();
    // Many servers keep the chunks of a streamed text.
    Message {
        message_id: artifact.artifact_id.clone(),
        role: Role::Agent,
        parts: merge_text(&parts),
        ..Message::default()
    }
}

/// A message in Baton's own type: invalid content is dropped; `None` if nothing is left.
fn message(reply: &Message<'static>) -> Option<baton_types::Message> {
    let mut reply = Message { parts: limit_parts(&reply.parts), ..reply.clone() };
    if reply.parts.is_empty() {
        return None;
    }
    reply.role = Role::Agent;
    reply.context_id = None;
    reply.task_id = None;
    reply.metadata = reply.metadata.filter(baton_types::Json::is_object);
    let reply = reply.check("message", &mut Violations::default())?;
    Some(reply).filter(|reply| !reply.parts.is_empty())
}

fn checked(artifact: &Artifact<'static>) -> Option<baton_types::Artifact> {
    let metadata = artifact.metadata.clone().filter(baton_types::Json::is_object);
    let artifact = Artifact { parts: limit_parts(&artifact.parts), metadata, ..artifact.clone() };
    artifact.check("artifact", &mut Violations::default()).filter(|artifact| !artifact.parts.is_empty())
}

/// The parts within the size limits; invalid ones are dropped.
fn limit_parts(parts: &[Part<'static>]) -> Vec<Part<'static>> {
    let mut room = MAX_CONTENT;
    let parts = if parts.len() > MAX_PARTS { merge_text(parts) } else { parts.to_vec() };
    let readable = parts.iter().filter(|part| (*part).clone().check("part", &mut Violations::default()).is_some());
    let fits = readable.take(MAX_PARTS).map_while(|part| {
        let size = content_size(std::slice::from_ref(part));
        let text = part.text.as_deref().filter(|_| size > room);
        let cut = text.map(|text| Part::text(text[..text.floor_char_boundary(room)].to_owned()));
        if cut.is_none() && size > room {
            return None;
        }
        room = room.saturating_sub(size);
        Some(cut.unwrap_or_else(|| part.clone()))
    });
    fits.collect()
}

fn plain(part: &baton_types::Part) -> Option<&str> {
    match &part.content {
        baton_types::PartContent::Text(text) => Some(text),
        _ => None,
    }
}

/// Text without white space, to compare differently split texts.
fn strip_whitespace<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.flat_map(str::split_whitespace).collect()
}
