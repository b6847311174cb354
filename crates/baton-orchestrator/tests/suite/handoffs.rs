//! Tools that hand off to other agents.

use crate::scripted_agents::{AgentReply, Script, ScriptedAgents, calls, results, text};
use baton_orchestrator::{CalledAgent, OrchestrationObserver, Orchestrator};
use baton_ports::BoxFuture;
use baton_types::{Message, Part, Role};
use serde_json::{Value, json};
use std::sync::Mutex;

/// Requests a handoff first, then returns its result.
pub(crate) fn sampling(params: &Value, metadata: &Value) -> Value {
    if let Some(answer) = params.get("inputResponses").map(|responses| &responses["handoff"]) {
        let stop = if answer["stopReason"] == "error" { "error" } else { "end" };
        return text(&format!(
            "{} {stop}: {}",
            answer["model"].as_str().unwrap(),
            answer["content"]["text"].as_str().unwrap()
        ));
    }
    let params = json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": "for you"}}],
        "maxTokens": 50, "metadata": metadata,
    });
    json!({
        "resultType": "input_required", "requestState": "sealed",
        "inputRequests": {"handoff": {"method": "sampling/createMessage", "params": params}},
    })
}

/// An agent whose only tool hands off according to its argument; the agent answers with the result.
fn handoff_agent(script: Script, name: &str) -> Script {
    script
        .agent(name, |turn, message| match turn {
            0 => {
                let said = message["parts"][0]["text"].as_str().unwrap();
                calls(&[("c", "handoff", serde_json::from_str(said).unwrap_or(json!({})))])
            }
            _ => AgentReply::Done(results(message)[0]["output"].as_str().unwrap_or("structured").to_owned()),
        })
        .tool(name, "handoff", |params| async move { sampling(&params, &params["arguments"]) })
}

async fn start_agents() -> ScriptedAgents {
    let script = handoff_agent(Script::default(), "boss")
        .agent("worker", |_, message| AgentReply::Done(format!("did {}", message["parts"][0]["text"])))
        .agent("helped", |turn, message| match turn {
            0 => calls(&[("c", "dig", json!({}))]),
            _ => AgentReply::Done(format!("dug {}", results(message)[0]["output"])),
        })
        .tool("helped", "dig", |_| async { text("a hole") })
        .agent("lost", |_, _| {
            AgentReply::NeedsInput(json!({"input_requests": [{"message": "Where?", "call_id": "q"}]}))
        });
    script.serve().await
}

#[tokio::test]
async fn sampling_request_is_answered_by_the_named_agent() {
    let fake = start_agents().await;
    let ask = |metadata: Value| {
        let (url, text) = (fake.at("boss"), metadata.to_string());
        async move { Orchestrator::new().ask(&url, &text).await.unwrap().text }
    };
    let metadata = json!({"agent_uri": fake.at("worker"), "context_id": "context-7", "depth": 2});
    assert_eq!(ask(metadata).await, "a2a-agent/worker end: did \"for you\"");
    let sent = fake.seen("SendMessage");
    let sent = sent.iter().find(|seen| seen["agent"] == "worker").unwrap();
    assert_eq!((&sent["params"]["message"]["contextId"], &sent["depth"]), (&json!("context-7"), &json!("2")));
    let answered = fake.seen("tools/call").pop().unwrap();
    let meta = &answered["params"]["inputResponses"]["handoff"]["_meta"];
    assert_eq!(*meta, json!({"dev.baton/taskId": "task-2", "dev.baton/contextId": "context-7"}));
    assert_eq!(answered["params"]["requestState"], "sealed");
    // Its own tools run, too.
    let text = ask(json!({"agent_uri": fake.at("helped")})).await;
    assert_eq!(text, "a2a-agent/helped end: dug \"a hole\"");
}

