//! Questions over chat completions, answered by the official OpenAI client; the script documents its checks.

use super::{PLAYBOOK, TOOLS, deleted};
use crate::{binary::Home, foreign::Interpreter};

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_OPENAI_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-openai.txt"],
};

/// A question, and a call that requires approval after its answer.
const SHALL: &str = "rules:\n  \
    - when: { user: \"^shall\", after_tool: ask_user }\n    \
      call: [{ tool: delete_file, args: { path: never-shown.txt } }]\n  \
    - when: { user: \"^shall\", turn: first }\n    \
      call: [{ tool: ask_user, args: { question: \"Shall I go on?\" } }]\n";

#[test]
fn resent_history_answers_the_pending_approval() {
    let home = Home::new();
    let playbook = PLAYBOOK.replace("rules:\n", SHALL);
    home.agent("files", TOOLS, &format!("{playbook}  - {{ say: Hello. }}\n"));
    let (server, url) = home.up(&["files", "--port", "0"]);
    PYTHON.run_script(&["tests/python/chat_approvals.py", &url]);
    assert_eq!(deleted(&home).len(), 2, "one call for each yes: {:?}", deleted(&home));
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}
