//! Models: configuration, detection, switching, and no silent fallback.

use crate::{
    binary::{Home, RunningProcess, await_line, last_message, request},
    provider::Provider,
};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Variables that enable model detection on this machine, with a single server.
fn detection_variables(provider: &Provider) -> [(&'static str, &str); 2] {
    [("BATON_DETECT", "on"), ("OLLAMA_HOST", &provider.url)]
}

fn stderr_until(server: &mut RunningProcess, until: &str) -> String {
    let mut all = String::new();
    loop {
        let line = await_line(&mut server.stderr, "");
        all.push_str(&line);
        if line.contains(until) {
            return all;
        }
    }
}

#[test]
fn first_start_reports_that_no_ai_model_is_configured() {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (mut server, _) = home.up(&["helper", "--port", "0"]);
    let lines = stderr_until(&mut server, "real AI");
    insta::assert_snapshot!(lines.lines().skip(1).collect::<Vec<_>>().join("\n"), @r#"
      model     playbook (built in, no network, scripted answers: not an AI model)
      try       baton run helper "Hello"
      real AI   export OPENAI_API_KEY=... | ANTHROPIC_API_KEY=... | GEMINI_API_KEY=..., or start Ollama (no restart needed)
    "#);
    drop(server);
    let refused = home.run(&["up", "helper", "--port", "0", "--production"]);
    assert_eq!(refused.code, Some(2), "{}", refused.shown());
    assert!(refused.stderr.contains("the playbook does not answer in production"), "{}", refused.shown());
}

#[test]
fn ollama_is_detected_and_api_keys_take_precedence() {
    let provider = Provider::start();
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (mut server, _) = home.up_with(&detection_variables(&provider), &["helper", "--port", "0"]);
    let line = await_line(&mut server.stderr, "  model ");
    assert!(line.contains("ollama:qwen3:8b (Ollama answers at http://127.0.0.1:"), "{line}");
    drop(server);
    let key = [&detection_variables(&provider)[..], &[("OPENAI_API_KEY", "planted-key")]].concat();
    let (mut server, _) = home.up_with(&key, &["helper", "--port", "0"]);
    let all = stderr_until(&mut server, "  found ");
    assert!(all.contains("openai:gpt-5-mini (OPENAI_API_KEY)") && all.contains("ollama:qwen3:8b"), "{all}");
    assert!(!all.contains("planted-key"));
}

#[test]
fn missing_or_wrong_key_is_an_error_without_playbook_fallback() {
    let provider = Provider::start();
    let home = Home::new();
    home.agent("helper", "model: openai:echo\n", "rules: [{ say: from the playbook }]\n");
    let missing = home.run(&["run", "helper", "Hello"]);
    assert_eq!(missing.code, Some(1), "{}", missing.shown());
    assert!(missing.stderr.contains("OPENAI_API_KEY"), "{}", missing.shown());
    let base = format!("{}/v1", provider.url);
    let variables = [("OPENAI_API_KEY", "planted-wrong"), ("OPENAI_BASE_URL", base.as_str())];
    let wrong = home.run_with(&variables, &["run", "helper", "Please refuse"]);
    assert_eq!(wrong.code, Some(1), "{}", wrong.shown());
    assert!(wrong.stderr.contains("OPENAI_API_KEY") && !wrong.stderr.contains("planted-wrong"), "{}", wrong.shown());
    for ended in [missing, wrong] {
        assert!(!ended.stdout.contains("playbook") && !ended.stderr.contains("from the playbook"), "{}", ended.shown());
    }
    let unset = home.run(&["up", "helper", "--port", "0", "--model", "claude:x"]);
    assert_eq!(unset.code, Some(2), "{}", unset.shown());
    assert!(unset.stderr.contains("ANTHROPIC_API_KEY"), "{}", unset.shown());
}

#[test]
fn session_switches_model_and_spans_name_the_provider() {
    let provider = Provider::start();
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: from the playbook }]\n");
    let providers = format!("providers: {{ mine: {{ base_url: \"{}/v1\" }} }}\nagents: [helper]\n", provider.url);
    home.write("baton.yaml", &providers);
    let (server, _) = home.up(&["--port", "0"]);
    let ask = |args: &[&str]| {
        let ended = home.run(&[&["run", "helper", "Hello", "--json"], args].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.shown());
        serde_json::from_str::<Value>(&ended.stdout).expect("a task")
    };
    let first = ask(&[]);
    let context = first["contextId"].as_str().expect("a conversation").to_owned();
    assert!(first.to_string().contains("from the playbook"), "{first:#}");
    let set = home.run(&["sessions", "set", &context, "model=mine:echo"]);
    assert_eq!(set.code, Some(0), "{}", set.shown());
    let second = ask(&["--context", &context]);
    assert!(second.to_string().contains("Heard you."), "{second:#}");
    assert_eq!(last_message(&second)["metadata"]["model"], "mine:echo", "{second:#}");
    // Stopping the server flushes all spans.
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    let query = r#"{ span.gen_ai.provider.name = "mine" && span.gen_ai.request.model = "echo" }"#;
    let spans = home.run(&["trace", "query", query, "--json"]);
    assert!(spans.stdout.contains("chat echo"), "{}", spans.shown());
}

