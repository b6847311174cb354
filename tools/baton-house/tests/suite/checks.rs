//! Every check, on small trees that violate its rule and on trees that follow it.

use baton_house::{
    Tree, Violation, a2a_errors, architecture, crate_docs, decisions, duplicates, error_codes, error_pages, fan_out,
    figures, layers, links, machine_paths, names, output, prose, purity, routes, size, test_binaries, test_habits,
    walks,
};
use serde_json::json;

fn places(violations: &[Violation]) -> Vec<&str> {
    violations.iter().map(|violation| violation.location.as_str()).collect()
}

/// A workspace of `(crate, dependencies)`; `+name` is a dev-dependency.
fn workspace(crates: &[(&str, &[&str])]) -> layers::Metadata {
    let packages: Vec<_> = crates
        .iter()
        .map(|(name, needs)| {
            let folder = match name {
                name if name.ends_with("testkit") => "tools",
                name if name.starts_with("baton-example") => "examples",
                _ => "crates",
            };
            let dependencies: Vec<_> = needs
                .iter()
                .map(|need| match need.strip_prefix('+') {
                    Some(dev) => json!({"name": dev, "kind": "dev"}),
                    None => json!({"name": need, "kind": null}),
                })
                .collect();
            json!({"name": name, "manifest_path": format!("/x/{folder}/{name}/Cargo.toml"), "dependencies": dependencies})
        })
        .collect();
    serde_json::from_value(json!({ "packages": packages })).expect("well formed")
}

fn layer_violations(crates: &[(&str, &[&str])]) -> Vec<String> {
    layers::check(&workspace(crates)).iter().map(ToString::to_string).collect()
}

#[test]
fn upward_dependencies_are_reported() {
    let fine: &[(&str, &[&str])] = &[
        ("baton-types", &["serde", "+tokio"]),
        ("baton-rules", &["baton-types", "+baton-engine"]),
        ("baton-engine", &["baton-rules", "tokio", "+baton-journal"]),
        ("baton-http", &["baton-ports", "baton-api"]),
        ("baton-http-a2a", &["baton-engine", "baton-http", "baton-wire"]),
        ("baton-proto", &["baton-types", "baton-wire", "tonic"]),
        ("baton-server", &["baton-engine", "baton-http", "baton-journal", "baton-toolhost"]),
        ("baton", &["baton-local", "baton-server", "+baton-journal", "+baton-testkit"]),
        ("baton-testkit", &["baton-engine", "baton-journal", "rand"]),
        ("baton-sdk", &["baton-server"]),
        ("baton-example-weather", &["baton-sdk", "tokio", "+baton-client"]),
    ];
    assert_eq!(layer_violations(fine), Vec::<String>::new());

    for (crates, expect) in [
        (
            &[("baton-types", &["baton-rules"][..])][..],
            "baton-types: is in layer 0 and depends on baton-rules in layer 1",
        ),
        (
            &[("baton-journal", &["baton-engine"])],
            "baton-journal: is in layer 2 and depends on baton-engine in layer 3",
        ),
        (&[("baton-rules", &["tokio"])], "baton-rules: is in layer 1 and depends on tokio"),
        (&[("baton-wire", &["uuid"])], "baton-wire: is in layer 0 and depends on uuid"),
        (&[("baton-misc", &[])], "baton-misc: has no layer"),
        (&[("baton-engine", &["baton-testkit"]), ("baton-testkit", &[])], "baton-engine: depends on the tool"),
        (&[("baton-otlp", &["tonic"])], "baton-otlp: is in layer 0 and depends on tonic"),
        (
            &[("baton-journal", &["baton-spans"])],
            "baton-journal: has rank 1 of layer 2 and depends on baton-spans with rank 1",
        ),
        (
            &[("baton-outbound", &["baton-identity"])],
            "baton-outbound: has rank 0 of layer 2 and depends on baton-identity with rank 1",
        ),
        (
            &[("baton-http-openai", &["baton-http-a2a"])],
            "baton-http-openai: has rank 1 of layer 4 and depends on baton-http-a2a with rank 1",
        ),
        (&[("baton-tui", &["baton-client", "baton-engine"])], "baton-tui: reaches baton-engine through"),
        (
            &[("baton-mcp", &["baton-client"]), ("baton-client", &["baton-wire"])],
            "baton-mcp: reaches baton-wire through baton-client",
        ),
        (&[("baton-client", &["baton-engine"])], "baton-client: reaches baton-engine through baton-client"),
        (&[("baton-engine", &["baton-journal"])], "baton-engine: reaches baton-journal"),
        (&[("baton-engine", &["baton-toolhost"])], "baton-engine: reaches baton-toolhost"),
        (&[("baton", &["baton-engine", "baton-journal"])], "baton: depends on baton-engine and on baton-journal"),
        (&[("baton-sdk", &["baton-server", "baton-mcp"])], "baton-sdk: depends on baton-server and on baton-mcp"),
        (&[("baton-example-weather", &["baton-types"])], "baton-example-weather: is an example and depends on"),
    ] {
        let found = layer_violations(crates);
        assert_eq!(found.len(), 1, "{crates:?} gave {found:?}");
        assert!(found[0].starts_with(expect), "{crates:?} gave {found:?}");
    }
}

