//! Starts the binary in a temporary directory and waits for its output.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        atomic::{AtomicU16, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// Upper bound for an orderly shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(15);

/// Exporters that are on by default.
const EXPORTERS: [&str; 3] = ["OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"];

/// Retention that keeps spans of fixed past times, so that results do not depend on the current date.
pub(crate) const LONG_RETENTION: &str = "telemetry: { retention: { age: 36500d } }\n";

/// A temporary working directory.
pub(crate) struct Home(TempDir);

/// Exit code and output of a finished command.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    /// Exit code, stdout and stderr, for snapshots.
    pub(crate) fn shown(&self) -> String {
        let Self { code, stdout, stderr } = self;
        format!("exit {}\n--- stdout\n{stdout}--- stderr\n{stderr}", code.map_or("by signal".into(), |c| c.to_string()))
    }
}

/// A command that still runs.
pub(crate) struct RunningProcess {
    child: Child,
    pub(crate) stdout: BufReader<ChildStdout>,
    pub(crate) stderr: BufReader<ChildStderr>,
}

#[expect(clippy::disallowed_methods, reason = "the program under test is a separate process")]
fn command(program: impl AsRef<Path>) -> Command {
    Command::new(program.as_ref())
}

/// Path of the examples of the repository.
pub(crate) fn examples() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").to_str().expect("UTF-8").to_owned()
}

/// A free port that stays free until it is bound: it is below the ephemeral range, and each process searches its own
/// range.
pub(crate) fn free_port() -> String {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let place = u16::try_from(std::process::id() % 1_000).expect("below 1,000");
    let port = |_| 10_000 + place * 20 + NEXT.fetch_add(1, Ordering::Relaxed) % 20;
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    (0..20).map(port).find(is_free).expect("a free port").to_string()
}

impl Home {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary directory"))
    }

    /// In memory if possible, for tests that write many files.
    #[cfg(target_os = "linux")]
    pub(crate) fn in_memory() -> Self {
        Self(TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).expect("a temporary directory"))
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    pub(crate) fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("written");
    }

    /// Creates the directory of an agent: definition, prompt and playbook.
    pub(crate) fn agent(&self, name: &str, yaml: &str, playbook: &str) {
        self.write(&format!("{name}/agent.yaml"), &format!("name: {name}\ndescription: For a test.\n{yaml}"));
        self.write(&format!("{name}/prompt.md"), "You are a test.\n");
        self.write(&format!("{name}/playbook.yaml"), playbook);
    }

    /// Creates a named pipe: opening one end blocks until the other is opened.
    pub(crate) fn pipe(&self, relative: &str) {
        assert!(command("mkfifo").arg(self.path(relative)).status().expect("mkfifo").success());
    }

    /// The command, not started yet. Exporters are off, because a collector may listen on the default port.
    pub(crate) fn baton(&self, args: &[&str]) -> Command {
        let mut command = command(env!("CARGO_BIN_EXE_baton"));
        // Only the variables that tools need, so that settings of the developer have no effect.
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .args(args)
            .current_dir(self.0.path())
            .env_clear()
            .env("PATH", path)
            .env("BATON_DETECT", "off")
            .stdin(Stdio::null());
        command.envs(EXPORTERS.map(|name| (name, "none")));
        command
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, args: &[&str]) -> CommandOutput {
        ended(&mut self.baton(args))
    }

    /// Like [`Self::run`], with these environment variables.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], args: &[&str]) -> CommandOutput {
        ended(self.baton(args).envs(variables.iter().copied()))
    }

    /// Starts the command without waiting for it.
    pub(crate) fn start(&self, args: &[&str]) -> RunningProcess {
        self.start_with(&[], args)
    }

    fn start_with(&self, variables: &[(&str, &str)], args: &[&str]) -> RunningProcess {
        let mut command = self.baton(args);
        command.envs(variables.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        RunningProcess { child, stdout, stderr }
    }

    /// Starts `baton up` and waits for its URL.
    pub(crate) fn up(&self, args: &[&str]) -> (RunningProcess, String) {
        self.up_with(&[], args)
    }

    /// Like [`Self::up`], with the exporters that these environment variables configure.
    pub(crate) fn up_with_exporters(&self, variables: &[(&str, &str)], args: &[&str]) -> (RunningProcess, String) {
        // An empty variable counts as unset.
        let unset = EXPORTERS.map(|name| (name, ""));
        self.up_with(&[&unset, variables].concat(), args)
    }

    /// Like [`Self::up`], with these environment variables.
    pub(crate) fn up_with(&self, variables: &[(&str, &str)], args: &[&str]) -> (RunningProcess, String) {
        let (running, url, _) = self.up_and_line(variables, args, "baton serves");
        (running, url)
    }

    /// Like [`Self::up_with`], and also returns the line with `text` that is printed before or after the address.
    pub(crate) fn up_and_line(
        &self,
        variables: &[(&str, &str)],
        args: &[&str],
        text: &str,
    ) -> (RunningProcess, String, String) {
        let mut running = self.start_with(variables, &[&["up"], args].concat());
        let [address, line] = await_lines(&mut running.stderr, ["baton serves", text]);
        let url = address.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");
        (running, url.to_owned(), line)
    }
}

