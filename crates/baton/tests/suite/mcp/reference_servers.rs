//! Agents with third-party MCP servers, configured as in practice.

use super::example_server::{NODE, PACKAGES};
use crate::{
    binary::{Home, RunningProcess, await_line, free_port, last_text, request},
    foreign::command,
};
use serde_json::{Value, json};
use std::{
    io::BufReader,
    path::Path,
    process::{Child, Stdio},
};

/// Calls the tool named by the first word of the message and returns its result.
const EVERYTHING: &str = r#"
rules:
  - when: { user: "^Resource trigger-sampling-request context: (?P<prompt>.+)" }
    say: "I was asked: ${prompt}"
  - when: { after_tool: "*" }
    say: "${results}"
  - when: { user: "^echo (?P<words>.+)", turn: first }
    call: [{ tool: all__echo, args: { message: "${words}" } }]
  - when: { user: "^picture", turn: first }
    call: [all__get-tiny-image]
  - when: { user: "^weather", turn: first }
    call: [{ tool: all__get-structured-content, args: { location: Chicago } }]
  - when: { user: "^long", turn: first }
    call: [{ tool: all__trigger-long-running-operation, args: { duration: 0.4, steps: 2 } }]
  - when: { user: "^form", turn: first }
    call: [all__trigger-elicitation-request]
  - when: { user: "^sample (?P<words>.+)", turn: first }
    call: [{ tool: all__trigger-sampling-request, args: { prompt: "${words}" } }]
"#;

const FILES: &str = r#"
rules:
  - when: { after_tool: "*" }
    say: "${results}"
  - when: { user: "^write (?P<path>\\S+) (?P<words>.+)", turn: first }
    call: [{ tool: files__write_file, args: { path: "${path}", content: "${words}" } }]
  - when: { user: "^read (?P<path>.+)", turn: first }
    call: [{ tool: files__read_text_file, args: { path: "${path}" } }]
  - when: { user: "^list (?P<path>.+)", turn: first }
    call: [{ tool: files__list_directory, args: { path: "${path}" } }]
"#;

/// A served agent with one MCP server.
struct Agent {
    home: Home,
    server: RunningProcess,
    url: String,
}

impl Agent {
    fn new(server_name: &str, mut server: Value, playbook: &str) -> Self {
        let home = Home::new();
        home.agent("stock", "", playbook);
        server["permissions"] = json!({ "default": "allow" });
        home.write("stock/mcp.json", &json!({ "mcpServers": { server_name: server } }).to_string());
        let (server, url) = home.up(&["stock", "--port", "0", "--data", "data", "--strict"]);
        Self { home, server, url }
    }

    /// Sends a message, for a new task or to a task that asked, and returns the task.
    fn send(&self, message: &str, task: Option<&str>) -> Value {
        let mut args = vec!["run", "stock", message, "--json", "--data", "data"];
        args.extend(task.map(|id| ["--task", id]).into_iter().flatten());
        let ended = self.home.run(&args);
        serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{message}: {}", ended.shown()))
    }

    /// The final answer of the agent to a message.
    fn answer_to(&self, message: &str) -> String {
        final_text(&self.send(message, None))
    }

    fn events(&self, task: &Value) -> Vec<Value> {
        let id = task["id"].as_str().expect("an id");
        let mut events = self.get(&format!("/api/v1/tasks/{id}/events"));
        serde_json::from_value(events["events"].take()).expect("events")
    }

    /// The agent's tools and servers, as soon as this tool is listed.
    fn tools_with(&self, tool: &str) -> Value {
        let mut listed = Value::Null;
        for _ in 0..100 {
            listed = self.get("/api/v1/agents/stock/tools?wait=10s");
            let mut tools = listed["tools"].as_array().expect("a list").iter();
            if tools.any(|one| one["name"] == tool) {
                return listed;
            }
        }
        panic!("no {tool}: {listed:#}");
    }

    fn get(&self, path: &str) -> Value {
        let reply = request(&self.url, "GET", path, &[], "");
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        serde_json::from_str(&reply.body).expect("JSON")
    }

    fn end(self) {
        self.server.signal("TERM");
        let ended = self.server.end();
        assert_eq!(ended.code, Some(0), "{}", ended.shown());
    }
}

/// The text of a completed task.
fn final_text(task: &Value) -> String {
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task:#}");
    last_text(task).to_owned()
}

/// The stored output of a tool.
fn output(events: &[Value]) -> &Value {
    let finished = events.iter().find(|event| event["kind"] == "task.tool_finished");
    &finished.expect("a result")["body"]["tool_finished"]["result"]["output"]
}

/// A listening server that is stopped when this value is dropped.
struct ListeningServer(Child);

impl Drop for ListeningServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Absolute path of a package's program.
fn program(package: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(PACKAGES).join(package).join("dist/index.js").to_str().expect("UTF-8").to_owned()
}

