//! The audit log on disk.

use baton_api::error_codes;
use baton_local::AuditFile;
use baton_ports::{AccessDenial, AdminChange, AuditLog as _};
use baton_types::{ErrorCode, Principal, Timestamp};
use std::{fs, path::Path, sync::Arc};

fn denial(reason: &str) -> AccessDenial {
    AccessDenial {
        at: Timestamp::from_millis(1_794_770_760_000),
        code: error_codes::SCOPE_MISSING,
        reason: reason.to_owned(),
        method: "POST".to_owned(),
        path: "/agents/weather".to_owned(),
        remote: "192.0.2.7".parse().ok(),
        principal: Some(Arc::new(Principal { tenant: "acme".into(), subject: "ann".into(), scopes: Vec::new() })),
        credential: Some("token 4fq2x7".into()),
    }
}

fn unknown() -> AccessDenial {
    AccessDenial {
        code: ErrorCode::UNAUTHENTICATED,
        remote: None,
        principal: None,
        credential: None,
        ..denial("no token")
    }
}

/// Records the denials and returns after they are on disk.
fn log(directory: &Path, denials: Vec<AccessDenial>) {
    let audit = AuditFile::open(directory).unwrap();
    denials.into_iter().for_each(|denial| audit.record_denial(denial));
}

#[test]
fn each_denial_is_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    log(directory.path(), vec![denial("this needs the scope call:weather"), unknown()]);
    log(directory.path(), vec![denial(&format!("two\nlines \"{}", "é".repeat(2000)))]);
    let written = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    insta::assert_snapshot!(lines[..2].join("\n"));
    let long: serde_json::Value = serde_json::from_str(lines[2]).unwrap();
    assert_eq!((lines.len(), long["reason"].as_str().unwrap().len()), (3, 1023));
}

#[test]
fn each_administrator_change_is_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let audit = AuditFile::open(directory.path()).unwrap();
    let AccessDenial { at, method, remote, credential, .. } = denial("");
    let principal = Arc::new(Principal { tenant: "acme".into(), subject: "root".into(), scopes: Vec::new() });
    let change = "created token t1".to_owned();
    let path = "/api/v1/tokens".to_owned();
    audit.record_change(AdminChange { at, change, method, path, remote, principal, credential });
    drop(audit);
    insta::assert_snapshot!(fs::read_to_string(directory.path().join("audit.jsonl")).unwrap().trim_end());
}

#[cfg(unix)]
#[test]
fn audit_file_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    log(directory.path(), vec![unknown()]);
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    log(directory.path(), vec![unknown()]);
    assert_eq!(mode(), 0o600);
}

#[test]
fn full_file_is_rotated_and_the_oldest_deleted() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    for round in 0..5 {
        let old = format!("{{\"round\":{round}}}\n{}\n", "x".repeat(9_999_900));
        fs::write(file("audit.jsonl"), old).unwrap();
        log(directory.path(), vec![unknown()]);
        assert_eq!(fs::read_to_string(file("audit.jsonl")).unwrap().lines().count(), 1);
    }
    let first = |name: &str| fs::read_to_string(file(name)).unwrap().lines().next().unwrap().to_owned();
    let kept = ["audit.1.jsonl", "audit.2.jsonl", "audit.3.jsonl"].map(first);
    assert_eq!(kept, ["{\"round\":4}", "{\"round\":3}", "{\"round\":2}"]);
    assert!(!file("audit.4.jsonl").exists());
}

#[test]
fn truncated_line_does_not_damage_later_lines() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    fs::write(&path, "{\"at\":\"2026-").unwrap();
    log(directory.path(), vec![unknown(), unknown()]);
    let written = fs::read_to_string(&path).unwrap();
    let readable: Vec<bool> =
        written.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()).collect();
    assert_eq!(readable, [false, true, true]);
}
