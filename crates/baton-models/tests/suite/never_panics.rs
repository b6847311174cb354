//! Every text is parsed into a model or a diagnostic.

use crate::calls::{after, tool, user, with_tools};
use baton_models::{Playbook, check_playbook};
use baton_ports::Model;
use futures_util::{FutureExt, StreamExt};
use proptest::prelude::*;

fn check_model_or_diagnostic(text: &str) {
    let good = !check_playbook(text).iter().any(baton_document::Diagnostic::is_error);
    let playbook = Playbook::new(Some(text));
    assert_eq!(playbook.is_ok(), good, "{text}");
    if let Ok(playbook) = playbook {
        let first = with_tools(user("weather in Oakland"), &[tool("get_weather", "{}")]);
        let second = after(first.clone(), &[("get_weather", "{}", "[1]")]);
        for call in [first, second] {
            let _ = playbook.call(call).next().now_or_never();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,200}") {
        check_model_or_diagnostic(&text);
    }

    #[test]
    fn nearly_valid_playbooks_never_panic(
        rules in prop::collection::vec((0usize..12, 0usize..12, 0usize..12, 0usize..12), 0..6),
    ) {
        const MATCHERS: [&str; 12] = ["user", "system", "tool", "after_tool", "result", "turn", "failed", "format",
            "metadata", "message_id", "attempt", "agent"];
        const ACTIONS: [&str; 12] = ["say", "call", "say_json", "think", "fail", "refuse", "long", "repeat", "chunk",
            "ms_per_chunk", "name", "wait"];
        const VALUES: [&str; 12] = ["a", "'${user}'", "'${args.x.y}${result./0}'", "[get_weather]", "{ tool: t, args: auto }",
            "7", "true", "auto", "first", "'(?P<c>.)'", "{ status: 500 }", "''"];
        let mut text = "rules:\n".to_owned();
        for (matcher, wanted, action, value) in rules {
            text.push_str(&format!("  - when: {{ {}: {} }}\n    {}: {}\n", MATCHERS[matcher], VALUES[wanted], ACTIONS[action], VALUES[value]));
        }
        check_model_or_diagnostic(&text);
    }
}
