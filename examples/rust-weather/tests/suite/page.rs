//! What the documentation shows is this program.

const MAIN: &str = include_str!("../../src/main.rs");
const PAGE: &str = include_str!("../../../../docs/rust-sdk.md");

#[test]
fn the_page_shows_the_program() {
    assert!(PAGE.contains(&format!("```rust\n{MAIN}```\n")), "docs/rust-sdk.md does not show src/main.rs as it is");
    assert!(PAGE.contains(&format!("```yaml\n{}```\n", include_str!("../../playbook.yaml"))), "nor playbook.yaml");
}

#[test]
fn the_program_is_short() {
    assert!(MAIN.lines().count() < 30, "the promise is less than thirty lines");
}
