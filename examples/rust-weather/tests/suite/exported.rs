//! The program exports its spans under the service name that it chooses.

use crate::program::Program;
use baton_client::{Client, SendRequest};
use baton_testkit::OtlpReceiver;
use baton_types::{Message, Part, Role, SpanValue};

#[tokio::test]
async fn spans_are_exported_under_the_chosen_service_name() {
    let receiver = OtlpReceiver::start().await.unwrap();
    let program = Program::start_with(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.url())]).await;
    let client = Client::tcp(&program.url).unwrap();
    let message = Message::new("m-1".into(), Role::User, vec![Part::text("What's the weather in Oakland?")]);
    client.send("weather", SendRequest::new(message)).await.unwrap();
    // An orderly stop sends all spans, so nothing is awaited.
    assert!(program.interrupt().await.success());
    let spans: Vec<_> = receiver.received().into_iter().flat_map(|(_, spans)| spans).collect();
    let of_run = |name: &str| spans.iter().any(|span| span.name.starts_with(name));
    assert!(["invoke_agent weather", "execute_tool get_weather"].into_iter().all(of_run), "{spans:?}");
    for span in &spans {
        let service = span.resource.attributes.iter().find(|(name, _)| &**name == "service.name");
        assert_eq!(service.map(|(_, value)| value), Some(&SpanValue::from("weather")), "{}", span.name);
    }
}
