//! A protocol is selected in one place.

use std::path::{Path, PathBuf};

fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut all = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            all.extend(sources(&path));
        } else {
            all.push(path);
        }
    }
    all
}

#[test]
fn only_one_file_matches_on_kinds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut arms = Vec::new();
    for path in sources(&root) {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let is_arm = |line: &&str| line.contains("ProviderKind::") && line.contains("=>");
        let name = path.strip_prefix(&root).expect("below the root").display().to_string();
        arms.extend(text.lines().filter(is_arm).map(|line| (name.clone(), line.trim().to_owned())));
    }
    assert!(arms.len() >= baton_types::ProviderKind::ALL.len(), "{arms:?}");
    arms.retain(|(file, _)| file != "protocol.rs");
    assert!(arms.is_empty(), "move this to the trait ProviderProtocol: {arms:#?}");
}
