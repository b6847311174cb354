//! Files of an agent directory, including those of other programs.

use baton_agentdir::parse;
use std::collections::BTreeMap;

const FILES: [&str; 4] = ["mcp.json", "tspark.json", "references/notes.mdt", "agent.yaml"];

/// The first byte selects the file; an invalid file of another program must not prevent an agent from being served.
pub(crate) fn read(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    let file = FILES[usize::from(*first) % FILES.len()];
    let mut files: BTreeMap<String, Vec<u8>> =
        [("agent.yaml", "name: a"), ("prompt.md", "p")].map(|(path, text)| (path.to_owned(), text.into())).into();
    files.insert(file.to_owned(), rest.to_vec());
    let parsed = parse(&files, "/agents/a");
    assert!(parsed.agent.is_some() || parsed.diagnostics.iter().any(baton_document::Diagnostic::is_error));
    assert!(parsed.agent.is_some() || file == "agent.yaml", "{:?}", parsed.diagnostics);
}
