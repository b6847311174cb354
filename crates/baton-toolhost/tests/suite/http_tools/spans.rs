//! The span of a request, and its propagation to the service.

use super::service::{Service, definition, get, reply};
use crate::{
    calls::{Listener, agent},
    span_collector::{PARENT, SpanCollector, context, shown},
};
use baton_ports::{ToolHost as _, ToolInvocation};
use baton_types::{HttpTool, Json, Principal, ToolCall, TraceContext};
use std::sync::Arc;

#[tokio::test]
async fn a_request_has_a_span_without_arguments_and_secrets() {
    let service = Service::start_with_script(|request| {
        let status = if request.path.starts_with("/fail") { "404 Not Found" } else { "200 OK" };
        reply(status, &[("content-type", "text/plain")], "m4rk3r")
    })
    .await;
    let (spans, parent) = (Arc::new(SpanCollector::default()), TraceContext::parse(PARENT).unwrap());
    let tools = service.tools().with_tracer(spans.tracer());
    let headers = vec![("Authorization".to_owned(), "Bearer env://TOKEN".to_owned())];
    let mut seen = String::new();
    for path in ["/cities/{city}?key={city}", "/fail/{city}"] {
        let tool = get("look", HttpTool { headers: headers.clone(), ..definition("GET", &service.url(path)) });
        let arguments = Json::parse(r#"{"city":"m4rk3r","more":"m4rk3r"}"#).unwrap();
        let call = ToolCall { id: "c".into(), name: "look".to_owned(), arguments };
        let (agent, principal, helper) = (agent("a", Vec::new()), Principal::local(), Listener::default());
        let run = ToolInvocation {
            agent: &agent,
            tool: &tool,
            call: &call,
            principal: &principal,
            task: None,
            trace: Some(PARENT),
            answers: None,
            helper: &helper,
        };
        tools.call(run).await;
        let [span] = spans.take().try_into().unwrap();
        assert_eq!((span.trace, span.parent), (parent.trace, Some(parent.span)));
        assert_eq!(service.received().pop().unwrap().header("traceparent"), Some(context(&span).as_str()));
        assert!(!format!("{span:?}").contains("m4rk3r") && !format!("{span:?}").contains("s3cret"), "{span:?}");
        seen += &(shown(&span) + "\n");
    }
    let host = service.host();
    let (_, port) = host.rsplit_once(':').unwrap();
    insta::assert_snapshot!(seen.replace(port, "[port]"));
}
