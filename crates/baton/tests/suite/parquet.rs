//! Span export to Parquet: the command's output, and every filter and aggregate compared with DuckDB in
//! `tests/python/parquet_oracle.py`.

use crate::{
    binary::{Home, RunningProcess},
    foreign::Interpreter,
};
use std::fs;

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_DUCKDB_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-duckdb.txt"],
};

fn stop(server: RunningProcess) {
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}

/// Start of a whole hour in the past, so that intervals are aligned with those of the queries.
#[expect(clippy::disallowed_methods, reason = "spans must not be older than they are kept")]
fn hours_ago(hours: u64) -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs();
    (now / 3600 - hours) * 3600
}

fn agent(home: &Home) {
    home.agent("quiet", "", "rules: []\n");
}

#[test]
fn duckdb_results_match() {
    let home = Home::new();
    agent(&home);
    let begin = hours_ago(3).to_string();
    let send = |url: &str, part: &str| -> u64 {
        let sent = PYTHON.run_script(&["tests/python/parquet_spans.py", url, &begin, part]);
        sent.trim().parse().expect("a span count")
    };
    // Enough spans to form a block when the server stops; the later spans stay in memory.
    let (server, url) = home.up(&["quiet", "--port", "0", "--data", "data"]);
    let mut sent = send(&url, "first");
    stop(server);
    assert!(fs::read_dir(home.path("data/spans/blocks")).expect("blocks").count() > 0);
    let (server, url) = home.up(&["quiet", "--port", "0", "--data", "data"]);
    sent += send(&url, "second");
    let file = home.path("spans.parquet");
    let exported = home.run(&["trace", "export", "--parquet", "spans.parquet", "--data", "data", "--json"]);
    assert_eq!(exported.code, Some(0), "{}", exported.shown());
    let said: serde_json::Value = serde_json::from_str(&exported.stdout).expect("JSON");
    assert_eq!((&said["spans"], &said["left_out"]), (&sent.into(), &0.into()), "{said}");
    assert_eq!(said["bytes"], fs::metadata(&file).expect("the exported file").len());
    let path = file.to_str().expect("UTF-8");
    let compared = PYTHON.run_script(&["tests/python/parquet_oracle.py", &url, path, &begin, &sent.to_string()]);
    assert!(compared.contains("measures of the whole time are the same"), "{compared}");
    stop(server);
}

/// Output of the command with a server, without one, and on errors.
#[test]
fn export_command_output() {
    let home = Home::new();
    agent(&home);
    let (server, url) = home.up(&["quiet", "--port", "0", "--data", "data"]);
    let begin = hours_ago(3);
    PYTHON.run_script(&["tests/python/parquet_spans.py", &url, &begin.to_string(), "second"]);
    let export = |arguments: &[&str]| {
        let all = [&["trace", "export", "--data", "data", "--parquet"], arguments].concat();
        format!("$ baton {}\n{}", all.join(" "), home.run(&all).shown())
    };
    let (since, until) = (begin.to_string(), (begin + 1800).to_string());
    let mut said = vec![
        export(&["all.parquet"]),
        export(&["some.parquet", "--query", "{ status == error }"]),
        export(&["none.parquet", "--query", "{ name = \"nobody\" }"]),
        export(&["early.parquet", "--since", &since, "--until", &until, "--json"]),
        export(&["late.parquet", "--since", &until, "--json"]),
        export(&["wrong.parquet", "--query", "{ status = "]),
        export(&["wrong.parquet", "--query", "{ status = error } | rate()"]),
        export(&["wrong.parquet", "--since", "1h", "--until", "2h"]),
        export(&["missing/wrong.parquet"]),
        export(&["wrong.parquet", "--server", "http://127.0.0.1:1"]),
    ];
    stop(server);
    said.push(export(&["alone.parquet"]));
    let same =
        fs::read(home.path("all.parquet")).expect("written") == fs::read(home.path("alone.parquet")).expect("written");
    assert!(same, "the exports with and without a server are equal");
    let mut names: Vec<String> = fs::read_dir(home.path("."))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.contains("parquet"))
        .collect();
    names.sort();
    said.push(names.join("\n"));
    let said = said.join("\n").replace(&since, "BEGIN").replace(&until, "MIDDLE");
    insta::with_settings!({ filters => vec![(r"\d+(\.\d+)? (kB|KB|MB|B)\b", "SIZE"), (r#""bytes":\d+"#, "\"bytes\":SIZE")] }, {
        insta::assert_snapshot!(said);
    });
}
