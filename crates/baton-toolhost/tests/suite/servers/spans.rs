//! Spans of requests to servers. Tool calls have a span already, which is propagated.

use super::{
    script::{Script, initialized, text, tool},
    world::{Agents, host_with, name, server, tools},
};
use crate::span_collector::{PARENT, SpanCollector, context, shown};
use baton_toolhost::{CallOptions, HostSettings, ServerReply};
use baton_types::TraceContext;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Answers every request and records its `traceparent`.
fn script(modern: bool, heard: &Arc<Mutex<Vec<(String, Value)>>>) -> Script {
    let heard = Arc::clone(heard);
    Script::new(move |mut wire| {
        let heard = Arc::clone(&heard);
        async move {
            while let Some(request) = wire.next().await {
                let method = request["method"].as_str().unwrap_or_default().to_owned();
                heard.lock().unwrap().push((method.clone(), request["params"]["_meta"]["traceparent"].clone()));
                let result = match method.as_str() {
                    "server/discover" if modern => {
                        json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}, "prompts": {}},
                            "serverInfo": {"name": "s", "version": "1"}, "resultType": "complete",
                            "ttlMs": 0, "cacheScope": "private"})
                    }
                    "initialize" => initialized(),
                    "tools/list" => {
                        json!({"tools": [tool("t")], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"})
                    }
                    "tools/call" => text("done"),
                    "prompts/get" => json!({"messages": [], "resultType": "complete"}),
                    _ if request.get("id").is_some() => {
                        wire.refuse(&request, -32601).await;
                        continue;
                    }
                    _ => continue,
                };
                wire.answer(&request, result).await;
            }
        }
    })
}

#[tokio::test(start_paused = true)]
async fn spans_in_both_eras() {
    let parent = TraceContext::parse(PARENT).unwrap();
    let mut seen = String::new();
    for modern in [true, false] {
        let (spans, heard) = (Arc::new(SpanCollector::default()), Arc::default());
        let agents = Agents::with_servers(vec![server("s")]);
        let settings = HostSettings { tracer: spans.tracer(), ..HostSettings::default() };
        let servers = host_with(&agents, &[("s", &script(modern, &heard))], settings);
        assert_eq!(tools(&servers).await, ["s__t"]);
        let options = CallOptions { trace: Some(PARENT.to_owned()), ..CallOptions::default() };
        let opened = spans.take();
        assert!(matches!(servers.call_tool(&name(), "s", "t", options.clone()).await, Ok(ServerReply::Done(_))));
        assert!(spans.take().is_empty(), "the caller of a tool creates its span");
        let got = servers.get_prompt(&name(), "s", "greet", options).await;
        assert!(got.is_ok(), "{:?}", got.err());
        let [prompt] = spans.take().try_into().unwrap();
        assert_eq!((prompt.trace, prompt.parent), (parent.trace, Some(parent.span)));
        let heard = heard.lock().unwrap().clone();
        let told = |method: &str| heard.iter().find(|(asked, _)| asked == method).map(|(_, trace)| trace.clone());
        assert_eq!(told("tools/call"), Some(json!(PARENT)));
        assert_eq!(told("prompts/get"), Some(json!(context(&prompt))));
        let listed = opened.iter().find(|span| span.name == "tools/list").unwrap();
        assert_eq!(told("tools/list"), Some(json!(context(listed))));
        for span in opened.iter().chain([&prompt]) {
            seen += &format!("{}: {}\n", if modern { "newer" } else { "older" }, shown(span));
        }
    }
    insta::assert_snapshot!(seen);
}
