//! Recording and hearing again.

use crate::{
    ask::{after, tool, user, with_tools},
    scripted::{Step, heard, refused, scripted},
};
use Step::{Done, Fail, Say};
use baton_models::{Cassette, RecorderModel, ReplayModel, call_key};
use baton_ports::ChatMessage;
use std::{fs, sync::Arc};

const SECRET: &str = "sk-planted-0123456789";

fn tape(folder: &tempfile::TempDir) -> Arc<Cassette> {
    Arc::new(Cassette::open(folder.path().join("a.jsonl")).unwrap())
}

#[tokio::test]
async fn what_was_recorded_is_heard_again_and_the_rest_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let model = scripted(
        "a:m",
        &[&[Say("one sk-planted-"), Say("0123456789"), Done], &[Say("two"), Done], &[Fail(refused(500, None))]],
    );
    let recorder = RecorderModel::new(model.clone(), tape(&folder), [SECRET.to_owned()]);
    let asked = || with_tools(user(&format!("my key is {SECRET}")), &[tool("weather", "{}")]);
    for _ in 0..3 {
        heard(&recorder, asked()).await;
    }
    let file = fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
    assert!(!file.contains(SECRET) && !file.contains("0123456789"), "{file}");
    assert_eq!(file.lines().count(), 2, "an answer that failed is not kept");

    let replay = ReplayModel::strict("a:m", tape(&folder), [SECRET.to_owned()]);
    for expect in ["say one [secret]\ndone", "say two\ndone", "say two\ndone"] {
        assert_eq!(heard(&replay, asked()).await, expect);
    }
    assert_eq!(model.calls(), 3);
    let mut other = asked();
    other.system = "You are another.".to_owned();
    let text = heard(&replay, other.clone()).await;
    let lines = [
        "has no answer to this call",
        "-   \\\"system\\\": \\\"You are a test.\\\"",
        "+   \\\"system\\\": \\\"You are another.\\\"",
    ];
    assert!(lines.iter().all(|line| text.contains(line)) && !text.contains(SECRET), "{text}");
    let live = scripted("a:m", &[&[Say("live"), Done]]);
    let either = ReplayModel::with_live_model(live, tape(&folder), []);
    assert_eq!(heard(&either, other).await, "say live\ndone");
}

#[tokio::test]
async fn what_a_crash_left_is_passed_over_and_damage_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let model = scripted("a:m", &[&[Say("one"), Done]]);
    heard(&RecorderModel::new(model.clone(), tape(&folder), []), user("1")).await;
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}{}", &whole[..20])).unwrap();
    let torn = tape(&folder);
    assert_eq!(torn.len(), 1);
    heard(&RecorderModel::new(model, torn, []), user("2")).await;
    assert_eq!(tape(&folder).len(), 2);
    fs::write(&path, whole.replace("You are a test", "You are no test")).unwrap();
    let error = Cassette::open(&path).unwrap_err().to_string();
    assert!(error.contains("line 1") && error.contains("the key does not match the call"), "{error}");
}

#[test]
fn ids_and_attempts_do_not_count_and_everything_else_does() {
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
    assert_eq!(call_key(&call()), call_key(&same), "the order of keys is nothing");
    for different in [user("x"), user("y"), after(user("x"), &[("weather", "{\"b\":1,\"a\":2}", "\"rainy\"")])] {
        assert_ne!(call_key(&call()), call_key(&different));
    }
}
