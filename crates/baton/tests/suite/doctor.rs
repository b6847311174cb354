//! `baton doctor`: checks, and the next step for each failure.

use crate::binary::Home;
use serde_json::Value;

/// Exit code and text output.
fn shown(home: &Home, args: &[&str]) -> (Option<i32>, String) {
    let ended = home.run(&[&["doctor"], args].concat());
    (ended.code, ended.shown())
}

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (pattern, replacement) in [
        (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
        (r"\d+(\.\d+)? [KMGTP]?B free", "[room] free"),
        (r"\d[\d.]*(ns|us|ms|s)\b", "[time]"),
        (r"less than a second", "[time]"),
        (r"\d+ spans?, \d+(\.\d+)? [KMG]?B in \d+ blocks?[^\n]*", "[spans]"),
        (r"baton \d+\.\d+\.\d+", "baton [version]"),
        (r"version \d+\.\d+\.\d+", "version [version]"),
    ] {
        settings.add_filter(pattern, replacement);
    }
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn healthy_server_passes_every_check() {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (_server, url) = home.up(&["helper", "--port", "0"]);
    let (code, text) = shown(&home, &[]);
    assert_eq!(code, Some(0), "{text}");
    snapshot("doctor_well", &text);
    let elsewhere = Home::new().run(&["doctor", "--server", &url, "--json"]);
    assert_eq!(elsewhere.code, Some(0), "{}", elsewhere.shown());
    let data: Value = serde_json::from_str(&elsewhere.stdout).expect("JSON");
    let checks = data["checks"].as_array().expect("checks");
    let names: Vec<&str> = checks.iter().filter_map(|check| check["name"].as_str()).collect();
    assert_eq!(names, ["version", "server", "journal", "agents", "spans", "retention", "round trip"]);
    assert!(checks.iter().all(|check| check["status"] == "ok"), "{data:#}");
    assert!(checks[6]["data"]["search_millis"].is_number(), "{data:#}");
}

#[test]
fn checks_run_without_a_server() {
    let home = Home::new();
    let (code, nothing) = shown(&home, &[]);
    assert_eq!(code, Some(0), "{nothing}");
    assert!(!home.path(".baton").exists(), "checks create no data directory");
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    assert_eq!(home.run(&["run", "helper", "hello"]).code, Some(0));
    let (code, alone) = shown(&home, &[]);
    assert_eq!(code, Some(0), "{alone}");
    snapshot("doctor_alone", &format!("{nothing}\n{alone}"));
}

#[test]
fn failures_are_reported_with_the_next_step() {
    let home = Home::new();
    home.write("helper/agent.yaml", "name: helper\nmodle: x\n");
    home.write("helper/prompt.md", "You are a test.\n");
    home.write("file", "");
    let (broken, agents) = shown(&home, &[]);
    let (no_directory, data) = shown(&home, &["--data", "file"]);
    let (nobody, server) = shown(&home, &["--server", "http://127.0.0.1:1"]);
    let all = format!("{agents}\n{data}\n{server}");
    assert_eq!((broken, no_directory, nobody), (Some(4), Some(4), Some(4)), "{all}");
    snapshot("doctor_ill", &all);
}
