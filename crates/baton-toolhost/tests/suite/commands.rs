//! Command tools, run as real programs.

use super::calling::call_first;
use baton_local::DirectoryAgents;
use baton_ports::{AgentSource, ToolOutput};
use baton_types::AgentSpec;
use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::Path,
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;

/// An agent whose tool `t` runs this script with the argument `${a}`.
struct Workshop {
    home: TempDir,
    agent: Arc<AgentSpec>,
}

impl Workshop {
    fn new(settings: &str, script: &str) -> Self {
        let home = TempDir::new().unwrap();
        let yaml = format!(
            "name: shop\ntools:\n  - name: t\n    description: d\n    command: [sh, t.sh, \"${{a}}\", \"<${{a}}>\"]\n    \
             parameters: {{ properties: {{ a: {{}} }}, required: [a] }}\n{settings}"
        );
        fs::write(home.path().join("agent.yaml"), yaml).unwrap();
        fs::write(home.path().join("prompt.md"), "You are a test.").unwrap();
        fs::write(home.path().join("t.sh"), script).unwrap();
        let agent = DirectoryAgents::load(&[home.path().to_owned()]).unwrap().agents().remove(0);
        Self { home, agent }
    }

    async fn call(&self, arguments: &str) -> ToolOutput {
        call_first(&self.agent, arguments).await
    }

    fn path(&self) -> &Path {
        self.home.path()
    }
}

async fn run(script: &str, arguments: &str) -> ToolOutput {
    Workshop::new("", script).call(arguments).await
}

