//! A process that is killed repeatedly while it saves an agent.

use crate::storage::Changes;
use baton_local::{DirectoryAgents, DirectoryStorage};
use baton_ports::{AgentFiles, AgentSource, AgentStorage, AgentStorageError};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

const FOLDER: &str = "BATON_TEST_SAVING_FOLDER";
const KILLS: u32 = 1000;
/// Number of saves that are timed.
const TIMED_SAVES: u32 = 5;

/// One version of the agent; every second one has an additional file, and every third one changes only `agent.yaml`.
fn version(number: u64) -> Changes {
    let text = |text: String| Some(text.into_bytes());
    let yaml = text(format!("name: a\nversion: 1.0.{number}\n"));
    let number = number - u64::from(is_of_one_file(number));
    Changes::from([
        ("agent.yaml".to_owned(), yaml),
        ("prompt.md".to_owned(), text(format!("This is version {number}."))),
        ("rules/often.md".to_owned(), text(format!("often {number}")).filter(|_| number.is_multiple_of(2))),
        ("references/long.md".to_owned(), text(format!("{number}\n").repeat(2000))),
    ])
}

fn is_of_one_file(number: u64) -> bool {
    number % 3 == 2
}

/// The changes that create the next version.
fn changes(files: &AgentFiles) -> Changes {
    let next = version(number(files) + 1);
    next.into_iter().filter(|(path, bytes)| files.get(path) != bytes.as_ref()).collect()
}

fn number(files: &AgentFiles) -> u64 {
    let yaml = String::from_utf8(files["agent.yaml"].clone()).unwrap();
    yaml.trim().rsplit('.').next().unwrap().parse().unwrap()
}

/// The process that is killed: this test, restarted with a folder, saves version after version.
#[test]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let storage = DirectoryStorage::new(folder);
    let mut out = std::io::stdout().lock();
    writeln!(out, "saving").unwrap();
    out.flush().unwrap();
    loop {
        let (files, digest) = storage.read("a").unwrap();
        match storage.replace("a", &digest, &changes(&files)) {
            Ok(_) | Err(AgentStorageError::Conflict) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the child must be a process that nothing can end but the test")]
fn spawn(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["kills::child", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// Deterministic pseudo-random numbers.
fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

#[test]
fn a_thousand_kills_during_a_save_leave_the_old_or_the_new_version() {
    // A memory file system survives the kill of a process and is fast.
    let home = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let storage = DirectoryStorage::new(home.path());
    let files = version(0).into_iter().filter_map(|(path, bytes)| Some((path, bytes?))).collect();
    storage.create("a", &files).unwrap();
    let measuring = Instant::now();
    for _ in 0..TIMED_SAVES {
        let (files, digest) = storage.read("a").unwrap();
        storage.replace("a", &digest, &changes(&files)).unwrap();
    }
    // Longer than a save, so that the kill can hit any point of it.
    let longest = measuring.elapsed() * 2 / TIMED_SAVES;
    let (mut seed, mut last, mut halves, mut alone) = (0x5eed_u64, 0, 0, 0);
    for kill in 0..KILLS {
        let mut child = spawn(home.path());
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.ends_with("saving")), "kill {kill}");
        let moment = Duration::from_nanos(next(&mut seed) % u64::try_from(longest.as_nanos()).unwrap());
        let begun = Instant::now();
        while begun.elapsed() < moment {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        halves += u32::from(home.path().join("a/.baton-saving").exists());
        let (files, _) = storage.read("a").unwrap();
        let number = number(&files);
        let whole: AgentFiles = version(number).into_iter().filter_map(|(path, bytes)| Some((path, bytes?))).collect();
        assert_eq!(files, whole, "kill {kill}");
        assert!(number >= last, "kill {kill}: version {number} after {last}");
        last = number;
        alone += u32::from(is_of_one_file(number + 1));
    }
    let agents = DirectoryAgents::load(&[home.path().to_owned()]).unwrap();
    assert_eq!(agents.agent(&"a".into()).unwrap().version, format!("1.0.{last}"));
    // Otherwise the kills did not hit the relevant points.
    assert!(halves > 10 && last > 50, "{halves} kills between two files, {last} versions");
    assert!(alone > 50, "{alone} kills before or in a save of one file");
}