fn ended(command: &mut Command) -> CommandOutput {
    let output = command.output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    CommandOutput { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

impl RunningProcess {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal with the `kill` of the shell.
    pub(crate) fn signal(&self, name: &str) {
        let sent = command("sh").arg("-c").arg(format!("kill -{name} {}", self.pid())).status();
        assert!(sent.expect("sh").success(), "kill -{name}");
    }

    /// Waits for the end and reads the remaining output; fails after a timeout.
    pub(crate) fn end(mut self) -> CommandOutput {
        let (done, ended) = mpsc::channel();
        thread::spawn(move || {
            let (mut stdout, mut stderr) = (String::new(), String::new());
            self.stdout.read_to_string(&mut stdout).expect("UTF-8");
            self.stderr.read_to_string(&mut stderr).expect("UTF-8");
            let status: ExitStatus = self.child.wait().expect("it ends");
            // The receiver is gone only when the test has failed already.
            let _ = done.send(CommandOutput { code: status.code(), stdout, stderr });
        });
        ended.recv_timeout(SHUTDOWN_TIMEOUT).expect("the process ends in time")
    }

    /// Kills the process (SIGKILL).
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("it ends");
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads lines until one contains this text.
pub(crate) fn await_line(reader: &mut impl BufRead, text: &str) -> String {
    let [line] = await_lines(reader, [text]);
    line
}

/// Reads until there is a line with each of the texts, in any order.
fn await_lines<const N: usize>(reader: &mut impl BufRead, texts: [&str; N]) -> [String; N] {
    let mut seen = String::new();
    let mut found = [const { String::new() }; N];
    while found.iter().any(String::is_empty) {
        let mut line = String::new();
        if reader.read_line(&mut line).expect("UTF-8") == 0 {
            panic!("no lines with {texts:?} in:\n{seen}");
        }
        for (found, text) in found.iter_mut().zip(texts) {
            if found.is_empty() && line.contains(text) {
                found.clone_from(&line);
            }
        }
        seen.push_str(&line);
    }
    found
}

/// Sends a GET request and returns the raw response.
pub(crate) fn get(url: &str, path: &str) -> String {
    let address = url.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("sent");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("UTF-8");
    reply
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    /// The value of a header; names are case-insensitive.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.into_iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Sends an HTTP request with headers and a body.
pub(crate) fn request(url: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let address = url.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(address).expect("it listens");
    let fields: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head =
        format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n");
    write!(stream, "{head}{fields}\r\n{body}").expect("sent");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("UTF-8");
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Reply { status, head: head.to_owned(), body: body.to_owned() }
}

/// The agent's last message in a task: the status message, or else the last message of the history.
pub(crate) fn last_message(task: &serde_json::Value) -> &serde_json::Value {
    let status = &task["status"]["message"];
    let history = task["history"].as_array().and_then(|history| history.last());
    if status.is_null() { history.unwrap_or(status) } else { status }
}

/// The text of [`last_message`].
pub(crate) fn last_text(task: &serde_json::Value) -> &str {
    last_message(task)["parts"][0]["text"].as_str().unwrap_or_default()
}

/// Opens a request with a streamed response; HTTP/1.0 avoids the chunked encoding of HTTP/1.1.
pub(crate) fn open(url: &str, method: &str, path: &str, body: &str) -> std::net::TcpStream {
    let address = url.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(address).expect("it listens");
    let (kind, length) = ("Content-Type: application/json", body.len());
    let head = format!("{method} {path} HTTP/1.0\r\nHost: {address}\r\n{kind}\r\nContent-Length: {length}\r\n");
    write!(stream, "{head}\r\n{body}").expect("sent");
    stream
}

/// Runs snapshot assertions with variable values replaced.
pub(crate) fn filtered(check: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (pattern, replacement) in [
        (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "[id]"),
        (r"\d\d:\d\d:\d\d\.\d\d\d", "[time]"),
        (r" +\d+\.\d\ds  ", "   [s]  "),
        (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
        (r"agent definition [0-9a-f]{12}", "agent definition [digest]"),
        (r"process \d+", "process [pid]"),
        (r"(/[^ /]+)+/baton ", "baton "),
    ] {
        settings.add_filter(pattern, replacement);
    }
    settings.bind(check);
}
