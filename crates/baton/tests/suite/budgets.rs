//! Budgets of tokens, money and tool calls, of a run, a session and an agent: what would exceed one is not done.

use crate::{
    binary::{Ended, Home},
    provider::Provider,
};
use std::fs;

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Tokens,
    Dollars,
    ToolCalls,
}

/// One agent with one budget; every answer of its model takes 1,100 tokens, which cost 1.10 dollars.
struct Desk {
    home: Home,
    provider: Provider,
}

impl Desk {
    fn new(scope: &str, of: Of) -> Self {
        let (home, provider) = (Home::new(), Provider::start());
        // One answer fits, and what the next one would at least read does not; two calls of tools do not.
        let most = match of {
            Of::Tokens => "tokens: 1110",
            Of::Dollars => "dollars: 1.11",
            Of::ToolCalls => "tool_calls: 1",
        };
        let settings = format!("settings: {{ control_tools: [], budgets: {{ {scope}: {{ {most} }} }} }}\n");
        let tool = "tools:\n  - name: note\n    description: Writes a line down.\n    command: [sh, note.sh, \"${text}\"]\n    \
                    parameters: { type: object, properties: { text: { type: string } }, required: [text] }\n";
        home.agent("clerk", &format!("model: mine:echo\nenable_handoff: false\n{settings}{tool}"), "rules: []\n");
        home.write("clerk/note.sh", "printf '%s\\n' \"$1\" >>noted.txt\n");
        let own = format!("providers: {{ mine: {{ base_url: \"{}/v1\" }} }}\n", provider.url);
        home.write(
            "baton.yaml",
            &format!("agents: [clerk]\n{own}prices: {{ \"mine:echo\": {{ input: 1000, output: 1000 }} }}\n"),
        );
        Self { home, provider }
    }

    /// In a process of its own, so that what was used before is what is on record.
    fn say(&self, words: &str, context: &str) -> Ended {
        self.home.run(&["run", "clerk", words, "--context", context, "--quiet"])
    }

    /// Requests that reached the model, and calls that reached the tool.
    fn done(&self) -> (usize, usize) {
        let noted = fs::read_to_string(self.home.path("clerk/noted.txt")).unwrap_or_default();
        (self.provider.chats().len(), noted.lines().count())
    }
}

#[test]
fn the_call_that_would_exceed_is_not_made_and_the_task_says_which_budget() {
    for of in [Of::Tokens, Of::Dollars, Of::ToolCalls] {
        let what = match of {
            Of::Tokens => "1100 of 1110 tokens, and the next call needs about",
            Of::Dollars => "$1.100000 of $1.110000, and the next call costs about",
            Of::ToolCalls => "1 tool calls are allowed, and the last requested call is number 2",
        };
        // What a run of one answer is, and what it does.
        let (words, once) = if of == Of::ToolCalls { ("take a note: x", (2, 1)) } else { ("hello", (1, 0)) };
        for scope in ["run", "session", "month"] {
            let desk = Desk::new(scope, of);
            let refused = if scope == "run" {
                desk.say("note on: x", "one")
            } else {
                let first = desk.say(words, "one");
                assert_eq!((first.code, desk.done()), (Some(0), once), "{scope} {of:?}: {}", first.shown());
                desk.say(words, if scope == "session" { "one" } else { "two" })
            };
            let shown = refused.shown();
            assert_eq!(refused.code, Some(1), "{scope} {of:?}: {shown}");
            let told = format!("the budget of the {scope} is used up: {what}");
            assert!(refused.stderr.contains("BTN-3017") && shown.contains(&told), "{scope} {of:?}: {shown}");
            assert!(shown.contains(&format!("settings.budgets.{scope}")), "{scope} {of:?}: {shown}");
            // To know that a second tool call would exceed, the model has to ask for it; nothing else was asked for.
            let (asked, noted) = desk.done();
            let expected = match (of, scope) {
                (Of::ToolCalls, "run") => (2, 1),
                (Of::ToolCalls, _) => (3, 1),
                (_, "run") => (1, 1),
                _ => (1, 0),
            };
            assert_eq!((asked, noted), expected, "{scope} {of:?}: {shown}");
            if scope == "session" {
                let other = desk.say(words, "two");
                assert_eq!(other.code, Some(0), "another session has its own: {}", other.shown());
            }
        }
    }
}
