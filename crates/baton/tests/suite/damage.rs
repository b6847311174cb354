//! Damaged data directories: the intact part is served, and losses are reported.

use crate::binary::{CommandOutput, Home, request};
use serde_json::{Value, json};
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// A data directory with one task per question, without a running server.
fn home_with_tasks(questions: &[&str]) -> Home {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (server, _) = home.up(&["helper", "--port", "0"]);
    for question in questions {
        assert_eq!(home.run(&["run", "helper", question]).code, Some(0));
    }
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    home
}

fn call(url: &str, method: &str, params: &Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let headers = [("Content-Type", "application/json"), ("A2A-Version", "1.0")];
    let reply = request(url, "POST", "/agents/helper", &headers, &body);
    serde_json::from_str(&reply.body).unwrap_or_else(|_| panic!("{}", reply.body))
}

fn tasks(url: &str) -> Vec<String> {
    let listed = call(url, "ListTasks", &json!({}));
    let tasks = listed["result"]["tasks"].as_array().unwrap_or_else(|| panic!("{listed:#}"));
    tasks.iter().map(|task| task["id"].as_str().expect("an id").to_owned()).collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.sort();
    files
}

/// Makes the JSON of every stored text with this prefix invalid, without changing its length.
fn spoil(home: &Home, text: &str) {
    let file = home.path(".baton/journal.db");
    let mut bytes = fs::read(&file).expect("a journal");
    let whole = format!("\"text\":\"{text}").into_bytes();
    let places: Vec<usize> =
        bytes.windows(whole.len()).enumerate().filter(|(_, window)| *window == whole).map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "{text} is not in the journal");
    for place in places {
        bytes[place + "\"text\"".len()] = b' ';
    }
    fs::write(&file, bytes).expect("written");
}

#[test]
fn agents_are_served_despite_a_damaged_span_log() {
    let home = home_with_tasks(&["one", "two"]);
    let log = files(&home.path(".baton/spans/log")).pop().expect("a log");
    let mut bytes = fs::read(&log).expect("read");
    bytes[30] ^= 0x40;
    fs::write(&log, &bytes).expect("written");
    let (server, url) = home.up(&["helper", "--port", "0"]);
    assert_eq!(tasks(&url).len(), 2);
    let told = home.run(&["doctor"]);
    assert_eq!(told.code, Some(0), "{}", told.shown());
    assert!(told.stdout.contains("1 damaged span files were moved to"), "{}", told.shown());
    server.signal("TERM");
    let ended = server.end();
    let name = log.file_name().expect("a name");
    assert_eq!(fs::read(home.path(".baton/spans/damaged").join(name)).expect("kept"), bytes, "{}", ended.stderr);
}

#[test]
fn damaged_task_is_omitted_from_lists_and_reported_when_read() {
    let home = home_with_tasks(&["zebra", "lion"]);
    let (server, url) = home.up(&["helper", "--port", "0"]);
    let before = tasks(&url);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    spoil(&home, "zebra");

    let (server, url) = home.up(&["helper", "--port", "0"]);
    let after = tasks(&url);
    assert_eq!((before.len(), after.len()), (2, 1));
    let damaged = before.iter().find(|id| !after.contains(id)).expect("one is left out");
    let read = call(&url, "GetTask", &json!({"id": damaged})).to_string();
    assert!(read.contains("BTN-5012") && read.contains(damaged.as_str()), "{read}");
    assert!(home.run(&["run", "helper", "again"]).stdout.contains("hello"), "other tasks still run");
    server.signal("TERM");
    let ended = server.end();
    let named = ended.stderr.lines().any(|line| line.contains("BTN-5012") && line.contains(damaged.as_str()));
    assert!(named, "{}", ended.stderr);

    let repaired = home.run(&["doctor", "--repair", "--json"]);
    assert_eq!(repaired.code, Some(0), "{}", repaired.shown());
    let said: Value = serde_json::from_str(&repaired.stdout).expect("JSON");
    let moved = said["repairs"].as_array().expect("repairs").iter().any(|step| {
        step["changed"] == true && step["message"].as_str().is_some_and(|text| text.contains(damaged.as_str()))
    });
    assert!(moved, "{said:#}");
    let (_server, url) = home.up(&["helper", "--port", "0"]);
    assert!(call(&url, "GetTask", &json!({"id": damaged})).to_string().contains("BTN-2003"));
    assert_eq!(tasks(&url).len(), 2);
}

