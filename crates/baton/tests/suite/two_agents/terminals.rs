//! The README's demo with two terminals.

use super::team::{QUESTION, Team, ToolOwner, localhost};
use crate::binary::{Home, examples};
use std::{fs, path::Path};

/// The output with the README's ports instead of the free ones.
fn as_written(team: &Team, output: &str) -> String {
    let output = output.replace(&localhost(&team.personal), "http://localhost:9999");
    output.replace(&localhost(&team.weather), "http://localhost:10000")
}

#[test]
fn readme_shows_the_actual_output() {
    let readme = Path::new(&examples()).with_file_name("README.md");
    let readme = fs::read_to_string(readme).expect("the README");
    let shows = |output: &str| {
        assert!(readme.contains(&format!("```text\n{output}```")), "the README does not show:\n{output}");
    };

    let team = Team::in_two_processes(ToolOwner::Agent);
    let asked = team.home.run(&["run", &localhost(&team.personal), QUESTION, "--data", "asker"]);
    shows(&as_written(&team, &[asked.stderr, asked.stdout].concat()));
    team.end();

    let team = Team::in_two_processes(ToolOwner::Caller);
    shows(&as_written(&team, &team.ask_by_script("auto")));
    team.end();
}

/// Without `--data`, the error of the second server suggests a directory, and the suggestion works.
#[test]
fn second_server_error_suggests_a_data_directory() {
    let home = Home::new();
    let [weather, personal] = ["weather", "personal"].map(|name| format!("{}/{name}", examples()));
    let (first, _) = home.up(&[&weather, "--port", "0"]);
    let refused = home.run(&["up", &personal, "--port", "0"]);
    assert_eq!(refused.code, Some(4), "{}", refused.shown());
    let (_, named) = refused.stderr.trim_end().rsplit_once("--data ").expect("a directory");
    assert_eq!(named, ".baton-2", "{}", refused.shown());

    let (second, _) = home.up(&[&personal, "--port", "0", "--data", named]);
    let third = home.run(&["up", &personal, "--port", "0"]);
    assert!(third.stderr.contains("--data .baton-3"), "{}", third.shown());
    let asked = home.run(&["run", "weather", QUESTION, "-q"]);
    assert!(asked.stdout.contains("72°F"), "the first server still runs: {}", asked.shown());
    for server in [first, second] {
        server.signal("TERM");
        assert_eq!(server.end().code, Some(0));
    }
}
