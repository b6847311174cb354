//! Every check, on this repository.

use baton_house::{
    Tree, Violation, crate_docs, duplicates, error_pages, layers, links, machine_paths, names, output, prose, purity,
    routes, size, test_binaries, test_habits,
};
use baton_types::ErrorCode;
use std::{path::Path, process::Command};

fn tree() -> Tree {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = Tree::read(&root).expect("the repository can be read");
    assert!(tree.text("Cargo.toml").is_some(), "{} is not the repository", root.display());
    tree
}

#[track_caller]
fn holds(violations: &[Violation]) {
    let lines: Vec<String> = violations.iter().map(|violation| format!("  {violation}")).collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}

#[test]
fn dependencies_point_down() {
    #[expect(clippy::disallowed_methods, reason = "asks cargo about this workspace; no tool of an agent is involved")]
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: layers::Metadata = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    assert!(metadata.packages.len() > 10);
    holds(&layers::check(&metadata));
}

#[test]
fn rules_and_vocabulary_do_not_touch_the_world() {
    holds(&purity::check_sources(&tree()));
}

#[test]
fn every_crate_takes_the_workspace_lints() {
    holds(&purity::check_lints(&tree()));
}

#[test]
fn one_module_of_the_binary_knows_the_engine() {
    holds(&purity::check_wiring(&tree()));
}

#[test]
fn every_route_says_who_may_call_it() {
    holds(&routes::check(&tree()));
}

#[test]
fn files_stay_small() {
    let tree = tree();
    let exceptions = tree.text("tools/baton-house/size-exceptions.txt").expect("the list of exceptions exists");
    holds(&size::check(&tree, exceptions));
}

#[test]
fn crates_in_several_versions_are_exceptions_with_reasons() {
    let tree = tree();
    let text = |path| tree.text(path).unwrap_or_else(|| panic!("{path} is missing"));
    holds(&duplicates::check(text("Cargo.lock"), text("deny.toml")));
}

#[test]
fn every_error_has_a_page() {
    holds(&error_pages::check(&tree(), ErrorCode::ALL));
}

#[test]
fn every_crate_opens_with_its_purpose() {
    holds(&crate_docs::check(&tree()));
}

#[test]
fn every_crate_has_one_integration_test_binary() {
    holds(&test_binaries::check(&tree()));
}

#[test]
fn tests_run_and_wait_for_events() {
    holds(&test_habits::check(&tree()));
}

#[test]
fn text_leaves_a_process_where_it_is_escaped() {
    holds(&output::check(&tree()));
}

#[test]
fn no_file_names_a_machine() {
    holds(&machine_paths::check(&tree()));
}

#[test]
fn names_are_nouns_of_the_field() {
    let tree = tree();
    let exceptions = tree.text("tools/baton-house/name-exceptions.txt").expect("the list of exceptions exists");
    let figures = names::measure(&tree);
    println!("{figures}");
    holds(&names::check_types(&tree, exceptions));
    holds(&names::check_constants(&tree));
    holds(&names::check_files(&tree));
    assert!(figures.types > 1000, "{figures}");
    assert!(figures.percent(figures.not_nouns) < 2.0, "{figures}");
    assert!(figures.percent(figures.repeated) < 10.0, "{figures}");
}

#[test]
fn comments_name_their_subject() {
    let figures = prose::measure(&tree());
    println!("{figures}");
    assert!(figures.words > 50_000, "{figures}");
    assert!(figures.vague_rate() < prose::MAX_VAGUE_RATE, "{figures}");
}

#[test]
fn every_relative_link_resolves() {
    holds(&links::check(&tree()));
}
