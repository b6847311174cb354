//! Recording and replaying of model calls.

use crate::{
    calls::{after, tool, user, with_tools},
    scripted_model::{Step, output_lines, refused, scripted},
};
use Step::{Done, Fail, Say};
use baton_models::{Cassette, RecorderModel, ReplayModel, call_key};
use baton_ports::ChatMessage;
use std::{fs, sync::Arc};

const SECRET: &str = "sk-planted-0123456789";

fn cassette(folder: &tempfile::TempDir) -> Arc<Cassette> {
    Arc::new(Cassette::open(folder.path().join("a.jsonl")).unwrap())
}

#[tokio::test]
async fn recorded_calls_are_replayed_and_misses_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let model = scripted(
        "a:m",
        &[&[Say("one sk-planted-"), Say("0123456789"), Done], &[Say("two"), Done], &[Fail(refused(500, None))]],
    );
    let recorder = RecorderModel::new(model.clone(), cassette(&folder), [SECRET.to_owned()]);
    let asked = || with_tools(user(&format!("my key is {SECRET}")), &[tool("weather", "{}")]);
    for _ in 0..3 {
        output_lines(&recorder, asked()).await;
    }
    let file = fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
    assert!(!file.contains(SECRET) && !file.contains("0123456789"), "{file}");
    assert_eq!(file.lines().count(), 2, "a failed call is not recorded");

    let replay = ReplayModel::strict("a:m", cassette(&folder), [SECRET.to_owned()]);
    for expect in ["say one [secret]\ndone", "say two\ndone", "say two\ndone"] {
        assert_eq!(output_lines(&replay, asked()).await, expect);
    }
    assert_eq!(model.calls(), 3);
    let mut other = asked();
    other.system = "You are another.".to_owned();
    let text = output_lines(&replay, other.clone()).await;
    let lines = [
        "has no answer to this call",
        "-   \\\"system\\\": \\\"You are a test.\\\"",
        "+   \\\"system\\\": \\\"You are another.\\\"",
    ];
    assert!(lines.iter().all(|line| text.contains(line)) && !text.contains(SECRET), "{text}");
    let live = scripted("a:m", &[&[Say("live"), Done]]);
    let either = ReplayModel::with_live_model(live, cassette(&folder), []);
    assert_eq!(output_lines(&either, other).await, "say live\ndone");
}

#[tokio::test]
async fn truncated_last_line_is_skipped_and_damage_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let model = scripted("a:m", &[&[Say("one"), Done]]);
    output_lines(&RecorderModel::new(model.clone(), cassette(&folder), []), user("1")).await;
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}{}", &whole[..20])).unwrap();
    let torn = cassette(&folder);
    assert_eq!(torn.len(), 1);
    output_lines(&RecorderModel::new(model, torn, []), user("2")).await;
    assert_eq!(cassette(&folder).len(), 2);
    fs::write(&path, whole.replace("You are a test", "You are no test")).unwrap();
    let error = Cassette::open(&path).unwrap_err().to_string();
    assert!(error.contains("line 1") && error.contains("the key does not match the call"), "{error}");
}

#[test]
fn ids_and_attempts_do_not_change_the_call_key() {
    let call = || after(user("x"), &[("weather", "{\"b\":1,\"a\":2}", "\"sunny\"")]);
    let mut renamed = call();
    (renamed.attempt, renamed.turn, renamed.message_id) = (3, 9, "other".into());
    for message in &mut renamed.messages {
        match message {
            ChatMessage::User { id, .. } => *id = "u9".into(),
            ChatMessage::Assistant { calls, .. } => calls[0].id = "c9".into(),
            ChatMessage::Tool { call, .. } => *call = "c9".into(),
        }
    }
    assert_eq!(call_key(&call()), call_key(&renamed));
    let same = after(user("x"), &[("weather", "{\"a\":2,\"b\":1}", "\"sunny\"")]);
    assert_eq!(call_key(&call()), call_key(&same), "the order of keys is irrelevant");
    for different in [user("x"), user("y"), after(user("x"), &[("weather", "{\"b\":1,\"a\":2}", "\"rainy\"")])] {
        assert_ne!(call_key(&call()), call_key(&different));
    }
}