#[test]
fn large_rebuilds_are_reported() {
    let crates: &[(&str, &[&str])] = &[
        ("baton-types", &[]),
        ("baton-traceql", &["baton-types"]),
        ("baton-span-ports", &["baton-traceql"]),
        ("baton-journal", &["baton-types", "+baton-traceql"]),
    ];
    let sources = Tree::from_files([
        ("crates/baton-types/src/lib.rs", "1\n2\n"),
        ("crates/baton-traceql/src/lib.rs", "1\n"),
        ("crates/baton-traceql/tests/suite/main.rs", "1\n2\n3\n4\n"),
        ("crates/baton-span-ports/src/lib.rs", "1\n"),
        ("crates/baton-journal/src/lib.rs", "1\n2\n3\n4\n5\n6\n"),
    ]);
    let graph = fan_out::CrateGraph::new(&workspace(crates), &sources);
    assert_eq!(["baton-types", "baton-traceql", "baton-journal"].map(|name| graph.share(name)), [100, 20, 60]);
    assert_eq!(graph.longest_path(), ["baton-types", "baton-traceql", "baton-span-ports"]);
    assert_eq!(fan_out::check(&graph), []);

    let layered: [(&str, &[&str]); 5] = [
        ("baton-traceql", &[]),
        ("baton-span-ports", &["baton-traceql"]),
        ("baton-spans", &["baton-span-ports"]),
        ("baton-export", &["baton-spans"]),
        ("baton-server", &["baton-export"]),
    ];
    let graph = fan_out::CrateGraph::new(&workspace(&layered), &sources);
    assert_eq!(places(&fan_out::check(&graph)), ["baton-traceql"; 0]);
    let top: [(&str, &[&str]); 3] =
        [("baton-sdk", &["baton-server"]), ("baton", &["baton-sdk"]), ("baton-tui", &["baton"])];
    let graph = fan_out::CrateGraph::new(&workspace(&[&layered[..], &top[..]].concat()), &sources);
    let found = fan_out::check(&graph);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].rule.starts_with("8 crates are compiled one after the other"), "{found:?}");

    let heavy = Tree::from_files([("crates/baton-traceql/src/lib.rs", "1\n"), ("crates/baton-api/src/a.rs", "1\n")]);
    let graph = fan_out::CrateGraph::new(&workspace(crates), &heavy);
    assert_eq!(places(&fan_out::check(&graph)), ["baton-traceql"]);
}

#[test]
fn a2a_errors_elsewhere_are_reported() {
    let tree = Tree::from_files([
        ("crates/baton-http-a2a/src/a.rs", "use baton_wire::a2a::v1::Error;\n"),
        ("crates/baton-http-api/src/b.rs", "use baton_wire::a2a::v1::{Message, Task};\n"),
        ("crates/baton-http-api/src/c.rs", "use baton_wire::a2a::v1::{Message, ErrorKind};\n"),
        ("crates/baton-mcp/src/d.rs", "fn f(error: baton_wire::a2a::v1::Error) {}\n"),
        ("crates/baton-mcp/tests/suite/e.rs", "use baton_wire::a2a::v1::Error;\n"),
    ]);
    assert_eq!(places(&a2a_errors::check(&tree)), ["crates/baton-http-api/src/c.rs", "crates/baton-mcp/src/d.rs"]);
}

#[test]
fn impure_sources_are_reported() {
    let tree = Tree::from_files([
        ("crates/baton-rules/src/a.rs", "//! Never std::fs.\nfn f() {}\n#[cfg(test)]\nmod tests { use std::fs; }\n"),
        ("crates/baton-rules/src/b.rs", "use std::fs;\n"),
        ("crates/baton-types/src/c.rs", "fn f() {\n    SystemTime::now();\n}\n"),
        ("crates/baton-rules/tests/suite/d.rs", "use std::fs;\n"),
        ("crates/baton-local/src/e.rs", "use std::fs;\n"),
    ]);
    assert_eq!(
        places(&purity::check_sources(&tree)),
        ["crates/baton-rules/src/b.rs:1", "crates/baton-types/src/c.rs:2"]
    );
}

#[test]
fn missing_lints_are_reported() {
    let tree = Tree::from_files([
        ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"),
        ("crates/b/Cargo.toml", "[package]\nname = \"b\"\n"),
    ]);
    assert_eq!(places(&purity::check_lints(&tree)), ["crates/b/Cargo.toml"]);
}

