//! The JavaScript package of OpenAI in a cross-origin page in Chromium, against the real binary.

use crate::{
    binary::{Home, examples, free_port},
    foreign::Interpreter,
};

const NODE: Interpreter = Interpreter { variable: "BATON_TEST_BROWSER_NODE", set_up: &["scripts/browser-env.sh"] };

#[test]
fn openai_in_chromium() {
    let home = Home::new();
    let port = free_port();
    home.write("baton.yaml", &format!("cors: {{ origins: [\"http://127.0.0.1:{port}\"] }}\n"));
    let desk = format!("{}/../tests/agents/openai", examples());
    let (server, url) = home.up(&[&desk, "--port", "0", "--data", "data"]);
    NODE.run_script(&["tests/browser/openai_page.mjs", &url, &port]);
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}