#[tokio::test]
async fn handoff_capability_is_declared() {
    let fake = start_agents().await;
    Orchestrator::new().ask(&fake.at("boss"), "{}").await.unwrap();
    let call = fake.seen("tools/call").remove(0);
    let capabilities = &call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(capabilities["sampling"], json!({}));
    for member in ["extensions", "experimental"] {
        assert_eq!(capabilities[member]["dev.baton/handoff"], json!({}), "{member}");
    }
}

#[tokio::test]
async fn refused_handoff_is_reported_and_the_round_completes() {
    let fake = start_agents().await;
    let elsewhere = Script::default().agent("x", |_, _| AgentReply::Done("never".to_owned())).serve().await;
    let mut shown = Vec::new();
    for metadata in [
        json!({}),
        json!({"agent_uri": "worker"}),
        json!({"agent_uri": elsewhere.at("x")}),
        json!({"agent_uri": fake.at("boss")}),
        json!({"agent_uri": fake.at("worker"), "depth": 6}),
        json!({"agent_uri": fake.at("lost")}),
        json!({"agent_uri": fake.at("nobody")}),
    ] {
        let answer = Orchestrator::new().ask(&fake.at("boss"), &metadata.to_string()).await.unwrap();
        let plain = |text: &str| text.replace(&elsewhere.at(""), "http://other/").replace(&fake.at(""), "http://fake/");
        shown.push(format!("{}\n  {}", plain(&metadata.to_string()), plain(&answer.text).replace('\n', "\n  ")));
    }
    assert!(elsewhere.seen("SendMessage").is_empty());
    insta::assert_snapshot!(shown.join("\n"));
    // The caller may allow it.
    let asked = json!({"agent_uri": elsewhere.at("x")}).to_string();
    let allowed = [elsewhere.at(""), elsewhere.at("x")].map(|url| Orchestrator::new().allow(url));
    for orchestrator in allowed.into_iter().chain([Orchestrator::new().allow_neighbours()]) {
        let answer = orchestrator.ask(&fake.at("boss"), &asked).await.unwrap();
        assert_eq!(answer.text, "a2a-agent/x end: never");
    }
}

/// Answers every approval request in the same way and records it.
struct Approver {
    says: bool,
    asked: Mutex<Vec<(String, bool)>>,
}

impl OrchestrationObserver for Approver {
    fn may_hand_over<'a>(&'a self, _: CalledAgent<'a>, to: &'a str, has_credential: bool) -> BoxFuture<'a, bool> {
        self.asked.lock().unwrap().push((to.to_owned(), has_credential));
        Box::pin(std::future::ready(self.says))
    }
}

#[tokio::test]
async fn credential_is_sent_only_after_explicit_approval() {
    let fake = start_agents().await;
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "secret").unwrap();
    let bearer = format!("file://{}", secret.path().display());
    let configured = || Orchestrator::new().bearer(&fake.at("worker"), &bearer).unwrap();
    let asked = json!({"agent_uri": fake.at("worker")}).to_string();
    // Agents on the same origin are allowed, but a credential needs explicit approval.
    let answer = configured().allow_neighbours().ask(&fake.at("boss"), &asked).await.unwrap();
    assert!(answer.text.contains("BTN-4010"), "{}", answer.text);
    for (says, sent) in [(false, 0), (true, 1)] {
        let person = Approver { says, asked: Mutex::default() };
        let message = Message::new("m".into(), Role::User, vec![Part::text(asked.as_str())]);
        configured().send(&fake.at("boss"), message, &person).await.unwrap();
        assert_eq!(*person.asked.lock().unwrap(), [(fake.at("worker"), true)]);
        let seen = fake.seen("SendMessage").into_iter().filter(|seen| seen["agent"] == "worker");
        assert_eq!(seen.count(), sent);
    }
    configured().allow(fake.at("worker")).ask(&fake.at("boss"), &asked).await.unwrap();
    let seen: Vec<Value> = fake.seen("SendMessage").into_iter().filter(|seen| seen["agent"] == "worker").collect();
    assert_eq!(seen.iter().map(|seen| &seen["authorization"]).collect::<Vec<_>>(), ["Bearer secret", "Bearer secret"]);
}