#[test]
fn routes_without_access_are_reported() {
    let tree = Tree::from_files([
        ("crates/baton-http/src/app.rs", "let a = Router::new()\n    .route(\"/a\", get(a));\n"),
        ("crates/baton-http/src/b.rs", "// .route( is for the table\nlet b = routes.get(\"/b\", access, b);\n"),
        ("crates/baton-http/src/routes/mod.rs", "self.router.route(path, on(filter, handler))\n"),
        ("crates/baton-http/tests/suite/main.rs", "Router::new().route(\"/c\", get(c));\n"),
        ("crates/baton-peers/src/d.rs", "Router::new().route(\"/d\", get(d));\n"),
        ("crates/baton-mcp/src/endpoints/e.rs", "Router::new().route(\"/e\", get(e));\n"),
    ]);
    assert_eq!(
        places(&routes::check(&tree)),
        ["crates/baton-http/src/app.rs:2", "crates/baton-mcp/src/endpoints/e.rs:1"]
    );
}

#[test]
fn printing_is_reported() {
    let tree = Tree::from_files([
        ("crates/baton/src/screen.rs", "fn f() { writeln!(io::stdout()); }\n"),
        (
            "crates/baton/src/a.rs",
            "fn f() { io::stdout().is_terminal(); child.stdout.take(); c.stdout(Stdio::piped()); }\n",
        ),
        ("crates/baton/src/b.rs", "// println!\nfn f() {}\n#[cfg(test)]\nmod tests { fn g() { println!(); } }\n"),
        ("crates/baton/src/c.rs", "fn f() {\n    println!();\n}\n"),
        ("crates/baton-sdk/src/d.rs", "layer().with_writer(std::io::stderr)\n"),
        ("crates/baton/src/e.rs", "let mut out = stdout();\n"),
        ("crates/baton/build.rs", "fn main() { println!(); }\n"),
    ]);
    let found = ["crates/baton-sdk/src/d.rs:1", "crates/baton/src/c.rs:2", "crates/baton/src/e.rs:1"];
    let violations = output::check(&tree);
    let mut places = places(&violations);
    places.sort_unstable();
    assert_eq!(places, found);
}

#[test]
fn large_files_are_reported() {
    let (long, fine, main) = ("//\n".repeat(501), "//\n".repeat(500), "//\n".repeat(151));
    let with_tests = format!("{fine}#[cfg(test)]\nmod tests {{\n{}}}\n", "//\n".repeat(90));
    let tree = Tree::from_files([
        ("crates/a/src/fine.rs", &fine),
        ("crates/a/src/listed.rs", &long),
        ("crates/a/src/long.rs", &long),
        ("crates/a/src/long_tests.rs", &long),
        ("crates/a/src/main.rs", &main),
        ("crates/a/src/with_tests.rs", &with_tests),
        ("crates/a/tests/suite/long.rs", &"//\n".repeat(1501)),
    ]);
    let exceptions = "# comment\n\
                      crates/a/src/listed.rs: a table, one line per flag\n\
                      crates/a/src/fine.rs: was long once upon a time\n\
                      crates/a/src/gone.rs\n";
    assert_eq!(
        places(&size::check(&tree, exceptions)),
        [
            "crates/a/src/gone.rs",
            "crates/a/src/long.rs",
            "crates/a/src/main.rs",
            "crates/a/tests/suite/long.rs",
            "crates/a/src/fine.rs",
        ]
    );
}

#[test]
fn error_pages_are_compared_with_the_declarations() {
    let declared = |codes: &[&str]| -> String {
        let lines: Vec<String> = codes
            .iter()
            .map(|code| format!("    N{code} = \"BTN-{code}\", \"Title {code}\", \"Hint {code}.\";\n"))
            .collect();
        format!("baton_types::error_codes! {{\n{}}}\n", lines.concat())
    };
    let page = |code: &str| {
        format!("# BTN-{code}: Title {code}\n\n## What it means\n\n## How it looks\n\n## What to do\n\nHint {code}.\n")
    };
    let row = |code: &str| format!("| [BTN-{code}](BTN-{code}.md) | Title {code} |\n");
    let tree = Tree::from_files([
        ("crates/baton-types/src/error_code.rs", &declared(&["4001", "4004"])),
        ("crates/a/src/error_codes.rs", &declared(&["4003"])),
        ("crates/a/src/own_tests.rs", &declared(&["4009"])),
        ("docs/errors/README.md", &format!("{}{}", row("4001"), row("4004"))),
        ("docs/errors/BTN-4001.md", &page("4001")),
        ("docs/errors/BTN-4004.md", "# BTN-4004: Something else\n"),
        ("docs/errors/BTN-0000.md", "# BTN-0000: Left over\n"),
    ]);
    assert_eq!(
        places(&error_pages::check(&tree)),
        [
            "docs/errors/BTN-4003.md",
            "docs/errors/BTN-4004.md",
            "docs/errors/BTN-4004.md",
            "docs/errors/BTN-4004.md",
            "docs/errors/BTN-4004.md",
            "docs/errors/BTN-4004.md",
            "docs/errors/BTN-0000.md",
        ]
    );
    let unlisted = Tree::from_files([
        ("crates/a/src/error_codes.rs", &declared(&["4001"])),
        ("docs/errors/BTN-4001.md", &page("4001")),
    ]);
    assert_eq!(places(&error_pages::check(&unlisted)), ["docs/errors/README.md"]);
}

