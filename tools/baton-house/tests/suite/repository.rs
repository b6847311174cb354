//! Every check, on this repository.

use baton_house::{
    Tree, Violation, a2a_errors, architecture, crate_docs, decisions, duplicates, error_codes, error_pages, fan_out,
    figures, layers, links, machine_paths, names, output, prose, purity, routes, size, test_binaries, test_habits,
    walks,
};
use std::{path::Path, process::Command};

fn tree() -> Tree {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = Tree::read(&root).expect("the repository can be read");
    assert!(tree.text("Cargo.toml").is_some(), "{} is not the repository", root.display());
    tree
}

#[track_caller]
fn assert_no_violations(violations: &[Violation]) {
    let lines: Vec<String> = violations.iter().map(|violation| format!("  {violation}")).collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}

/// The workspace according to cargo.
fn metadata() -> layers::Metadata {
    #[expect(clippy::disallowed_methods, reason = "asks cargo about this workspace; no tool of an agent is involved")]
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: layers::Metadata = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    assert!(metadata.packages.len() > 10);
    metadata
}

#[test]
fn dependencies_point_down() {
    assert_no_violations(&layers::check(&metadata()));
}

#[test]
fn changes_rebuild_little() {
    let graph = fan_out::CrateGraph::new(&metadata(), &tree());
    println!("{graph}");
    assert_no_violations(&fan_out::check(&graph));
}

#[test]
fn errors_of_a2a_stay_in_a2a() {
    assert_no_violations(&a2a_errors::check(&tree()));
}

#[test]
fn rules_and_vocabulary_are_pure() {
    assert_no_violations(&purity::check_sources(&tree()));
}

#[test]
fn every_crate_uses_the_workspace_lints() {
    assert_no_violations(&purity::check_lints(&tree()));
}

#[test]
fn every_route_declares_its_access() {
    assert_no_violations(&routes::check(&tree()));
}

#[test]
fn files_stay_small() {
    let tree = tree();
    let exceptions = tree.text("tools/baton-house/size-exceptions.txt").expect("the list of exceptions exists");
    assert_no_violations(&size::check(&tree, exceptions));
}

#[test]
fn crates_in_several_versions_are_exceptions_with_reasons() {
    let tree = tree();
    let text = |path| tree.text(path).unwrap_or_else(|| panic!("{path} is missing"));
    assert_no_violations(&duplicates::check(text("Cargo.lock"), text("deny.toml")));
}

#[test]
fn every_error_has_a_page() {
    let tree = tree();
    assert!(error_codes::declarations(&tree).len() > 90);
    assert_no_violations(&error_pages::check(&tree));
}

#[test]
fn every_error_code_is_declared_where_it_is_raised() {
    assert_no_violations(&error_codes::check(&tree()));
}

#[test]
fn every_crate_has_crate_docs() {
    assert_no_violations(&crate_docs::check(&tree()));
    assert_no_violations(&crate_docs::check_files(&tree()));
}

#[test]
fn every_crate_has_one_integration_test_binary() {
    assert_no_violations(&test_binaries::check(&tree()));
}

#[test]
fn unit_test_binaries_contain_tests() {
    assert_no_violations(&test_binaries::check_unit_tests(&tree()));
}

#[test]
fn tests_run_and_wait_for_events() {
    assert_no_violations(&test_habits::check(&tree()));
}

#[test]
fn text_output_is_escaped() {
    assert_no_violations(&output::check(&tree()));
}

#[test]
fn no_file_contains_a_machine_path() {
    assert_no_violations(&machine_paths::check(&tree()));
}

#[test]
fn names_are_nouns_of_the_field() {
    let tree = tree();
    let exceptions = tree.text("tools/baton-house/name-exceptions.txt").expect("the list of exceptions exists");
    let figures = names::measure(&tree);
    println!("{figures}");
    assert_no_violations(&names::check_types(&tree, exceptions));
    assert_no_violations(&names::check_constants(&tree));
    assert_no_violations(&names::check_files(&tree));
    assert!(figures.types > 1000, "{figures}");
    assert!(figures.percent(figures.not_nouns) < 2.0, "{figures}");
    assert!(figures.percent(figures.repeated) < 10.0, "{figures}");
}

#[test]
fn comments_name_their_subject() {
    let tree = tree();
    let (production, tests) = (prose::measure_production(&tree), prose::measure_tests(&tree));
    println!("production: {production}\ntests: {tests}");
    assert!(production.words > 50_000 && tests.words > 10_000, "production: {production}\ntests: {tests}");
    assert!(production.vague_rate() < prose::MAX_VAGUE_RATE, "production: {production}");
    assert!(tests.vague_rate() < prose::MAX_VAGUE_RATE, "tests: {tests}");
}

#[test]
fn every_relative_link_resolves() {
    assert_no_violations(&links::check(&tree()));
}

#[test]
fn published_figures_are_those_of_the_report() {
    assert_no_violations(&figures::check(&tree()));
}

#[test]
fn architecture_page_is_short_and_names_every_crate() {
    assert_no_violations(&architecture::check(&tree()));
}

#[test]
fn paths_and_symbols_of_the_design_pages_exist() {
    assert_no_violations(&walks::check(&tree()));
}

#[test]
fn every_decision_is_a_page_in_the_index() {
    assert_no_violations(&decisions::check(&tree()));
}
