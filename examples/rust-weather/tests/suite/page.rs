//! The documentation contains the source of this program.

const MAIN: &str = include_str!("../../src/main.rs");
const PAGE: &str = include_str!("../../../../docs/rust-sdk.md");

#[test]
fn docs_page_contains_the_program() {
    assert!(PAGE.contains(&format!("```rust\n{MAIN}```\n")), "docs/rust-sdk.md does not contain src/main.rs unchanged");
    assert!(PAGE.contains(&format!("```yaml\n{}```\n", include_str!("../../playbook.yaml"))), "nor playbook.yaml");
}

#[test]
fn program_has_fewer_than_35_lines() {
    assert!(MAIN.lines().count() < 35, "the example must stay under 35 lines");
}