#[test]
fn misplaced_error_codes_are_reported() {
    let shared = "shared_codes! {\n\
                  BUSY = \"BTN-1\", \"t\", \"h\";\n\
                  ALONE = \"BTN-2\", \"t\", \"h\";\n\
                  ANSWER_FORM = \"BTN-3\", \"t\", \"h\";\n\
                  UNUSED = \"BTN-4\", \"t\", \"h\";\n\
                  TOOL_ERRORS = \"BTN-5\", \"t\", \"h\";\n}\n";
    let own = "error_codes! {\n\
               OWN = \"BTN-6\", \"t\", \"h\";\n\
               FOR_TWO = \"BTN-7\", \"t\", \"h\";\n\
               OTHERS = \"BTN-8\", \"t\", \"h\";\n\
               TESTED = \"BTN-9\", \"t\", \"h\";\n}\n";
    let repeated = "error_codes! {\n\
                    SECOND = \"BTN-1\", \"t\", \"h\";\n\
                    OWN = \"BTN-10\", \"t\", \"h\";\n\
                    EMPTY = \"BTN-11\", \"t\", \"\";\n}\n";
    let a = "const A: [E; 6] = [ErrorCode::BUSY, ErrorCode::ALONE, ErrorCode::ANSWER_FORM, ErrorCode::TOOL_ERRORS, \
             error_codes::OWN, baton_b::error_codes::FOR_TWO];\n// ErrorCode::UNUSED\n\
             #[cfg(test)]\nmod tests { const A: E = error_codes::TESTED; }\n";
    let b = "const B: [E; 6] = [ErrorCode::BUSY, ErrorCode::TOOL_ERRORS, error_codes::FOR_TWO, error_codes::OTHERS, \
             error_codes::SECOND, error_codes::EMPTY];\n";
    let tree = Tree::from_files([
        ("crates/baton-types/src/error_code.rs", shared),
        ("crates/a/src/a.rs", a),
        ("crates/a/src/error_codes.rs", own),
        ("crates/b/src/b.rs", b),
        ("crates/b/src/error_codes.rs", repeated),
        (
            "crates/b/src/deep/codes.rs",
            "error_codes! { DEEP = \"BTN-12\", \"t\", \"h\"; }\nconst C: E = error_codes::DEEP;\n",
        ),
        ("crates/b/tests/suite/b.rs", "const B: E = ErrorCode::UNUSED;\n"),
        ("crates/baton-server/src/error_codes.rs", "const ALL: [A; 1] = [ a::error_codes::ALL];\n"),
    ]);
    let found: Vec<String> = error_codes::check(&tree).iter().map(ToString::to_string).collect();
    let expect = [
        "crates/a/src/error_codes.rs: OTHERS is used in b only; declare it there",
        "crates/a/src/error_codes.rs: TESTED is not used; remove it, its page and its row",
        "crates/b/src/deep/codes.rs: DEEP must be declared in src/error_codes.rs of its crate",
        "crates/b/src/error_codes.rs: OWN is the name of two codes",
        "crates/b/src/error_codes.rs: OWN is used in a only; declare it there",
        "crates/b/src/error_codes.rs: EMPTY needs a title and a hint",
        "crates/baton-types/src/error_code.rs: BTN-1 is declared twice",
        "crates/baton-types/src/error_code.rs: ALONE is used in a only; declare it in crates/a/src/error_codes.rs",
        "crates/baton-types/src/error_code.rs: UNUSED is not used; remove it, its page and its row",
        "crates/baton-types/src/error_code.rs: TOOL_ERRORS is no exception any more; remove it from the list in tools/baton-house",
        "crates/b/src/error_codes.rs: its codes are not in crates/baton-server/src/error_codes.rs or crates/baton/src/error_codes.rs",
    ];
    assert_eq!(found, expect);
}

#[test]
fn missing_crate_docs_are_reported() {
    let tree = Tree::from_files([
        ("crates/a/src/lib.rs", "//! Keeps time.\n//!\n//! Must never sleep.\n//!\n//! Read first: [`A`].\n"),
        ("crates/b/src/lib.rs", "mod b;\n"),
        ("crates/c/src/lib.rs", "//! Keeps time.\n"),
        ("crates/d/src/main.rs", "fn main() {}\n"),
    ]);
    assert_eq!(
        places(&crate_docs::check(&tree)),
        ["crates/b/src/lib.rs", "crates/c/src/lib.rs", "crates/c/src/lib.rs", "crates/d/src/main.rs"]
    );
}

