//! Two terminals, as the README has them.

use super::team::{QUESTION, Team, Tools, localhost};
use crate::binary::{Home, examples};
use std::{fs, path::Path};

/// What is told at free ports, as it is told at those of the README.
fn as_written(team: &Team, told: &str) -> String {
    let told = told.replace(&localhost(&team.personal), "http://localhost:9999");
    told.replace(&localhost(&team.weather), "http://localhost:10000")
}

#[test]
fn the_readme_shows_what_is_told() {
    let readme = Path::new(&examples()).with_file_name("README.md");
    let readme = fs::read_to_string(readme).expect("the README");
    let shows =
        |told: &str| assert!(readme.contains(&format!("```text\n{told}```")), "the README does not show:\n{told}");

    let team = Team::apart(Tools::Agent);
    let asked = team.home.run(&["run", &localhost(&team.personal), QUESTION, "--data", "asker"]);
    shows(&as_written(&team, &[asked.stderr, asked.stdout].concat()));
    team.end();

    let team = Team::apart(Tools::Caller);
    shows(&as_written(&team, &team.ask_by_script("auto")));
    team.end();
}

/// Whoever forgets that each needs a data directory of its own is told which one to take, and it works.
#[test]
fn the_second_baton_up_is_told_which_data_directory_to_use() {
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
    assert!(asked.stdout.contains("72°F"), "the first one goes on: {}", asked.shown());
    for server in [first, second] {
        server.signal("TERM");
        assert_eq!(server.end().code, Some(0));
    }
}
