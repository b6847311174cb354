//! A program that exits while a child in its own session keeps the output open.

use super::calling::call_first;
use baton_local::DirectoryAgents;
use baton_ports::AgentSource;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;

const AGENT: &str = "name: shop
tools:
  - name: t
    description: Starts a daemon.
    command: [sh, t.sh]
    timeout: 60s
";
/// The program exits only after its child is in the new session, where killing the group does not reach it.
const SCRIPT: &str = "setsid sh -c 'echo $$ > draft; mv draft pid; exec sleep 1000' &
while [ ! -e pid ]; do :; done
echo done
exit $1
";

#[tokio::test]
async fn exit_code_counts_if_a_detached_child_holds_the_output() {
    for (exit, is_error, expect) in [("exit 0", false, "done"), ("exit 7", true, "failed with exit code 7")] {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("agent.yaml"), AGENT).unwrap();
        fs::write(home.path().join("prompt.md"), "You are a test.").unwrap();
        fs::write(home.path().join("t.sh"), SCRIPT.replace("exit $1", exit)).unwrap();
        let agent = DirectoryAgents::load(&[home.path().to_owned()]).unwrap().agents().remove(0);
        let output = call_first(&agent, "{}").await;
        let pid: i32 = fs::read_to_string(home.path().join("pid")).unwrap().trim().parse().unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        let text = output.output.to_plain_text();
        assert!(output.is_error == is_error && text.contains(expect), "{text}");
        assert!(text.contains("done"), "{text}");
    }
}