#[test]
fn missing_files_of_module_comments_are_reported() {
    let docs = "//! `b.rs`, `deep/c.rs`, `deep/`, `a/own.rs`, `src/a.rs`, `docs/x/` and `/api/`; not `gone.rs`, `gone/` or\n\
                //! `docs/y.rs`. `a.b()` `./x.rs`\n/// `other.rs`\n";
    let tree = Tree::from_files([
        ("crates/a/src/a.rs", docs),
        ("crates/a/src/a/own.rs", "//! `deep/c.rs` `b.rs` `own.rs` `c.rs`\n"),
        ("crates/a/src/b.rs", ""),
        ("crates/a/src/deep/c.rs", ""),
        ("docs/x/y.md", "`gone.rs`"),
    ]);
    let found = crate_docs::check_files(&tree);
    let expect = ["crates/a/src/a.rs", "crates/a/src/a.rs", "crates/a/src/a.rs", "crates/a/src/a/own.rs"];
    assert_eq!(places(&found), expect, "{found:?}");
}

#[test]
fn additional_test_binaries_are_reported() {
    let declared = |path: &str| format!("[package]\nname = \"x\"\n\n[[test]]\nname = \"suite\"\npath = \"{path}\"\n");
    let tree = Tree::from_files([
        ("crates/a/Cargo.toml", &declared("tests/suite/main.rs")),
        ("crates/a/tests/suite/main.rs", "mod more;\n"),
        ("crates/a/tests/suite/more.rs", ""),
        ("crates/a/tests/suite/deep/main.rs", ""),
        ("crates/b/Cargo.toml", "[package]\nname = \"b\"\n"),
        ("crates/b/tests/alone.rs", ""),
        ("crates/c/Cargo.toml", &declared("tests/suite/main.rs")),
        ("crates/c/tests/other/main.rs", ""),
        ("crates/c/tests/suite/main.rs", ""),
        (
            "crates/d/Cargo.toml",
            &format!("{}[[test]]\nname = \"e\"\npath = 'checks/e.rs'\n", declared("tests/suite/main.rs")),
        ),
        ("crates/e/Cargo.toml", &format!("{}[[bench]]\npath = \"benches/e.rs\"\n", declared("tests/suite/main.rs"))),
        ("crates/f/Cargo.toml", "[package]\n[[test]]\nname = \"f\"\n"),
        ("tests/checks/main.rs", ""),
    ]);
    assert_eq!(
        places(&test_binaries::check(&tree)),
        ["crates/b/tests/alone.rs", "crates/c/tests/other/main.rs", "crates/d/Cargo.toml", "crates/f/Cargo.toml"]
    );
}

#[test]
fn unit_test_binaries_have_tests() {
    let disabled = "[package]\nname = \"x\"\n\n[lib]\ntest = false\n";
    let tested = "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn f() {}\n}\n";
    let tree = Tree::from_files([
        ("crates/a/Cargo.toml", "[package]\n"),
        ("crates/a/src/lib.rs", "const NAME: &str = \"#[test]\";\n"),
        ("crates/a/tests/suite/main.rs", tested),
        ("crates/b/Cargo.toml", disabled),
        ("crates/b/src/lib.rs", "mod deep;\n"),
        ("crates/b/src/deep/mod.rs", tested),
        ("crates/c/Cargo.toml", "[package]\n"),
        ("crates/c/src/main.rs", tested),
        ("tools/d/Cargo.toml", disabled),
        ("tools/d/src/lib.rs", ""),
        ("fuzz/Cargo.toml", "[package]\n"),
    ]);
    assert_eq!(places(&test_binaries::check_unit_tests(&tree)), ["crates/a/Cargo.toml", "crates/b/Cargo.toml"]);
}

#[test]
fn doc_tests_are_reported() {
    let tree = Tree::from_files([
        (
            "crates/a/src/a.rs",
            "//! Words:\n//!\n//! ```text\n//! a\n//! ```\n\n/// ```\n/// f();\n/// ```\nfn f() {}\n",
        ),
        ("crates/a/src/b.rs", "/// ```json\nfn f() {}\n\n    /// ```rust,no_run\n    /// ```\n    fn g() {}\n"),
        ("crates/a/src/c.rs", "// ```\nconst FENCE: &str = \"```\";\n"),
    ]);
    assert_eq!(places(&test_habits::check(&tree)), ["crates/a/src/a.rs:7", "crates/a/src/b.rs:4"]);
}

