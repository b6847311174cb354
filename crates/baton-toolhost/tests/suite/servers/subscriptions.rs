//! Prompts, resources and change notifications of servers, in both eras.

use super::{
    script::{Script, Wire, discovered, initialized},
    world::{agent, name, single_server},
};
use baton_toolhost::{CallOptions, McpServers, ServerEvent, ServerReply};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::mpsc;

const LIST_TIMEOUT: Duration = Duration::from_secs(9);

fn with_capabilities(mut info: Value) -> Value {
    info["capabilities"] = json!({"prompts": {}, "resources": {"subscribe": true}});
    info
}

/// Answers every request and sends one change to a subscription.
async fn serve(mut wire: Wire, is_modern: bool) {
    while let Some(message) = wire.next().await {
        let result = match message["method"].as_str().unwrap_or_default() {
            "server/discover" if is_modern => with_capabilities(discovered(&["2026-07-28"])),
            "server/discover" => {
                wire.refuse(&message, -32601).await;
                continue;
            }
            "initialize" => with_capabilities(initialized()),
            "prompts/list" => json!({"prompts": [{"name": "greet"}]}),
            "prompts/get" => {
                let said = format!("hello {}", message["params"]["arguments"]["who"].as_str().unwrap());
                json!({"messages": [{"role": "user", "content": {"type": "text", "text": said}}]})
            }
            "resources/list" => json!({"resources": [{"uri": "x://1", "name": "one"}]}),
            "resources/templates/list" => json!({"resourceTemplates": [{"uriTemplate": "x://{id}", "name": "any"}]}),
            "resources/read" => json!({"contents": [{"uri": "x://1", "text": "the text"}]}),
            "resources/subscribe" if !is_modern => {
                wire.answer(&message, json!({})).await;
                wire.send(updated(None)).await;
                continue;
            }
            "subscriptions/listen" if is_modern => {
                let filter = &message["params"]["notifications"];
                assert_eq!(filter["resourceSubscriptions"], json!(["x://1"]));
                let meta = json!({"io.modelcontextprotocol/subscriptionId": message["id"]});
                wire.send(json!({
                    "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                    "params": {"_meta": meta, "notifications": filter},
                }))
                .await;
                wire.send(updated(Some(meta))).await;
                continue;
            }
            _ => continue,
        };
        let mut result = result;
        if is_modern {
            (result["resultType"], result["ttlMs"], result["cacheScope"]) =
                (json!("complete"), json!(0), json!("private"));
        }
        wire.answer(&message, result).await;
    }
}

fn updated(meta: Option<Value>) -> Value {
    let mut params = json!({"uri": "x://1"});
    if let Some(meta) = meta {
        params["_meta"] = meta;
    }
    json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params})
}

async fn check_all_requests(servers: &McpServers) {
    let prompts = servers.prompts(&name(), LIST_TIMEOUT).await;
    assert_eq!((prompts[0].name.as_str(), prompts[0].definition.name.as_str()), ("s__greet", "greet"));
    let arguments = json!({"who": "Ann"}).as_object().cloned();
    let options = CallOptions { arguments, ..CallOptions::default() };
    let ServerReply::Done(prompt) = servers.get_prompt(&name(), "s", "greet", options).await.unwrap() else {
        panic!("unexpected input request")
    };
    assert!(serde_json::to_string(&prompt).unwrap().contains("hello Ann"));
    let resources = servers.resources(&name(), LIST_TIMEOUT).await;
    assert_eq!((resources[0].server.as_str(), resources[0].item.uri.as_str()), ("s", "x://1"));
    assert_eq!(servers.templates(&name(), LIST_TIMEOUT).await[0].item.uri_template, "x://{id}");
    let read = servers.read_resource(&name(), "s", "x://1", CallOptions::default()).await.unwrap();
    assert!(format!("{read:?}").contains("the text"));
    assert!(servers.capabilities(&name())[0].item.resources.is_some());

    let mut events = servers.events(&name());
    servers.subscribe(&name(), "s", "x://1").await.unwrap();
    let expect = ServerEvent::ResourceUpdated { server: "s".into(), uri: "x://1".into() };
    while events.recv().await.unwrap() != expect {}
    servers.unsubscribe(&name(), "s", "x://1").await.ok();
}

#[tokio::test(start_paused = true)]
async fn a_modern_server() {
    let (_agents, servers) = single_server(&Script::new(|wire| serve(wire, true)));
    check_all_requests(&servers).await;
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server() {
    let (_agents, servers) = single_server(&Script::new(|wire| serve(wire, false)));
    check_all_requests(&servers).await;
}

/// Records new and cancelled subscriptions.
async fn record_subscriptions(mut wire: Wire, heard: mpsc::Sender<String>) {
    while let Some(message) = wire.next().await {
        let result = match message["method"].as_str().unwrap_or_default() {
            "server/discover" => {
                let mut info = discovered(&["2026-07-28"]);
                info["capabilities"] = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}});
                info
            }
            "tools/list" => json!({"tools": [], "ttlMs": 0, "cacheScope": "private"}),
            "subscriptions/listen" => {
                let filter = &message["params"]["notifications"];
                heard.send(format!("listen {}", filter["resourceSubscriptions"])).await.unwrap();
                heard.send("tells".to_owned()).await.unwrap();
                let meta = json!({"io.modelcontextprotocol/subscriptionId": message["id"]});
                wire.send(json!({
                    "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                    "params": {"_meta": meta, "notifications": filter},
                }))
                .await;
                continue;
            }
            "notifications/cancelled" => {
                heard.send("stops".to_owned()).await.unwrap();
                continue;
            }
            _ => continue,
        };
        let mut result = result;
        result["resultType"] = json!("complete");
        wire.answer(&message, result).await;
    }
}

#[tokio::test(start_paused = true)]
async fn replacing_a_subscription_leaves_no_gap() {
    let (sender, mut heard) = mpsc::channel(16);
    let (_agents, servers) = single_server(&Script::new(move |wire| record_subscriptions(wire, sender.clone())));
    servers.tools(&agent(), LIST_TIMEOUT).await;
    assert_eq!([heard.recv().await.unwrap(), heard.recv().await.unwrap()], ["listen null", "tells"]);
    servers.subscribe(&name(), "s", "x://1").await.unwrap();
    // The old subscription is cancelled only after the server acknowledged the new one, so no change is missed.
    let order = [heard.try_recv().unwrap(), heard.try_recv().unwrap(), heard.recv().await.unwrap()];
    assert_eq!(order, ["listen [\"x://1\"]", "tells", "stops"]);
}
