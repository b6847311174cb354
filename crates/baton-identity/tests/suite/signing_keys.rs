//! Signing keys on disk: created once, persistent, private.

use baton_identity::{KeyFileError, SigningKeys, TrustedKeys};
use baton_ports::CardSigner as _;
use baton_types::Json;
use std::{fs, path::Path};
use tempfile::TempDir;

fn home() -> TempDir {
    TempDir::new().unwrap()
}

#[test]
fn keys_are_created_once_and_redacted_in_debug_output() {
    let home = home();
    let directory = home.path().join("data/keys");
    let made = SigningKeys::open(&directory).unwrap();
    let again = SigningKeys::open(&directory).unwrap();
    assert_eq!(made.thumbprints(), again.thumbprints());
    assert_eq!(made.keys(), again.keys());
    assert_ne!(made.thumbprints(), SigningKeys::open(&home.path().join("other")).unwrap().thumbprints());
    assert_eq!(names(&directory), ["ed25519.pk8", "es256.pk8"]);
    assert_eq!(format!("{made:?}"), format!("SigningKeys({:?})", made.thumbprints()));

    let set = made.keys().to_value();
    let member = |name: &str| [0, 1].map(|at| set["keys"][at][name].as_str().unwrap_or_default().to_owned());
    assert_eq!(member("alg"), ["ES256", "EdDSA"]);
    assert_eq!(member("kty"), ["EC", "OKP"]);
    assert_eq!(member("use"), ["sig", "sig"]);
    assert_eq!(member("kid"), made.thumbprints());
    assert_eq!(member("d"), ["", ""], "private keys are not published");
    assert_eq!(TrustedKeys::from_thumbprints(made.thumbprints()).admit(&made.keys()), Ok(2));
    assert_eq!(TrustedKeys::from_thumbprints(["other"]).admit(&made.keys()), Ok(0));
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn thumbprint_matches_the_rfc() {
    // RFC 8037, appendix A.3.
    let key = r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    let mut trusted = TrustedKeys::from_thumbprints(["kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"]);
    assert_eq!(trusted.admit(&Json::parse(key).unwrap()), Ok(1));
}

#[test]
fn key_sets_without_a_usable_key_are_rejected() {
    let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    let many = vec!["{}"; 65].join(",");
    for (set, expect) in [
        ("7".to_owned(), "not a JSON Web Key"),
        ("{}".to_owned(), "not a JSON Web Key"),
        (r#"{"keys":[]}"#.to_owned(), "no key of the set"),
        (format!(r#"{{"keys":[{many}]}}"#), "a set of 65 keys"),
        (
            r#"{"keys":[{"kty":"oct","k":"c2VjcmV0"},{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#.to_owned(),
            "no key of the set",
        ),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{x}","use":"enc"}}"#), "no key of the set"),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{x}","alg":"ES256"}}"#), "no key of the set"),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{x}","key_ops":["sign"]}}"#), "no key of the set"),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{x}AA"}}"#), "no key of the set"),
    ] {
        let refused = TrustedKeys::from_jwks(&Json::parse(&set).unwrap()).unwrap_err();
        assert!(refused.to_string().contains(expect), "{set}: {refused}");
    }
}

#[test]
fn invalid_key_files_are_rejected_and_kept() {
    for bytes in [&b""[..], b"not a key", &[0; 8192]] {
        let home = home();
        SigningKeys::open(home.path()).unwrap();
        let file = home.path().join("es256.pk8");
        fs::write(&file, bytes).unwrap();
        let refused = SigningKeys::open(home.path()).unwrap_err();
        assert!(matches!(&refused, KeyFileError::Unusable { kind: "P-256", .. }), "{refused}");
        assert!(refused.to_string().contains("restore it from a backup"), "{refused}");
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
}

#[test]
fn leftover_temporary_file_is_not_a_key() {
    let home = home();
    fs::write(home.path().join(".es256.pk8.new"), "half a k").unwrap();
    let made = SigningKeys::open(home.path()).unwrap();
    assert_eq!(names(home.path()), ["ed25519.pk8", "es256.pk8"]);
    assert_eq!(SigningKeys::open(home.path()).unwrap().thumbprints(), made.thumbprints());
}

#[cfg(unix)]
#[test]
fn exposed_key_files_are_rejected() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = home();
    let directory = home.path().join("keys");
    SigningKeys::open(&directory).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    for name in names(&directory) {
        let file = directory.join(name);
        assert_eq!(mode(&file), 0o600);
        for open in [0o640, 0o604, 0o620] {
            fs::set_permissions(&file, fs::Permissions::from_mode(open)).unwrap();
            let refused = SigningKeys::open(&directory).unwrap_err();
            assert!(matches!(refused, KeyFileError::Exposed { mode, .. } if mode == open), "{refused}");
            assert!(refused.to_string().contains(&format!("chmod 600 {}", file.display())), "{refused}");
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o720)).unwrap();
    let refused = SigningKeys::open(&directory).unwrap_err();
    assert!(refused.to_string().contains(&format!("chmod 700 {}", directory.display())), "{refused}");
    // File names may be listed.
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
    SigningKeys::open(&directory).unwrap();
}