#[test]
fn lost_journal_is_replaced_only_on_request() {
    let refused = |home: &Home, args: &[&str]| -> CommandOutput {
        let ended = home.run(args);
        assert_eq!(ended.code, Some(4), "{}", ended.shown());
        assert!(ended.stderr.contains("BTN-5010") && ended.stderr.contains("--new-journal"), "{}", ended.shown());
        ended
    };
    for harm in ["missing", "empty"] {
        let home = home_with_tasks(&["one"]);
        let journal = home.path(".baton/journal.db");
        let done = if harm == "missing" { fs::remove_file(&journal) } else { fs::write(&journal, b"") };
        done.expect("done");
        let said = refused(&home, &["up", "helper", "--port", "0"]);
        assert!(said.stderr.contains("spans/") && said.stderr.contains("tokens"), "{}", said.shown());
        refused(&home, &["run", "helper", "hi"]);
        assert_eq!(home.run(&["doctor"]).code, Some(4));
        let (server, url) = home.up(&["helper", "--port", "0", "--new-journal"]);
        assert!(tasks(&url).is_empty());
        assert!(home.run(&["run", "helper", "hi"]).stdout.contains("hello"));
        let [task] = tasks(&url).try_into().expect("one task");
        server.signal("TERM");
        assert_eq!(server.end().code, Some(0));
        // Spans of the new journal are added to those of the lost one.
        let query = format!("{{ span.task.id = \"{task}\" }}");
        let found = home.run(&["trace", "query", &query, "--json"]);
        assert!(found.stdout.contains("traceID"), "{}", found.shown());
    }
}

#[test]
fn the_data_directory_is_private_and_out_of_version_control() {
    let home = home_with_tasks(&["one"]);
    let data = home.path(".baton");
    assert!(fs::read_to_string(data.join(".gitignore")).expect("made").lines().any(|line| line == "*"));
    assert_eq!(mode(&data), 0o700);
    // The permissions of an earlier version or of a permissive umask.
    fs::remove_file(data.join(".gitignore")).expect("removed");
    let open = ["", "journal.db", "lock", "spans"].map(|name| data.join(name));
    for path in &open {
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("set");
    }
    let remark = home.run(&["doctor", "--json"]);
    assert!(remark.stdout.contains("other users can access") && remark.stdout.contains("0755"), "{}", remark.shown());
    for path in &open {
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("set");
    }
    let (server, _) = home.up(&["helper", "--port", "0"]);
    for path in &open {
        assert_eq!(mode(path) & 0o077, 0, "{}", path.display());
    }
    assert_eq!(mode(&data.join("server.json")), 0o600);
    assert!(data.join(".gitignore").exists());
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn a_project_directory_gets_no_gitignore() {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    home.write("baton.yaml", "data: .\n");
    assert_eq!(home.run(&["run", "helper", "hi"]).code, Some(0));
    assert!(home.path("journal.db").exists() && !home.path(".gitignore").exists());
}

#[test]
fn repair_reports_its_changes_and_deletes_nothing() {
    let home = home_with_tasks(&["one"]);
    let data = home.path(".baton");
    fs::set_permissions(&data, Permissions::from_mode(0o750)).expect("set");
    fs::remove_file(data.join(".gitignore")).expect("removed");
    let draft = data.join(".server.json.new");
    fs::write(&draft, b"half").expect("written");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(&draft).expect("open").set_modified(old).expect("set");
    let repaired = home.run(&["doctor", "--repair"]);
    assert_eq!(repaired.code, Some(0), "{}", repaired.shown());
    for text in ["mode was 0750", ".gitignore", ".server.json.new", "checked 1 record", "every block can be read"] {
        assert!(repaired.stdout.contains(text), "{text}: {}", repaired.shown());
    }
    assert!(!draft.exists() && data.join(".gitignore").exists());
    assert_eq!(mode(&data), 0o700);

    let (_server, url) = home.up(&["helper", "--port", "0"]);
    assert_eq!(tasks(&url).len(), 1);
    let busy = home.run(&["doctor", "--repair"]);
    assert_eq!(busy.code, Some(4), "{}", busy.shown());
    assert!(busy.stderr.contains("BTN-4003") && busy.stderr.contains("Stop the server"), "{}", busy.shown());
    let elsewhere = home.run(&["doctor", "--repair", "--server", &url]);
    assert_eq!(elsewhere.code, Some(2), "{}", elsewhere.shown());
}
