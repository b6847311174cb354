//! `baton up`, and the commands that use a running server.

use crate::binary::{Home, examples, filtered, get};
use std::{fs, net::TcpListener};

#[test]
fn serves_commands_of_its_data_directory_and_stops_in_order() {
    let home = Home::new();
    let (server, url) = home.up(&[&examples(), "--port", "0", "--data", "state"]);
    assert!(get(&url, "/readyz").contains("\"ok\""));
    let file: serde_json::Value =
        serde_json::from_slice(&fs::read(home.path("state/server.json")).expect("written")).expect("JSON");
    assert_eq!((&file["url"], &file["pid"]), (&url.as_str().into(), &server.pid().into()));
    assert_eq!(file["token"].as_str().map(str::len), Some(64));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(home.path("state/server.json")).expect("written").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    let asked = home.run(&["run", "personal", "What's the weather in Oakland?", "--data", "state"]);
    assert_eq!((asked.code, asked.stdout.contains("72°F")), (Some(0), true), "{}", asked.shown());
    let named = home.run(&["run", "weather", "Weather in Lisbon?", "--server", &url, "-q"]);
    assert_eq!(named.stdout, "The weather in Lisbon is 72°F, sunny, humidity 65%.\n", "{}", named.stderr);
    let listed = home.run(&["agents", "--data", "state"]);
    let locked = home.run(&["up", &examples(), "--port", "0", "--data", "state"]);
    filtered(|| insta::assert_snapshot!("second_up", [listed, locked].map(|ended| ended.shown()).join("\n")));

    server.signal("TERM");
    let ended = server.end();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{}", ended.shown());
    assert!(!home.path("state/server.json").exists());
    let alone = home.run(&["run", "weather", "Weather in Oakland?", "--agents", &examples(), "--data", "state"]);
    assert_eq!(alone.code, Some(0), "the directory is free again: {}", alone.stderr);
}

#[test]
fn a_handoff_can_be_read_as_one_record() {
    let home = Home::new();
    let (_server, url) = home.up(&[&examples(), "--port", "0"]);
    let asked = home.run(&["run", "personal", "What's the weather in Oakland?", "--json"]);
    let task: serde_json::Value = serde_json::from_str(&asked.stdout).expect("JSON");
    let events = json(&url, &format!("/api/v1/tasks/{}/events", task["id"].as_str().expect("an id")));
    let sent = events["events"].as_array().expect("events").iter().find(|event| event["kind"] == "task.handoff_sent");
    let id = sent.expect("a handoff")["body"]["handoff_sent"]["handoff"].as_str().expect("an id").to_owned();
    let handoff = json(&url, &format!("/api/v1/handoffs/{id}"));
    assert_eq!(
        [&handoff["status"], &handoff["fromAgent"], &handoff["toAgent"], &handoff["parentTaskId"]],
        [&"completed".into(), &"personal".into(), &"weather".into(), &task["id"]]
    );
    assert!(handoff["result"]["response"].as_str().expect("words").contains("72°F"));
    let child = json(&url, &format!("/api/v1/tasks/{}", handoff["childTaskId"].as_str().expect("an id")));
    assert_eq!(
        (&child["agent"], &child["task"]["status"]["state"]),
        (&"weather".into(), &"TASK_STATE_COMPLETED".into())
    );
    assert!(get(&url, "/api/v1/handoffs/nothing").contains("BTN-2010"));
}

fn json(url: &str, path: &str) -> serde_json::Value {
    let reply = get(url, path);
    let (_, body) = reply.split_once("\r\n\r\n").unwrap_or(("", &reply));
    serde_json::from_str(body).expect("a JSON body")
}

#[test]
fn port_in_use_is_reported() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("bound").port().to_string();
    let refused = home.run(&["up", &examples(), "--port", &port]);
    filtered(|| insta::assert_snapshot!("port_taken", refused.shown()));
    assert!(!home.path(".baton/server.json").exists());
}

#[test]
fn announces_itself_to_programs_and_reports_unused_rules() {
    let home = Home::new();
    home.agent(
        "one",
        "",
        "rules:\n  - { when: { user: a }, say: A }\n  - { name: never, when: { user: b }, say: B }\n",
    );
    let mut server = home.start(&["up", "--port", "0", "--json", "--strict"]);
    let line = crate::binary::await_line(&mut server.stdout, "url");
    let announced: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    let url = announced["url"].as_str().expect("an address");
    assert_eq!(announced["agents"][0]["url"], format!("{url}/agents/one/"));
    assert_eq!(home.run(&["run", "one", "a"]).stdout, "A\n");
    let missed = home.run(&["run", "one", "z"]);
    assert_eq!(missed.code, Some(1), "{}", missed.shown());
    server.signal("INT");
    let ended = server.end();
    filtered(|| insta::assert_snapshot!("strict_report", ended.shown()));
}
