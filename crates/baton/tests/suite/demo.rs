//! `baton demo`.

use crate::binary::{Home, RunningProcess, await_line, examples, filtered, get};

#[test]
fn shows_every_step_and_works_again_on_the_same_data() {
    let home = Home::new();
    let first = home.run(&["demo", "--once", "--port", "0"]);
    filtered(|| insta::assert_snapshot!("demo", first.shown()));
    let second = home.run(&["demo", "--once", "--port", "0"]);
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    assert!(second.stdout.contains("72°F"));
    assert!(!home.path(".baton/demo/server.json").exists());
}

#[test]
fn json_output_has_the_task_and_its_events() {
    let home = Home::new();
    let ended = home.run(&["demo", "--once", "--port", "0", "--json", "--examples", &examples()]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let data: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(data["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    let kinds: Vec<&str> =
        data["events"].as_array().expect("events").iter().filter_map(|e| e["kind"].as_str()).collect();
    assert_eq!((kinds[0], kinds.last().copied()), ("task.submitted", Some("task.status_changed")));
    assert!(kinds.contains(&"task.handoff_sent"));
}

#[test]
fn serves_until_interrupted_and_uses_a_free_port_if_the_default_is_taken() {
    let (one, two) = (Home::new(), Home::new());
    // Both serve, whether or not one of them gets the default port.
    let mut running: Vec<_> = [&one, &two].map(|home| home.start(&["demo"])).into();
    for demo in &mut running {
        let line = await_line(&mut demo.stdout, "Serving at");
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");
        assert!(get(url, "/agents/personal/.well-known/agent-card.json").contains("\"Personal Assistant\""));
        demo.signal("INT");
    }
    let ended: Vec<_> = running.into_iter().map(RunningProcess::end).collect();
    assert!(ended.iter().all(|ended| ended.code == Some(0)), "{ended:?}");
    assert!(ended.iter().any(|ended| ended.stderr.contains("is in use; using a free one")), "{ended:?}");
}
