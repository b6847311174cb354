//! A remote agent whose card, answers and Environment are scripted by a test.

use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

/// Script of the agent.
#[derive(Clone, Debug)]
pub(crate) struct PeerScript {
    /// Name and description in its card.
    pub(crate) title: String,
    /// Its answer and the final state of its task. `${result}` is the result of its tool.
    pub(crate) answer: String,
    pub(crate) state: &'static str,
    /// The tool that its caller runs first, and the agent that this tool asks by sampling.
    pub(crate) tool: Option<(String, Option<String>)>,
}

impl Default for PeerScript {
    fn default() -> Self {
        let answer = "answered ${result}".to_owned();
        Self { title: "Scripted".to_owned(), answer, state: "TASK_STATE_COMPLETED", tool: None }
    }
}

/// A recorded request.
#[derive(Clone, Debug)]
pub(crate) struct RecordedRequest {
    pub(crate) method: String,
    pub(crate) authorization: Option<String>,
}

/// The agent, served until the process ends.
pub(crate) struct ScriptedPeer {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<RecordedRequest>>>,
}

impl ScriptedPeer {
    pub(crate) fn serve(script: PeerScript) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let seen = Arc::default();
        let server = ScriptedServer { script, url: url.clone(), seen: Arc::clone(&seen) };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = server.clone();
                thread::spawn(move || server.answer(stream));
            }
        });
        Self { url, seen }
    }

    /// Requests so far, oldest first; requests for the card have the method `card`.
    pub(crate) fn seen(&self) -> Vec<RecordedRequest> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Credentials of the received messages.
    pub(crate) fn messages(&self) -> Vec<Option<String>> {
        self.seen().into_iter().filter(|seen| seen.method == "SendMessage").map(|seen| seen.authorization).collect()
    }
}

#[derive(Clone)]
struct ScriptedServer {
    script: PeerScript,
    url: String,
    seen: Arc<Mutex<Vec<RecordedRequest>>>,
}

impl ScriptedServer {
    /// Handles one request; a broken connection gets no response.
    fn answer(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream);
        let (mut head, mut line) = (Vec::new(), String::new());
        while reader.read_line(&mut line).is_ok_and(|read| read > 0) && !line.trim().is_empty() {
            head.push(std::mem::take(&mut line).trim().to_owned());
        }
        let header = |name: &str| {
            let fields = head.iter().filter_map(|line| line.split_once(": "));
            fields.into_iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
        };
        let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        if head.is_empty() || reader.read_exact(&mut body).is_err() {
            return;
        }
        let path = head[0].split(' ').nth(1).unwrap_or_default().to_owned();
        let request: Value = serde_json::from_slice(&body).unwrap_or_default();
        let method = request["method"].as_str().unwrap_or("card").to_owned();
        let seen = RecordedRequest { method: method.clone(), authorization: header("authorization") };
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
        let result = match (path.as_str(), method.as_str()) {
            ("/.well-known/agent-card.json", _) => Some(self.card()),
            ("/mcp", method) => {
                self.environment(method, &request["params"]).map(|result| json_rpc_response(&request, &result))
            }
            (_, "SendMessage") => {
                let task = self.task(&request["params"]["message"]);
                Some(json_rpc_response(&request, &json!({ "task": task })))
            }
            (_, "GetTask") => Some(json_rpc_response(&request, &self.final_task("done"))),
            _ => None,
        };
        let (status, body) = result.map_or(("404 Not Found", String::new()), |result| ("200 OK", result.to_string()));
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n");
        let _ = write!(reader.into_inner(), "{head}Connection: close\r\n\r\n{body}");
    }

    fn card(&self) -> Value {
        json!({
            "name": self.script.title, "description": self.script.title, "version": "1",
            "supportedInterfaces": [{"url": self.url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
            "capabilities": {"streaming": false}, "skills": [],
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        })
    }

    /// First the call of its tool, if it has one, then the answer.
    fn task(&self, message: &Value) -> Value {
        match (&self.script.tool, message["taskId"].is_string()) {
            (Some((tool, asks)), false) => {
                let arguments = json!({"agent_uri": asks, "message": "for the other"});
                let data = json!({"tool_calls": [{"call_id": "c", "name": tool, "arguments": arguments}]});
                status("TASK_STATE_INPUT_REQUIRED", &json!([{"text": ""}, { "data": data }]))
            }
            _ => {
                let parts = message["parts"].as_array().cloned().unwrap_or_default();
                let results = parts.iter().find_map(|part| part["data"]["tool_results"].get(0).cloned());
                let output = results.map(|result| result["output"].clone()).unwrap_or_default();
                self.final_task(&output.as_str().map_or_else(|| output.to_string(), str::to_owned))
            }
        }
    }

    fn final_task(&self, result: &str) -> Value {
        let text = self.script.answer.replace("${result}", result);
        status(self.script.state, &json!([{ "text": text }]))
    }

    /// An MCP server of protocol 2026-07-28.
    fn environment(&self, method: &str, params: &Value) -> Option<Value> {
        let (tool, asks) = self.script.tool.as_ref()?;
        let mut result = match method {
            "server/discover" => json!({
                "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "1"}},
            }),
            "tools/list" => {
                json!({"tools": [{"name": tool, "description": tool, "inputSchema": {"type": "object"}}]})
            }
            "tools/call" => return Some(tool_result(asks.as_deref(), params)),
            _ => return None,
        };
        result["resultType"] = "complete".into();
        result["ttlMs"] = 0.into();
        result["cacheScope"] = "private".into();
        Some(result)
    }
}

fn json_rpc_response(request: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
}

fn status(state: &str, parts: &Value) -> Value {
    let says = json!({"messageId": "says", "role": "ROLE_AGENT", "parts": parts});
    json!({"id": "task-1", "contextId": "context-1", "status": {"state": state, "message": says}})
}

/// The tool asks an agent by sampling and returns its answer.
fn tool_result(asks: Option<&str>, params: &Value) -> Value {
    let text = |text: &str| json!({"resultType": "complete", "content": [{"type": "text", "text": text}]});
    let Some(agent) = asks else { return text("ran") };
    if let Some(words) = params["inputResponses"]["other"]["content"]["text"].as_str() {
        return text(words);
    }
    let message = json!({"role": "user", "content": {"type": "text", "text": "for the other"}});
    let params = json!({"messages": [message], "maxTokens": 50, "metadata": {"agent_uri": agent}});
    json!({
        "resultType": "input_required", "requestState": "sealed",
        "inputRequests": {"other": {"method": "sampling/createMessage", "params": params}},
    })
}