fn node() -> String {
    NODE.path().to_str().expect("UTF-8").to_owned()
}

/// Starts the reference server on a free port.
fn start_everything_server(transport: &str) -> (ListeningServer, u16) {
    let port: u16 = free_port().parse().expect("a port");
    let mut server = command(NODE.path());
    server.args([&program("server-everything"), transport]).env("PORT", port.to_string());
    let mut child = server.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("Node starts");
    let stderr = child.stderr.take().expect("piped");
    let listening = ListeningServer(child);
    let mut stderr = BufReader::new(stderr);
    await_line(&mut stderr, "on port");
    // Later output must not fill the pipe.
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    (listening, port)
}

/// All checks against the reference server, the same over every transport.
fn check_everything_server(server: Value, transport: &str) {
    let agent = Agent::new("all", server, EVERYTHING);
    let listed = agent.tools_with("all__trigger-elicitation-request");
    let status = &listed["servers"][0];
    let shown = ["name", "state", "transport", "protocol"].map(|field| status[field].as_str().unwrap_or_default());
    assert_eq!(shown, ["all", "ready", transport, "2025-11-25"], "{listed:#}");

    let echoed = agent.send("echo hello", None);
    assert!(final_text(&echoed).contains("Echo: hello"), "{echoed:#}");
    let kinds: Vec<_> =
        agent.events(&echoed).iter().filter_map(|event| event["kind"].as_str().map(str::to_owned)).collect();
    let steps = ["task.tools_called", "task.tool_started", "task.tool_finished", "task.answered"];
    let mut kinds = kinds.iter();
    assert!(steps.iter().all(|step| kinds.any(|kind| kind == step)), "{echoed:#}");

    let pictured = agent.send("picture, please", None);
    let events = agent.events(&pictured);
    let picture = output(&events).to_string();
    assert!(picture.contains("image/png") && picture.contains("iVBORw0KGgo"), "{picture}");
    let weather = agent.send("weather", None);
    let events = agent.events(&weather);
    assert!(output(&events).to_string().contains("Light rain / drizzle"), "{events:#?}");
    assert!(agent.answer_to("long").contains("Long running operation completed"));
    assert!(agent.answer_to("sample the sea").contains("I was asked: the sea"));

    let asked = agent.send("form, please", None);
    assert_eq!(asked["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{asked:#}");
    let parts = asked["status"]["message"]["parts"].to_string();
    assert!(parts.contains("input_requests") && parts.contains("legal name"), "{asked:#}");
    let task = asked["id"].as_str().expect("an id");
    let filled = agent.send(r#"{ "name": "Ada", "integer": 7 }"#, Some(task));
    assert!(
        final_text(&filled).contains("Name: Ada") && final_text(&filled).contains("Favorite Integer: 7"),
        "{filled:#}"
    );
    agent.end();
}

#[test]
fn everything_server_over_stdio() {
    check_everything_server(json!({ "command": node(), "args": [program("server-everything"), "stdio"] }), "stdio");
}

#[test]
fn everything_server_over_streamable_http() {
    let (_listening, port) = start_everything_server("streamableHttp");
    check_everything_server(json!({ "type": "http", "url": format!("http://127.0.0.1:{port}/mcp") }), "http");
}

#[test]
fn everything_server_over_sse() {
    let (_listening, port) = start_everything_server("sse");
    check_everything_server(json!({ "type": "sse", "url": format!("http://127.0.0.1:{port}/sse") }), "sse");
}

#[test]
fn filesystem_server_over_stdio() {
    let place = Home::new();
    place.write("shelf/old.txt", "as it was\n");
    let shelf = place.path("shelf").canonicalize().expect("it is there");
    let shelf = shelf.to_str().expect("UTF-8");
    let server = json!({ "command": node(), "args": [program("server-filesystem"), shelf] });
    let agent = Agent::new("files", server, FILES);
    agent.tools_with("files__write_file");
    assert!(agent.answer_to(&format!("read {shelf}/old.txt")).contains("as it was"));
    agent.answer_to(&format!("write {shelf}/new.txt as it is"));
    assert_eq!(std::fs::read_to_string(place.path("shelf/new.txt")).expect("written"), "as it is");
    let listed = agent.answer_to(&format!("list {shelf}"));
    assert!(listed.contains("[FILE] new.txt") && listed.contains("[FILE] old.txt"), "{listed}");
    let refused = agent.send("read /etc/hostname", None);
    let events = agent.events(&refused);
    let finished = events.iter().find(|event| event["kind"] == "task.tool_finished").expect("a result");
    assert_eq!(finished["body"]["tool_finished"]["result"]["is_error"], true, "{finished:#}");
    assert!(final_text(&refused).contains("Access denied"), "{refused:#}");
    agent.end();
}