#[test]
fn ignored_tests_and_sleeps_are_reported() {
    let tree = Tree::from_files([
        ("crates/a/src/a.rs", "fn f() { tokio::time::sleep(x).await; }\n#[cfg(test)]\nmod tests {\n    #[ignore]\n}\n"),
        ("crates/a/src/b.rs", "#[cfg(test)]\nmod tests {\n    fn f() { std::thread::sleep(x); }\n}\n"),
        (
            "crates/a/tests/suite/c.rs",
            "use tokio::time::sleep;\n// never time::sleep\n#[tokio::test]\nasync fn f() {}\n",
        ),
        (
            "crates/a/tests/suite/d.rs",
            "#[tokio::test(start_paused = true)]\nasync fn f() { tokio::time::sleep(x).await; }\n",
        ),
        ("crates/a/tests/suite/helps_d.rs", "use tokio::time::sleep;\n"),
        ("crates/b/tests/suite/helps_nobody.rs", "use tokio::time::sleep;\n"),
    ]);
    assert_eq!(
        places(&test_habits::check(&tree)),
        [
            "crates/a/src/a.rs:4",
            "crates/a/src/b.rs:3",
            "crates/a/tests/suite/c.rs:1",
            "crates/b/tests/suite/helps_nobody.rs:1",
        ]
    );
}

#[test]
fn machine_paths_are_reported() {
    let home = ["/ho", "me/me/project"].concat();
    let tree = Tree::from_files([
        ("a.md", "Lives in ~/project; see https://example.org/home/page and ./parts/home/x.\n"),
        ("b.md", &format!("fine\nLives in `{home}`.\n")),
        ("c.sh", &format!("cd {home}\n")),
        ("d.json", &format!("{{\"url\":\"file://{home}\"}}\n")),
    ]);
    assert_eq!(places(&machine_paths::check(&tree)), ["b.md:2", "c.sh:1", "d.json:1"]);
}

#[test]
fn duplicate_dependencies_are_reported() {
    let lock = |packages: &[(&str, &str)]| -> String {
        let one =
            |(name, version): &(&str, &str)| format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n\n");
        packages.iter().map(one).collect()
    };
    let lock = lock(&[
        ("a", "1.0.0"),
        ("a", "1.2.0"),
        ("b", "0.1.5"),
        ("b", "0.2.0"),
        ("c", "1.0.0"),
        ("d", "1.0.0"),
        ("d", "10.0.0"),
        ("e", "1.0.0"),
        ("e", "2.0.0"),
        ("e", "3.0.0"),
    ]);
    let deny = "multiple-versions = \"deny\"\nskip = [\n  { crate = \"b@0.1\", reason = \"x asks for it\" },\n  \
                # { crate = \"a@1.0\", reason = \"no\" },\n  { crate = \"c@1\", reason = \"alone\" },\n  \
                { crate = \"d@1\" },\n  { crate = \"e@1\", reason = \"y asks for it\" },\n]\n";
    let found = duplicates::check(&lock, deny);
    let expected = ["Cargo.lock: a", "Cargo.lock: e", "deny.toml: c@1", "deny.toml: d@1"];
    assert_eq!(places(&found), expected, "{found:?}");
    assert_eq!(places(&duplicates::check("", "multiple-versions = \"warn\"\n")), ["deny.toml"]);
}

#[test]
fn improper_type_names_are_reported() {
    let tree = Tree::from_files([
        ("crates/a/src/told.rs", "pub struct Told; enum RunStarted {} trait Whose {} type Framing = u8; struct Speed;"),
        (
            "crates/a/src/nouns.rs",
            "struct Embedding; impl Iterator for X { type Kept = u8; } #[cfg(test)] mod t { struct Seen; }",
        ),
        ("crates/a/src/kinds.rs", "struct Kind; mod a { struct Kind; } mod b { enum Kind {} } mod c { trait Kind {} }"),
        (
            "crates/baton-wire/src/a.rs",
            "struct Part; mod a { struct Part; } mod b { struct Part; } mod c { struct Part; }",
        ),
        ("crates/a/tests/suite/main.rs", "struct Said;"),
    ]);
    let found = names::check_types(&tree, "");
    let expect = [
        "crates/a/src/told.rs: Framing",
        "Kind",
        "crates/a/src/told.rs: RunStarted",
        "crates/a/src/told.rs: Told",
        "crates/a/src/told.rs: Whose",
    ];
    assert_eq!(places(&found), expect);
    let figures = names::measure(&tree);
    assert_eq!((figures.types, figures.not_nouns, figures.repeated), (14, 4, 8));

    let exceptions =
        "# accepted\nTold: a term of the field\nKind: one per dialect of a format\nUnused: a term of the field\nBad\n";
    let found = names::check_types(&tree, exceptions);
    assert_eq!(places(&found)[..2], ["Bad", "crates/a/src/told.rs: Framing"]);
    assert_eq!(places(&found).last(), Some(&"Unused"));
    assert!(!places(&found).contains(&"Kind"));
}