/// Provider attempts match docs/models.md, with all retry layers combined.
#[test]
fn provider_attempt_count_matches_the_error_message() {
    let provider = Provider::start();
    let home = Home::new();
    home.agent("helper", "model: mine:echo\n", "rules: []\n");
    home.write("baton.yaml", &format!("providers: {{ mine: {{ base_url: \"{}/v1\" }} }}\n", provider.url));
    for (words, tries, expected) in [
        ("be busy", 4, "(after 4 attempts)"),
        ("leave me alone", 1, "retry after 120 s"),
        ("break off", 1, "mine closed the connection unexpectedly"),
        ("refuse", 1, "mine does not accept the key"),
    ] {
        let before = provider.chats().len();
        let ended = home.run(&["run", "helper", words]);
        assert_eq!((ended.code, provider.chats().len() - before), (Some(1), tries), "{words}: {}", ended.shown());
        assert!(ended.stderr.contains(expected), "{words}: {}", ended.shown());
    }
}

#[test]
fn canceled_task_disconnects_from_its_provider() {
    let provider = Provider::start();
    let home = Home::new();
    home.agent("helper", "model: mine:echo\n", "rules: []\n");
    let own = format!("agents: [helper]\nproviders: {{ mine: {{ base_url: \"{}/v1\" }} }}\n", provider.url);
    home.write("baton.yaml", &own);
    let (_server, url) = home.up(&["--port", "0"]);
    let rpc = |method: &str, params: Value| {
        let body = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers = [("Content-Type", "application/json"), ("A2A-Version", "1.0")];
        let reply = request(&url, "POST", "/agents/helper", &headers, &body.to_string());
        serde_json::from_str::<Value>(&reply.body).expect("JSON")
    };
    let message = serde_json::json!({ "role": "ROLE_USER", "messageId": "m", "parts": [{ "text": "hang" }] });
    let configuration = serde_json::json!({ "returnImmediately": true });
    let sent = rpc("SendMessage", serde_json::json!({ "message": message, "configuration": configuration }));
    let task = sent["result"]["task"]["id"].as_str().unwrap_or_else(|| panic!("{sent:#}")).to_owned();
    let begun = Instant::now();
    while provider.chats().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(15), "no request reached the provider");
        std::thread::yield_now();
    }
    let canceled = rpc("CancelTask", serde_json::json!({ "id": task }));
    assert_eq!(canceled["result"]["status"]["state"], "TASK_STATE_CANCELED", "{canceled:#}");
    // The latency is measured in the provider's own tests, without the load of other processes.
    assert_eq!(
        provider.service.disconnects.recv_timeout(Duration::from_secs(5)),
        Ok(()),
        "the client is still connected"
    );
}

#[test]
fn models_command_lists_providers_and_checks_keys() {
    let provider = Provider::start();
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    home.write(
        "baton.yaml",
        &format!("providers: {{ mine: {{ base_url: \"{}/v1\", api_key: planted }} }}\n", provider.url),
    );
    let listed = home.run(&["models", "--provider", "mine"]);
    assert_eq!(listed.code, Some(0), "{}", listed.shown());
    insta::assert_snapshot!(listed.stdout, @r"
    current model: playbook

    mine      ready  custom server (baton.yaml's providers.mine.api_key)
      MODEL      WINDOW  OUTPUT  $/M IN  $/M OUT
      mine:echo  -       -       -       -
    ");
    let all: Value = serde_json::from_str(&home.run(&["models", "--offline", "--json"]).stdout).expect("JSON");
    let status = |id: &str| {
        let found = all["providers"].as_array().and_then(|all| all.iter().find(|provider| provider["id"] == id));
        found.and_then(|provider| provider["status"].as_str()).map(str::to_owned)
    };
    assert_eq!((status("openai").as_deref(), status("mine").as_deref()), (Some("missing"), Some("configured")));
    assert_eq!(home.run(&["models", "check", "mine"]).code, Some(0));
    let missing = home.run(&["models", "check", "claude"]);
    assert_eq!(missing.code, Some(2), "{}", missing.shown());
    assert!(missing.stderr.contains("ANTHROPIC_API_KEY"), "{}", missing.shown());
}
