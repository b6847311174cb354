//! Whether a reply in JSON is right.

use crate::protocol::{Binding, Protocol, Version};
use memchr::memmem;
use serde_json::Value;

/// The reply holds all these.
pub fn marks(content: &[u8], wanted: &[&[u8]]) -> Result<(), String> {
    match wanted.iter().find(|mark| memmem::find(content, mark).is_none()) {
        None => Ok(()),
        Some(mark) => Err(format!("no '{}' in the reply", mark.escape_ascii())),
    }
}

/// The reply holds a task that goes on.
pub fn submitted(content: &[u8]) -> Result<(), String> {
    let open = [&b"TASK_STATE_SUBMITTED"[..], b"TASK_STATE_WORKING"];
    match open.iter().any(|state| memmem::find(content, state).is_some()) {
        true => Ok(()),
        false => Err("no open task in the reply".to_owned()),
    }
}

/// A whole event has arrived; comments are none.
pub fn has_event(content: &[u8]) -> bool {
    memmem::find(content, b"data:").is_some_and(|data| memmem::find(&content[data..], b"\n\n").is_some())
}

/// How many events a stream has.
pub fn count_events(content: &[u8]) -> u64 {
    memmem::find_iter(content, b"data:").count() as u64
}

/// A plain reply holds a completed task with the echo as artifact.
pub fn task(protocol: Protocol, content: &[u8], echo: &str) -> Result<(), String> {
    let reply: Value = serde_json::from_slice(content).map_err(|error| format!("not JSON ({error})"))?;
    let task = Item::of(protocol, &reply).task;
    if task["status"]["state"] != protocol.completed() || task["id"].as_str().is_none_or(str::is_empty) {
        return Err("the task is not completed".to_owned());
    }
    if task["artifacts"][0]["parts"][0]["text"] != echo {
        return Err("the artifact is not the echo".to_owned());
    }
    Ok(())
}

/// A stream begins with the task, carries the echo as artifact and ends completed.
pub fn stream(protocol: Protocol, content: &[u8], echo: &str) -> Result<(), String> {
    let text = std::str::from_utf8(content).map_err(|_| "the stream is not text")?;
    let mut events = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("data:")) {
        events.push(serde_json::from_str(line).map_err(|error| format!("an event is not JSON ({error})"))?);
    }
    let items: Vec<_> = events.iter().map(|event| Item::of(protocol, event)).collect();
    if items.first().is_none_or(|first| !first.task.is_object()) {
        return Err("the stream does not begin with the task".to_owned());
    }
    let echoed = |item: &Item<'_>| item.artifact["artifact"]["parts"][0]["text"] == echo;
    let completed =
        |item: &Item<'_>| [item.status, item.task].iter().any(|at| at["status"]["state"] == protocol.completed());
    if !items.iter().any(echoed) {
        return Err("no artifact of the stream is the echo".to_owned());
    }
    if !items.last().is_some_and(completed) {
        return Err("the stream does not end completed".to_owned());
    }
    Ok(())
}

/// What a reply or an event holds; the others are null.
struct Item<'a> {
    task: &'a Value,
    status: &'a Value,
    artifact: &'a Value,
}

impl<'a> Item<'a> {
    fn of(protocol: Protocol, reply: &'a Value) -> Self {
        let inside = if protocol.binding == Binding::JsonRpc { &reply["result"] } else { reply };
        if protocol.binding == Binding::JsonRpc && protocol.version == Version::V03 {
            let when = |kind: &str| if inside["kind"] == kind { inside } else { &Value::Null };
            return Self { task: when("task"), status: when("status-update"), artifact: when("artifact-update") };
        }
        Self { task: &inside["task"], status: &inside["statusUpdate"], artifact: &inside["artifactUpdate"] }
    }
}