#[tokio::test]
async fn output_is_json_or_text() {
    for (script, expect) in [
        ("echo hello", r#""hello""#),
        ("printf 'two\\nlines\\n\\n'", r#""two\nlines\n""#),
        (
            "echo '{ \"temp\": 72.0, \"big\": 123456789012345678901234567890 }'",
            r#"{"temp":72.0,"big":123456789012345678901234567890}"#,
        ),
        ("echo 42", "42"),
        ("true", r#""""#),
        ("cat", r#"{"a":"x"}"#),
        ("pwd >/dev/null; echo \"$BATON_AGENT $BATON_CALL_ID ${CARGO_MANIFEST_DIR-unset}\"", r#""shop call-1 unset""#),
        ("test -n \"$PATH\" && test -f t.sh && echo here", r#""here""#),
    ] {
        let output = run(script, r#"{"a":"x"}"#).await;
        assert_eq!((output.output.as_str(), output.is_error), (expect, false), "{script}");
    }
}

#[tokio::test]
async fn arguments_are_passed_literally() {
    let script = "printf '%s|%s|%s' \"$#\" \"$1\" \"$2\"";
    for text in [
        "plain",
        "two words",
        "a; touch pwned",
        "$(touch pwned) `touch pwned`",
        "it's \"quoted\"",
        "-n",
        "*",
        "ä°\n",
        "",
    ] {
        let shop = Workshop::new("", script);
        let output = shop.call(&serde_json::json!({"a": text}).to_string()).await;
        assert_eq!(output.output.to_plain_text().trim_end(), format!("2|{text}|<{text}>").trim_end());
        assert!(!shop.path().join("pwned").exists());
    }
    assert_eq!(run(script, r#"{"a":[1,true]}"#).await.output.to_plain_text(), "2|[1,true]|<[1,true]>");
}

#[tokio::test]
async fn failures_state_the_remedy() {
    let mut all = Vec::new();
    for (settings, script, arguments) in [
        ("", "echo partial; echo 'no such city' >&2; exit 3", r#"{"a":"x"}"#),
        ("", "kill -9 $$", r#"{"a":"x"}"#),
        ("", "echo never", "{}"),
        ("", "echo never", r#"{"a":"\u0000"}"#),
        ("", "echo never", "[1]"),
        ("    timeout: 300ms\n", "exec sleep 1000", r#"{"a":"x"}"#),
    ] {
        let output = Workshop::new(settings, script).call(arguments).await;
        assert!(output.is_error, "{script}");
        all.push(format!("# {script} {arguments}\n{}", output.output.to_plain_text()));
    }
    let shop = Workshop::new("", "");
    let mut agent = (*shop.agent).clone();
    if let baton_types::ToolRunner::Command(command) = &mut agent.tools[0].runner {
        command.argv = vec!["no-such-program".to_owned()];
    }
    let shop = Workshop { agent: Arc::new(agent), ..shop };
    all.push(format!("# no program\n{}", shop.call("{}").await.output.to_plain_text()));
    insta::assert_snapshot!(all.join("\n\n"));
}

#[tokio::test]
async fn output_is_truncated_with_a_note() {
    let shop = Workshop::new("    max_output: 10\n", "printf '123456789°'; head -c 1000000 /dev/zero");
    let output = shop.call(r#"{"a":"x"}"#).await;
    let expect = "123456789\n[output cut: the first 10 of 1000011 bytes are shown]";
    assert_eq!((output.output.to_plain_text().as_str(), output.is_error), (expect, false));

    let noisy = Workshop::new("", "head -c 100000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 1");
    let output = noisy.call(r#"{"a":"x"}"#).await.output.to_plain_text();
    assert!(output.len() < 5000 && output.contains("(its end)") && output.contains("xlast"), "{output}");
}

#[tokio::test]
async fn unread_input_and_remaining_children_do_not_block() {
    let long = serde_json::json!({"a": "x", "b": "y".repeat(1 << 20)}).to_string();
    assert_eq!(run("echo done", &long).await.output.to_plain_text(), "done");
    let output = run("sleep 1000 & echo parent is done", r#"{"a":"x"}"#).await;
    assert_eq!((output.output.to_plain_text().as_str(), output.is_error), ("parent is done", false));
}

/// A pipe that reaches its end only when all processes of the script have exited.
async fn opened_pipe(shop: &Workshop) -> BufReader<File> {
    let path = shop.path().join("pipe");
    let reader = tokio::task::spawn_blocking(move || {
        let mut reader = BufReader::new(File::open(path).unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "started\n");
        reader
    });
    reader.await.unwrap()
}

async fn ended(mut pipe: BufReader<File>) {
    let end = tokio::task::spawn_blocking(move || pipe.read_to_end(&mut Vec::new()).unwrap());
    tokio::time::timeout(Duration::from_secs(60), end).await.unwrap().unwrap();
}

/// The first call creates the pipe; the second one and its background child hold it open.
const HOLDS_A_PIPE: &str =
    "if [ \"$1\" = pipe ]; then mkfifo pipe; exit; fi; exec 3>pipe; sleep 1000 & echo started >&3; wait";

#[tokio::test]
async fn dropping_the_call_kills_the_program_and_its_children() {
    let shop = Workshop::new("", HOLDS_A_PIPE);
    assert!(!shop.call(r#"{"a":"pipe"}"#).await.is_error);
    let pipe = tokio::select! {
        output = shop.call(r#"{"a":"hold"}"#) => panic!("{output:?}"),
        pipe = opened_pipe(&shop) => pipe,
    };
    ended(pipe).await;
}

#[tokio::test]
async fn a_timeout_kills_the_program_and_its_children() {
    let shop = Workshop::new("    timeout: 5s\n", HOLDS_A_PIPE);
    assert!(!shop.call(r#"{"a":"pipe"}"#).await.is_error);
    let (output, pipe) = tokio::join!(shop.call(r#"{"a":"hold"}"#), opened_pipe(&shop));
    assert!(output.output.to_plain_text().contains("was stopped after its timeout of 5s"), "{output:?}");
    ended(pipe).await;
}

#[tokio::test]
async fn the_weather_example_answers() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let agents = DirectoryAgents::load(&[examples]).unwrap();
    let names = ["conformance", "mcp-conformance", "personal", "weather"];
    assert!(agents.agents().iter().map(|agent| agent.name.as_str()).eq(names));
    let agent = agents.agent(&"weather".into()).unwrap();
    let output = call_first(&agent, r#"{"location":"Oakland"}"#).await;
    assert_eq!(output.output.to_plain_text(), "The weather in Oakland is 72°F, sunny, humidity 65%.");
}