#[test]
fn improper_constant_and_file_names_are_reported() {
    let text = "const MOST: usize = 1; const MAX_CALLS: usize = 1; static KEPT: u8 = 1; const ALL: [u8; 0] = [];
        const PATIENCE: Duration = D; const RETRY: std::time::Duration = D; const RETRY_DELAY: Duration = D;
        const MAX_WAIT: Duration = D; const DEFAULT: Duration = D;";
    let tree =
        Tree::from_files([("crates/a/src/a.rs", text), ("crates/a/src/test.rs", ""), ("crates/a/src/tests.rs", "")]);
    let expect = ["MOST", "KEPT", "PATIENCE", "RETRY", "DEFAULT"].map(|name| format!("crates/a/src/a.rs: {name}"));
    assert_eq!(places(&names::check_constants(&tree)), expect);
    assert_eq!(places(&names::check_files(&tree)), ["crates/a/src/test.rs"]);
}

#[test]
fn vague_words_in_comments_are_counted() {
    let text = "//! What is kept.\n/// Whoever asks: \"who\".\nfn what() -> &'static str { \"nobody\" } // a buffer";
    let tree = Tree::from_files([("crates/a/src/a.rs", text), ("crates/a/tests/a.rs", "// who")]);
    let figures = prose::measure_production(&tree);
    assert_eq!((figures.words, figures.vague), (8, [1, 1, 0, 0, 1]));
    assert!(figures.vague_rate() > prose::MAX_VAGUE_RATE);
    assert_eq!(prose::measure_tests(&tree).vague, [0, 1, 0, 0, 0]);
}

