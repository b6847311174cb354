//! `baton token`, and servers that require authentication.

use crate::binary::{CommandOutput, Home, await_line, filtered, request};
use base64::{Engine as _, prelude::BASE64_STANDARD as STANDARD};

const SEND: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message":
    {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}}}"#;

/// Snapshot filters for secrets, ids and dates.
fn tokens_filtered(check: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    for (pattern, replacement) in [
        (r"btn_[0-9a-f]{10}_[A-Za-z0-9_-]{43}", "btn_[id]_[secret]"),
        (r"\b[0-9a-f]{10}\b", "[token id]"),
        (r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "[minute]"),
        (r"\d{4}-\d\d-\d\d", "[day]"),
        (r"T\[time\]Z", "[moment]"),
    ] {
        settings.add_filter(pattern, replacement);
    }
    settings.bind(|| filtered(check));
}

/// The token printed by a command, alone on stdout.
fn token(made: &CommandOutput) -> &str {
    let token = made.stdout.strip_suffix('\n').unwrap_or_default();
    let alone = token.starts_with("btn_") && !token.contains(char::is_whitespace);
    assert!(alone && made.code == Some(0), "{}", made.shown());
    token
}

fn id(token: &str) -> &str {
    token.split('_').nth(1).expect("btn_ID_SECRET")
}

/// The status of a send with this token.
fn sent(url: &str, token: Option<&str>) -> u16 {
    let shown = token.map(|token| format!("Bearer {token}"));
    let mut headers = vec![("Content-Type", "application/json"), ("A2A-Version", "1.0")];
    headers.extend(shown.as_deref().map(|shown| ("Authorization", shown)));
    request(url, "POST", "/agents/one", &headers, SEND).status
}

fn home() -> Home {
    let home = Home::new();
    home.agent("one", "", "rules: [{ say: hello }]\n");
    home
}

#[test]
fn tokens_are_made_listed_and_revoked_with_and_without_a_server() {
    let home = home();
    let nothing = home.run(&["token", "list"]);
    let early = home.run(&["token", "create", "early", "--scope", "read", "--scope", "call:one", "--expires", "1d"]);
    let (server, _) = home.up(&["--auth", "--port", "0"]);
    let made = home.run(&["token", "create", "ops", "--scope", "admin", "--expires", "never", "--tenant", "acme"]);
    let json = home.run(&["token", "create", "ci", "--subject", "builds", "--json"]);
    let revoked = home.run(&["token", "revoke", id(token(&early))]);
    let listed = home.run(&["token", "list"]);
    let wrong = home.run(&["token", "create", "x", "--scope", "everything"]);
    let unknown = home.run(&["token", "revoke", "nothing"]);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    let again = home.run(&["token", "revoke", token(&made)]);
    let mistyped = home.run(&["token", "revoke", &format!("btn_{}", token(&made))]);
    for ended in [&again, &mistyped] {
        assert!(!ended.stderr.contains(token(&made)), "a secret is not repeated: {}", ended.stderr);
    }
    let after = home.run(&["token", "list", "--json"]);
    let kept: serde_json::Value = serde_json::from_str(&after.stdout).expect("JSON");
    let states: Vec<_> = kept["tokens"].as_array().expect("a list").iter().map(|t| t["revokedAt"].is_null()).collect();
    assert_eq!(states, [false, false, true], "{}", after.shown());
    let all = [nothing, early, made, json, revoked, listed, wrong, unknown, again];
    tokens_filtered(|| insta::assert_snapshot!("tokens", all.map(|ended| ended.shown()).join("\n")));
}

#[test]
fn a_revoked_token_is_refused_at_once_and_after_a_restart() {
    let home = home();
    let (server, url) = home.up(&["--auth", "--port", "0"]);
    let made = home.run(&["token", "create", "ci"]);
    let reader = home.run(&["token", "create", "eye", "--scope", "read"]);
    let (ci, eye) = (token(&made), token(&reader));
    let statuses = |url: &str| [None, Some("nonsense"), Some(eye), Some(ci)].map(|token| sent(url, token));
    assert_eq!(statuses(&url), [401, 401, 403, 200]);
    let refused = request(&url, "GET", "/api/v1/tasks/x", &[], "");
    let challenge = refused.header("www-authenticate").unwrap_or_default();
    assert!(challenge.starts_with("Bearer") && refused.body.contains("BTN-1010"), "{refused:?}");
    assert_eq!(request(&url, "GET", "/agents/one/.well-known/agent-card.json", &[], "").status, 200);
    // Remote agents require the admin scope; notifications carry another kind of token.
    let bearer = format!("Bearer {ci}");
    let known = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let add = |headers| request(&url, "POST", "/api/v1/agents", headers, "{\"url\": \"http://127.0.0.1:1\"}").status;
    assert_eq!((add(&known[1..]), add(&known)), (401, 403));
    assert_eq!(request(&url, "DELETE", "/api/v1/agents/one", &known, "").status, 403);
    assert_eq!(request(&url, "POST", "/api/v1/peers/notifications/x", &known[1..], "{}").status, 404);

    assert_eq!(home.run(&["token", "revoke", id(ci)]).code, Some(0));
    assert_eq!(statuses(&url), [401, 401, 403, 401]);
    server.kill();
    let (_server, url) = home.up(&["--auth", "--port", "0"]);
    assert_eq!(statuses(&url), [401, 401, 403, 401]);
    // The line is written by a separate thread, after the response.
    let read = || std::fs::read_to_string(home.path(".baton/audit.jsonl")).expect("written");
    for _ in 0..100 {
        if read().contains("the token was revoked") {
            break;
        }
        std::thread::park_timeout(std::time::Duration::from_millis(20));
    }
    let audit = read();
    assert!(audit.contains("the token was revoked") && !audit.contains(ci), "{audit}");
}

