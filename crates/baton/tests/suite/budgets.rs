//! Budgets of tokens, money and tool calls per run, session and agent: calls over budget are not made.

use crate::{
    binary::{CommandOutput, Home},
    provider::Provider,
};
use std::fs;

/// The limited resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BudgetKind {
    Tokens,
    Dollars,
    ToolCalls,
}

/// An agent with one budget; every model call uses 1,100 tokens, which cost 1.10 dollars.
struct BudgetedAgent {
    home: Home,
    provider: Provider,
}

impl BudgetedAgent {
    fn new(scope: &str, of: BudgetKind) -> Self {
        let (home, provider) = (Home::new(), Provider::start());
        // Enough for one model call or one tool call; the minimum input of a second one exceeds it.
        let most = match of {
            BudgetKind::Tokens => "tokens: 1110",
            BudgetKind::Dollars => "dollars: 1.11",
            BudgetKind::ToolCalls => "tool_calls: 1",
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

    /// Runs in a new process, so that earlier usage has to be read from the journal.
    fn say(&self, words: &str, context: &str) -> CommandOutput {
        self.home.run(&["run", "clerk", words, "--context", context, "--quiet"])
    }

    /// Numbers of model requests and of tool calls.
    fn done(&self) -> (usize, usize) {
        let noted = fs::read_to_string(self.home.path("clerk/noted.txt")).unwrap_or_default();
        (self.provider.chats().len(), noted.lines().count())
    }
}

#[test]
fn call_over_budget_is_not_made_and_the_error_names_the_budget() {
    for of in [BudgetKind::Tokens, BudgetKind::Dollars, BudgetKind::ToolCalls] {
        let what = match of {
            BudgetKind::Tokens => "1100 of 1110 tokens, and the next call needs about",
            BudgetKind::Dollars => "$1.100000 of $1.110000, and the next call costs about",
            BudgetKind::ToolCalls => "1 tool calls are allowed, and the last requested call is number 2",
        };
        // A run within the budget, and its expected calls.
        let (words, once) = if of == BudgetKind::ToolCalls { ("take a note: x", (2, 1)) } else { ("hello", (1, 0)) };
        for scope in ["run", "session", "month"] {
            let clerk = BudgetedAgent::new(scope, of);
            let refused = if scope == "run" {
                clerk.say("note on: x", "one")
            } else {
                let first = clerk.say(words, "one");
                assert_eq!((first.code, clerk.done()), (Some(0), once), "{scope} {of:?}: {}", first.shown());
                clerk.say(words, if scope == "session" { "one" } else { "two" })
            };
            let shown = refused.shown();
            assert_eq!(refused.code, Some(1), "{scope} {of:?}: {shown}");
            let told = format!("the budget of the {scope} is used up: {what}");
            assert!(refused.stderr.contains("BTN-3017") && shown.contains(&told), "{scope} {of:?}: {shown}");
            assert!(shown.contains(&format!("settings.budgets.{scope}")), "{scope} {of:?}: {shown}");
            // A second tool call exceeds the budget only when the model requests it, so that model call is made.
            let (asked, noted) = clerk.done();
            let expected = match (of, scope) {
                (BudgetKind::ToolCalls, "run") => (2, 1),
                (BudgetKind::ToolCalls, _) => (3, 1),
                (_, "run") => (1, 1),
                _ => (1, 0),
            };
            assert_eq!((asked, noted), expected, "{scope} {of:?}: {shown}");
            if scope == "session" {
                let other = clerk.say(words, "two");
                assert_eq!(other.code, Some(0), "another session has its own budget: {}", other.shown());
            }
        }
    }
}
