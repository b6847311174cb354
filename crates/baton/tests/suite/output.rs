//! Unwritable output, and names that are not valid UTF-8.

use crate::binary::{Home, examples};
use std::process::{Command, Output};

/// Runs a shell line with the program as `$BATON`.
#[expect(clippy::disallowed_methods, reason = "the program under test is a process of its own")]
fn shell(home: &Home, line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(home.path("")).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("BATON", env!("CARGO_BIN_EXE_baton")).env("EXAMPLES", examples());
    command.output().expect("sh")
}

#[test]
fn unwritable_output_is_an_error() {
    let home = Home::new();
    let full = shell(&home, "\"$BATON\" run -q weather 'Weather in Oakland?' --agents \"$EXAMPLES\" >/dev/full");
    let said = String::from_utf8(full.stderr).expect("UTF-8");
    assert_eq!((full.status.code(), said.contains("the output could not be written: No space left")), (Some(4), true));
    let gone = shell(&home, "{ \"$BATON\" agents \"$EXAMPLES\"; echo $? >code; } | true; cat code");
    assert_eq!(gone.stdout, b"0\n", "a closed pipe is not an error");
}

#[test]
fn non_utf8_directory_name_is_accepted() {
    let home = Home::new();
    let made = shell(&home, "\"$BATON\" --json new y --dir \"$(printf 'a\\377')\"");
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let data: serde_json::Value = serde_json::from_slice(&made.stdout).expect("JSON");
    assert_eq!(data["directory"], "a\u{fffd}/y");
}
