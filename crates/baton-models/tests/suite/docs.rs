//! The playbooks in the documentation are valid.

use baton_models::check_playbook;
use std::path::Path;

#[test]
fn documented_playbooks_have_no_mistakes() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/playbook.md");
    let text = std::fs::read_to_string(page).unwrap();
    let blocks: Vec<&str> = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 2);
    for block in blocks {
        assert_eq!(check_playbook(block), vec![], "{block}");
    }
}
