//! Lenient queries as a Tempo receives them.

use super::{
    fixtures::{FakeClock, NOON, SECOND, metrics, search},
    scripted_tempo::{ScriptedReply, ScriptedTempo},
};
use baton_span_ports::SpanStore;
use baton_traceql::Steps;

#[tokio::test]
async fn lenient_queries_contain_every_alias() {
    let server =
        ScriptedTempo::start(|_| ScriptedReply::Json(r#"{"traces":[],"series":[],"metrics":{}}"#.to_owned())).await;
    let store = server.store(&FakeClock::at(NOON));
    for text in [
        "{ .agent.id = nil }",
        "{ \"x\" != span.agent.type && !(span.agent.id =~ \"a.*\") }",
        "{ span.agent.id = \"a\" } >> { duration > 1s } | by(span.agent.id) | count() > 2 with(sample=true)",
        "{ } | select(span.agent.id, span.gen_ai.agent.id, name)",
        "{ span.unknown = 1 } with(most_recent=false)",
    ] {
        let mut ask = search(text);
        ask.aliases = true;
        store.search(ask).await.expect("answered");
    }
    let steps = Steps::single(0, NOON * SECOND);
    for text in
        ["({ span.agent.id = \"a\" } | rate()) / ({ } | rate()) * 100", "{ } | compare({ span.agent.id = \"a\" })"]
    {
        let mut ask = metrics(text, Steps::single(steps.start() + (NOON - 60) * SECOND, NOON * SECOND));
        ask.aliases = true;
        store.metrics(ask).await.expect("answered");
    }
    let sent: Vec<String> = server.asked().iter().map(|asked| asked.pair("q").to_owned()).collect();
    insta::assert_debug_snapshot!(sent);
}
