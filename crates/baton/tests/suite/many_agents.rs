//! Ten thousand agents in one folder, served by one process.

use crate::binary::{Home, await_line, request};
use serde_json::Value;
use std::{fs, time::Instant};

const AGENT_COUNT: usize = 10_000;
const BROKEN_AGENT: usize = 500;
/// Upper bound for the peak memory of a server with this many agents.
const MAX_PEAK_KB: u64 = 300 * 1024;

/// Peak resident memory of a process.
fn peak_memory_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn must_show_4_ten_thousand_agents_fit_and_broken_one_is_reported() {
    let home = Home::in_memory();
    for number in 0..AGENT_COUNT {
        let name = format!("agent-{number:05}");
        let yaml =
            if number == BROKEN_AGENT { "name: [\n".to_owned() } else { format!("name: {name}\ndescription: One.\n") };
        home.write(&format!("agents/{name}/agent.yaml"), &yaml);
        home.write(&format!("agents/{name}/prompt.md"), "You are one of many.\n");
        home.write(&format!("agents/{name}/rules/brief.md"), "---\ninclude: always\n---\nBe brief.\n");
    }
    let asked = ["agent-00000", "agent-00501", "agent-09999"];
    for name in asked {
        home.write(&format!("agents/{name}/playbook.yaml"), "rules: [{ say: I am here. }]\n");
    }
    let begun = Instant::now();
    let mut server = home.start(&["up", "agents", "--port", "0"]);
    let error = await_line(&mut server.stderr, "error:");
    assert!(error.starts_with("agents/agent-00500/agent.yaml:"), "{error}");
    let serves = await_line(&mut server.stderr, "baton serves 9999 agents");
    // The startup time is only printed: it is measured with release builds on idle machines.
    println!("{AGENT_COUNT} agents after {:?}", begun.elapsed());
    await_line(&mut server.stderr, "and 9949 more; list all with `baton agents`");
    let url = serves.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");

    let listed: Value = serde_json::from_str(&request(url, "GET", "/agents", &[], "").body).expect("JSON");
    assert_eq!(listed["agents"].as_array().map(Vec::len), Some(AGENT_COUNT - 1));
    for name in asked {
        let said = home.run(&["run", name, "hi", "-q"]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(0), "I am here.\n"), "{}", said.shown());
    }
    let peak = peak_memory_kb(server.pid());
    println!("at most {peak} kB");
    assert!(peak < MAX_PEAK_KB, "{peak} kB");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
