//! Checks of JSON replies.

use crate::protocol::{A2aBinding, A2aProtocol, A2aVersion};
use memchr::memmem;
use serde_json::Value;

/// Checks that the reply contains every given byte sequence.
pub fn contains_all(content: &[u8], wanted: &[&[u8]]) -> Result<(), String> {
    match wanted.iter().find(|mark| memmem::find(content, mark).is_none()) {
        None => Ok(()),
        Some(mark) => Err(format!("no '{}' in the reply", mark.escape_ascii())),
    }
}

/// Checks that the reply contains a task that has not ended.
pub fn submitted(content: &[u8]) -> Result<(), String> {
    let open = [&b"TASK_STATE_SUBMITTED"[..], b"TASK_STATE_WORKING"];
    match open.iter().any(|state| memmem::find(content, state).is_some()) {
        true => Ok(()),
        false => Err("no open task in the reply".to_owned()),
    }
}

/// Whether a complete event has arrived; comments do not count.
pub fn has_event(content: &[u8]) -> bool {
    memmem::find(content, b"data:").is_some_and(|data| memmem::find(&content[data..], b"\n\n").is_some())
}

/// Number of events in a stream.
pub fn count_events(content: &[u8]) -> u64 {
    memmem::find_iter(content, b"data:").count() as u64
}

/// Checks that a plain reply is a completed task with the echo as its artifact.
pub fn task(protocol: A2aProtocol, content: &[u8], echo: &str) -> Result<(), String> {
    let reply: Value = serde_json::from_slice(content).map_err(|error| format!("not JSON ({error})"))?;
    let task = ReplyItem::from_reply(protocol, &reply).task;
    if task["status"]["state"] != protocol.completed() || task["id"].as_str().is_none_or(str::is_empty) {
        return Err("the task is not completed".to_owned());
    }
    if task["artifacts"][0]["parts"][0]["text"] != echo {
        return Err("the artifact is not the echo".to_owned());
    }
    Ok(())
}

/// Checks that a stream starts with the task, contains the echo as an artifact and ends completed.
pub fn stream(protocol: A2aProtocol, content: &[u8], echo: &str) -> Result<(), String> {
    let text = std::str::from_utf8(content).map_err(|_| "the stream is not text")?;
    let mut events = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("data:")) {
        events.push(serde_json::from_str(line).map_err(|error| format!("an event is not JSON ({error})"))?);
    }
    let items: Vec<_> = events.iter().map(|event| ReplyItem::from_reply(protocol, event)).collect();
    if items.first().is_none_or(|first| !first.task.is_object()) {
        return Err("the stream does not start with the task".to_owned());
    }
    let echoed = |item: &ReplyItem<'_>| item.artifact["artifact"]["parts"][0]["text"] == echo;
    let completed =
        |item: &ReplyItem<'_>| [item.status, item.task].iter().any(|at| at["status"]["state"] == protocol.completed());
    if !items.iter().any(echoed) {
        return Err("no artifact of the stream is the echo".to_owned());
    }
    if !items.last().is_some_and(completed) {
        return Err("the stream does not end completed".to_owned());
    }
    Ok(())
}

/// Contents of a reply or an event; absent ones are null.
struct ReplyItem<'a> {
    task: &'a Value,
    status: &'a Value,
    artifact: &'a Value,
}

impl<'a> ReplyItem<'a> {
    fn from_reply(protocol: A2aProtocol, reply: &'a Value) -> Self {
        let inside = if protocol.binding == A2aBinding::JsonRpc { &reply["result"] } else { reply };
        if protocol.binding == A2aBinding::JsonRpc && protocol.version == A2aVersion::V03 {
            let when = |kind: &str| if inside["kind"] == kind { inside } else { &Value::Null };
            return Self { task: when("task"), status: when("status-update"), artifact: when("artifact-update") };
        }
        Self { task: &inside["task"], status: &inside["statusUpdate"], artifact: &inside["artifactUpdate"] }
    }
}