#[test]
fn commands_send_the_given_token() {
    let home = home();
    let (_server, url) = home.up(&["--auth", "--port", "0"]);
    let made = home.run(&["token", "create", "ana", "--scope", "call:one"]);
    let token = token(&made);
    let elsewhere = Home::new();
    let run = |more: &[&str]| elsewhere.run(&[&["run", "one", "hi", "-q", "--server", &url], more].concat());
    let flag = run(&["--token", token]);
    assert_eq!((flag.code, flag.stdout.as_str()), (Some(0), "hello\n"), "{}", flag.shown());
    let variable = elsewhere.run_with(&[("BATON_TOKEN", token)], &["agents", "--server", &url]);
    assert_eq!(variable.code, Some(0), "{}", variable.shown());
    let without = run(&[]);
    let forbidden = elsewhere.run(&["token", "list", "--server", &url, "--token", token]);
    let broken = run(&["--token", "two words"]);
    let all = [without, forbidden, broken].map(|ended| ended.shown()).join("\n");
    tokens_filtered(|| insta::assert_snapshot!("token_shown", all));
    let help = elsewhere.run_with(&[("BATON_TOKEN", token)], &["run", "--help"]);
    assert!(!help.stdout.contains(token), "help shows no secrets");
    // The owner of the data directory needs no token.
    assert_eq!(home.run(&["run", "one", "hi", "-q"]).stdout, "hello\n");
}

#[test]
fn startup_message_describes_authentication() {
    let home = home();
    let lines = |home: &Home, args: &[&str]| {
        let mut server = home.start(&[&["up", "--port", "0"], args].concat());
        let mut said = await_line(&mut server.stderr, "baton serves");
        server.signal("TERM");
        said.push_str(&server.end().stderr);
        said
    };
    let first = lines(&home, &["--auth"]);
    assert_eq!(home.run(&["token", "create", "ci"]).code, Some(0));
    let issuers = "auth: { required: true, issuers: [{ issuer: \"https://login.example.com\", audience: baton }] }\n";
    home.write("baton.yaml", issuers);
    let second = lines(&home, &["--host", "0.0.0.0"]);
    let off = lines(&home, &["--auth=false", "--host", "0.0.0.0", "--insecure"]);
    filtered(|| insta::assert_snapshot!("auth_lines", [first, second, off].join("\n")));
}

fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

#[test]
fn https_with_a_self_signed_certificate() {
    let home = home();
    let made = rcgen::generate_simple_self_signed(vec!["agents.example.com".to_owned()]).expect("a certificate");
    home.write("cert.pem", &pem("CERTIFICATE", made.cert.der()));
    home.write("key.pem", &pem("PRIVATE KEY", &made.signing_key.serialize_der()));
    let half = home.run(&["up", "--port", "0", "--tls-cert", "cert.pem"]);
    let swapped = home.run(&["up", "--port", "0", "--tls-cert", "key.pem", "--tls-key", "cert.pem"]);
    filtered(|| insta::assert_snapshot!("tls_wrong", [half, swapped].map(|ended| ended.shown()).join("\n")));
    let mut server = home.start(&["up", "--port", "0", "--auth", "--tls-cert", "cert.pem", "--tls-key", "key.pem"]);
    let line = await_line(&mut server.stderr, "baton serves");
    assert!(line.contains(" at https://127.0.0.1:"), "{line}");
    let asked = home.run(&["run", "one", "hi", "-q"]);
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(0), "hello\n"), "{}", asked.shown());
    let listed = home.run(&["agents"]);
    assert!(listed.stderr.contains("served at https://"), "{}", listed.shown());
}
