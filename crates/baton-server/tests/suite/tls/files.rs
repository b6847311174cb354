//! Invalid certificate files: the error names the file and the reason.

use super::world::{Authority, Directory, pem};
use baton_http::{Tls, TlsFiles};

#[test]
fn each_file_that_is_wrong_is_named_with_the_reason() {
    let authority = Authority::new();
    let (mine, other) = (authority.issue(), authority.issue());
    let cert = pem("CERTIFICATE", &mine.cert);
    let key = pem("PRIVATE KEY", &mine.key);
    let ca = pem("CERTIFICATE", &authority.der());
    let cut = &key[..key.len() / 2];
    let wrong: [(&str, &str, Option<&[u8]>); 15] = [
        ("no certificate file", "cert.pem", None),
        ("no key file", "key.pem", None),
        ("no file of authorities", "ca.pem", None),
        ("certificate in DER", "cert.pem", Some(&mine.cert)),
        ("key in DER", "key.pem", Some(&mine.key)),
        ("empty certificate file", "cert.pem", Some(b"")),
        ("key in place of the certificate", "cert.pem", Some(key.as_bytes())),
        ("certificate in place of the key", "key.pem", Some(cert.as_bytes())),
        ("key cut off", "key.pem", Some(cut.as_bytes())),
        ("key that is not base64", "key.pem", Some(b"-----BEGIN PRIVATE KEY-----\n!!\n-----END PRIVATE KEY-----\n")),
        (
            "certificate that is none",
            "cert.pem",
            Some(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        ),
        ("key that is none", "key.pem", Some(b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")),
        (
            "key with a passphrase",
            "key.pem",
            Some(b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"),
        ),
        (
            "authorities that are none",
            "ca.pem",
            Some(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        ),
        ("far too long", "cert.pem", Some(&[b'x'; 2 * 1024 * 1024])),
    ];
    let mut seen = String::new();
    let mut tell = |what: &str, directory: &Directory, files: TlsFiles| {
        let error = Tls::load(files).err().unwrap();
        let message = error.to_string().replace(&format!("{}/", directory.path("").display()), "");
        let message = message.replace(directory.path("").to_str().unwrap(), "");
        seen.push_str(&format!("{what}: [{}] {message}\n", error.code().code));
    };
    let good = || {
        let directory = Directory::with(&mine);
        directory.put("ca.pem", &ca);
        let files = TlsFiles { client_ca: Some(directory.path("ca.pem")), ..directory.files() };
        (directory, files)
    };
    for (what, file, content) in wrong {
        let (directory, files) = good();
        match content {
            Some(content) => directory.put(file, content),
            None => std::fs::remove_file(directory.path(file)).unwrap(),
        }
        tell(what, &directory, files);
    }
    let (directory, files) = good();
    directory.put("key.pem", pem("PRIVATE KEY", &other.key));
    tell("key of another certificate", &directory, files);
    let (directory, files) = good();
    tell("a directory", &directory, TlsFiles { cert: directory.path("."), ..files });
    insta::assert_snapshot!(seen);

    let (_directory, files) = good();
    let shown = format!("{:?}", Tls::load(files).unwrap());
    assert!(shown.contains("key.pem") && !shown.contains(&cut[30..60]), "{shown}");
}