#[test]
fn broken_links_are_reported() {
    let readme = "[a](docs/a.md) [b](docs/a.md#two-words) [c](docs/gone.md) [d](docs/a.md#gone) [e](#top) [f](docs)
        [g](https://example.com/x) [h](docs/a.md#kept) [i](../outside.md)\n\n# Top\n";
    let page = "<a id=\"kept\"></a>\n\n## Two `words`!\n\n[up](../README.md#top) [gone](../README.md#other)\n";
    let found = links::check(&Tree::from_files([("README.md", readme), ("docs/a.md", page)]));
    let expect = [
        "README.md: docs/gone.md",
        "README.md: docs/a.md#gone",
        "README.md: ../outside.md",
        "docs/a.md: ../README.md#other",
    ];
    assert_eq!(places(&found), expect);
}

#[test]
fn changed_figures_are_reported() {
    let block = |name: &str, text: &str| format!("<!-- figures: {name} -->\n{text}\n<!-- end of figures -->\n");
    let report = format!("{}text\n{}", block("sends", "14,032"), block("memory", "28 MB"));
    let report = format!("{report}{}", block("memory", "29 MB"));
    let readme = format!(
        "Version 1.0\n## Performance\nBy 1.8 times, in 1,000 steps.\n{}20 agents\n## Next\n3.5\n",
        block("sends", "14,032")
    );
    let pages = format!("{}{}<!-- figures: sends -->\n14,032\n", block("sends", "14,033"), block("gone", "1"));
    let tree = Tree::from_files([
        ("bench/RESULTS.md", &report),
        ("README.md", &readme),
        ("bench/README.md", "no figures\n"),
        ("docs/performance.md", &pages),
    ]);
    let expect = [
        "bench/RESULTS.md",
        "bench/README.md",
        "docs/performance.md",
        "docs/performance.md: figures 'sends'",
        "docs/performance.md: figures 'gone'",
        "README.md:3",
    ];
    assert_eq!(places(&figures::check(&tree)), expect);
}

#[test]
fn missing_paths_and_symbols_are_reported() {
    let source = "//! gone_too\nuse x::Import;\nenum Step { First }\nimpl Step { async fn run(&self) { call() } }\n\
                  macro_rules! table { () => {} }\nconst MAX: u8 = 1;\n";
    let fine = "1. `crates/a/src/a.rs`\n   (`run`, `Step::run`, `Step::First`, `table`, `MAX`) is called.\n";
    let walk = |title: &str| format!("## {title}\n\n{}", fine.repeat(5));
    let three = ["Walk: one", "Walk: two", "Walk: three"].map(walk).concat();
    let pages = "`crates/a/` `tools/call` `crates/*/src/<file>.rs` `docs/decisions/0001-a.md` `Makefile` `/agents/a` `a/b` `x.rs`\n\n\
                 `crates/a/src/a.rs`, then (`gone`), `docs/decisions/0001-a.md` (`kept`)\n";
    let files = |architecture: &str, page: &str| {
        Tree::from_files([
            ("ARCHITECTURE.md", architecture),
            ("CONTRIBUTING.md", pages),
            ("crates/a/src/a.rs", source),
            ("docs/decisions/0001-a.md", page),
            ("docs/other.md", "`crates/gone.rs`"),
        ])
    };
    assert_eq!(walks::check(&files(&three, "kept")), []);

    let page = "`crates/a/src/gone.rs` (`run`) `src/a.rs` `crates/b/` `crates/*/src/<file>.c` kept \
                `crates/a/src/a.rs` (`gone`, `Import`, `call`, `gone_too`, `Gone::run`, `Step::Last`, `First`) \
                `crates/a/` (`run`) `crates/a/src/a.rs` (`run` and more)";
    let found = walks::check(&files(&three, page));
    let expect = [
        "crates/a/src/gone.rs (run)",
        "src/a.rs",
        "crates/b/",
        "crates/*/src/<file>.c",
        "crates/a/src/a.rs (gone, Import, call, gone_too, Gone::run, Step::Last, First)",
        "crates/a/ (run)",
        "crates/a/src/a.rs (run)",
    ];
    let mut places = places(&found);
    places.dedup();
    assert_eq!(places, expect.map(|hop| format!("docs/decisions/0001-a.md: {hop}")));
    assert_eq!(found.len(), expect.len() + 6, "{found:?}");

    let short = walk("Walk: one") + "## Walk: two\n\n" + &fine.repeat(4) + "9. Nothing happens in `crates/a/`.\n";
    let expect = [("Walk: two: 9. Nothing", "no file"), ("ARCHITECTURE.md", "has 2 sections")];
    let found = walks::check(&files(&short, "kept"));
    assert_eq!(found.len(), expect.len(), "{found:?}");
    for (violation, (place, rule)) in found.iter().zip(expect) {
        assert!(violation.location.contains(place) && violation.rule.contains(rule), "{violation}");
    }
    let found = walks::check(&files(&(three + "# Walk: four\n\n1. `crates/a/src/a.rs` (`run`)\n"), "kept"));
    assert_eq!(self::places(&found), ["ARCHITECTURE.md: Walk: four"]);
}

#[test]
fn incomplete_architecture_page_is_reported() {
    let page = "- **`a`**: is pure. **Never\n  waits.**\n- **`b`**: **is pure**, never waits.\n  never\n\n  **never**\n\
                - **`gone`**: **never waits**\n- **`tool`**: helps.\n`c`\n";
    let files = |page: &str| {
        Tree::from_files([
            ("ARCHITECTURE.md", page),
            ("crates/a/Cargo.toml", ""),
            ("crates/b/Cargo.toml", ""),
            ("crates/c/Cargo.toml", ""),
            ("crates/c/fuzz/Cargo.toml", ""),
            ("examples/d/Cargo.toml", ""),
            ("tools/tool/Cargo.toml", ""),
        ])
    };
    let expect = ["ARCHITECTURE.md: b", "ARCHITECTURE.md: c", "ARCHITECTURE.md: gone"];
    assert_eq!(places(&architecture::check(&files(page))), expect);
    let long = format!("{page}{}\n{}{}", "x".repeat(121), "\n".repeat(280), "ä".repeat(120));
    assert_eq!(places(&architecture::check(&files(&long)))[..1], ["ARCHITECTURE.md:10"]);
    let long = format!("{long}{}", "\n".repeat(20));
    assert_eq!(places(&architecture::check(&files(&long)))[..2], ["ARCHITECTURE.md", "ARCHITECTURE.md:10"]);
    assert_eq!(places(&architecture::check(&Tree::default())), ["ARCHITECTURE.md"]);
}

#[test]
fn malformed_decision_pages_are_reported() {
    let sections = "\n## Decision\n\n## Context\n\n## Reasons\n\n## Consequences\n";
    let page = |title: &str| format!("# {title}\n{sections}");
    let tree = Tree::from_files([
        ("docs/decisions/0001-a.md", &page("0001: A")),
        ("docs/decisions/0002-b.md", "# 0002: B\n\n## Decision\n"),
        ("docs/decisions/0003-c.md", &page("C")),
        ("docs/decisions/0005-e.md", &page("0004: E")),
        ("docs/decisions/0006-f.md", &(page("0005: F") + &"\n".repeat(60))),
        (
            "docs/decisions/README.md",
            "| Page | Decision |\n|---|---|\n| [0001](0001-a.md) | A |\n| [0002](0002-b.md) | Other |\n\
             | [0004](0005-e.md) | E |\n",
        ),
    ]);
    let found = decisions::check(&tree);
    let expect = [
        "docs/decisions/0002-b.md",
        "docs/decisions/0002-b.md",
        "docs/decisions/0003-c.md",
        "docs/decisions/0005-e.md",
        "docs/decisions/0006-f.md",
        "docs/decisions/0006-f.md",
        "docs/decisions/0006-f.md",
        "docs/decisions/README.md",
    ];
    assert_eq!(places(&found), expect, "{found:?}");
    assert_eq!(places(&decisions::check(&Tree::default())), ["docs/decisions/README.md"]);
}
