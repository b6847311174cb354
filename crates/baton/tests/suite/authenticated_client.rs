//! Authentication with the official Python client; `tests/python/authenticated_client.py` documents its checks.

use crate::{binary::Home, foreign::ALL_BINDINGS, python_client::PYTHON};

fn run_client(binding: &str) {
    let home = Home::new();
    home.write("baton.yaml", ALL_BINDINGS);
    home.agent("one", "", "rules: [{ say: hello }]\n");
    // A token of another Baton.
    let elsewhere = Home::new();
    let made = |home: &Home, arguments: &[&str]| {
        let made = home.run(&[&["token", "create"], arguments].concat());
        assert_eq!(made.code, Some(0), "{}", made.shown());
        made.stdout.trim().to_owned()
    };
    let unknown = made(&elsewhere, &["mine"]);
    let (server, url) = home.up(&["--auth", "--port", "0"]);
    let (mine, theirs) = (made(&home, &["mine"]), made(&home, &["theirs"]));
    let reading = made(&home, &["eye", "--scope", "read"]);
    let agent = format!("{url}/agents/one");
    PYTHON.run_script(&["tests/python/authenticated_client.py", &agent, binding, &mine, &theirs, &reading, &unknown]);
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}

#[test]
fn over_json_rpc() {
    run_client("JSONRPC");
}

#[test]
fn over_http_json() {
    run_client("HTTP+JSON");
}

#[test]
fn over_grpc() {
    run_client("GRPC");
}
