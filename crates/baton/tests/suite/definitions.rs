//! Creating and listing agents, and errors in definitions and configuration.

use crate::binary::{Home, examples, filtered};

const BROKEN: &str = "name: broken\ndescription: Does not work.\nversoin: 1\nsettings:\n  max_turns: 0\n";

#[test]
fn a_new_agent_works_and_is_never_overwritten() {
    let home = Home::new();
    let made = home.run(&["new", "helper"]);
    let again = home.run(&["new", "helper"]);
    let nested = home.run(&["new", "second", "--dir", "agents", "--json"]);
    let wrong = home.run(&["new", "Not A Name", "--json"]);
    let all = [made, again, nested, wrong].map(|ended| ended.shown()).join("\n");
    filtered(|| insta::assert_snapshot!("new", all));
    let said = home.run(&["run", "helper", "my name is Ada", "-q"]);
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (Some(0), "Nice to meet you, Ada.\n", ""));
    let dated = home.run(&["run", "helper", "what day is it?", "-q"]);
    assert!(dated.stdout.starts_with("It is 20"), "{}", dated.shown());
}

#[test]
fn agents_lists_definitions_with_their_errors() {
    let home = Home::new();
    let good = home.run(&["agents", &examples()]);
    let nothing = home.run(&["agents"]);
    home.agent("good", "", "rules: [{ say: hello }]\n");
    home.write("broken/agent.yaml", BROKEN);
    home.write("broken/prompt.md", "You are broken.\n");
    home.agent("riddle", "", "rules:\n  - when: { user: \"(\" }\n    say: \"${nothing}\"\n");
    let mixed = home.run(&["agents"]);
    let json = home.run(&["agents", "broken", "--json"]);
    let all = [good, nothing, mixed, json].map(|ended| ended.shown()).join("\n");
    filtered(|| insta::assert_snapshot!("agents", all));
    assert!(!home.path(".baton").exists(), "listing creates no data directory");
}

#[test]
fn up_fails_without_agents_and_tolerates_a_broken_one() {
    let home = Home::new();
    home.write("broken/agent.yaml", BROKEN);
    let none = home.run(&["up", "--port", "0"]);
    filtered(|| insta::assert_snapshot!("up_broken", none.shown()));
    assert!(!home.path(".baton").exists(), "a failed start creates no data directory");
    home.agent("good", "", "rules: [{ say: hello }]\n");
    let (server, _) = home.up(&["--port", "0"]);
    let said = home.run(&["run", "good", "hi"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "hello\n"), "{}", said.stderr);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

const WRONG_ACCESS: &str = r#"
auth:
  required: always
  cards: hidden
  issuers:
    - { issuer: login.example.com, scopes: [everything], algorithms: [none] }
    - { issuer: "https://a.example.com", audience: [], jwks: "https://a.example.com/keys" }
    - { issuer: "https://b.example.com", audience: b }
    - { issuer: "https://b.example.com", audience: b }
tls: { certificate: cert.pem }
cors: { origins: ["https://app.example.com/page"] }
limits: { requests_per_second: 0 }
peers:
  - { name: Weather, url: weather.example.com, bearer: hunter2 }
  - { name: two, url: "https://a.example.com", bearer: "env://A", basic: { user: me, secret: hunter2 } }
  - { name: two, url: "https://a.example.com", api_key: { in: body, secret: "env://A" }, client_cert: c.pem }
  - { name: three, url: "https://a.example.com", require_signature: true, hosts: ["https://b"], allow: ["10.0.0.1/8"] }
  - { name: four, url: "https://a.example.com", oauth2: { token_url: x, client_id: me }, binding: soap, patience: 2d }
"#;

#[test]
fn configuration_errors_have_a_location() {
    let home = Home::new();
    home.agent("good", "", "rules: [{ say: hello }]\n");
    let offered = "a2a: { streaming: yes, version: exact, bindings: [rest, soap], extensions: [{ uri: audit }, { uri: \"urn:a:b\", name: c }] }\n\
        push: { allow: [\"http://10.0.0.1\", \"10.0.0.1/8\", \"*\"], deadline: 60d }\n";
    let limits = "port: 70000\nprot: 1\nlimits: { body_bytes: many, max_streems: 3 }\nretention: 7\n";
    home.write("baton.yaml", &format!("{limits}{offered}"));
    let wrong = home.run(&["up"]);
    let json = home.run(&["run", "good", "hi", "--json", "--config", "elsewhere.yaml"]);
    home.write("baton.yaml", WRONG_ACCESS);
    let access = home.run(&["up"]);
    assert!(!access.stderr.contains("hunter2"), "a secret is not repeated");
    home.write("baton.yaml", "cors: { origins: [\"*\"] }\n");
    let open = home.run(&["up"]);
    home.write("baton.yaml", "peers: [{ name: good, url: \"https://a.example.com\" }]\n");
    let twice = home.run(&["up"]);
    let all = [wrong, json, access, open, twice].map(|ended| ended.shown()).join("\n");
    filtered(|| insta::assert_snapshot!("config", all));
    home.write("baton.yaml", "port: 0\ndata: state\nagents: [good]\nretention: { days: 1, keep: 10 }\n");
    let (server, _) = home.up(&[]);
    assert!(home.path("state/server.json").exists());
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
