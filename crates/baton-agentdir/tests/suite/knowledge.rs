//! Rules, references, guides and skills of the native format, and their settings.

use super::{parse_files, parse_yaml, shown};
use baton_types::{InclusionMode, RelevanceLimits, Thousandths};
use std::fmt::Write;

#[test]
fn items_come_from_lists_files_guides_and_skills() {
    let yaml = "\
name: a
rules:
  - { name: listed, text: Stay calm., priority: 7, include: always }
  - name: written
    description: More than a line
    text: |
      One.

      Two.
references:
  - { name: table, text: here first, priorityLevel: 0 }
";
    let parsed = parse_files(&[
        ("agent.yaml", yaml.as_bytes()),
        ("prompt.md", b"p"),
        ("rules/style.md", b"---\ndescription: How we write\npriority: 3\ninclude: agent\n---\nShort words.\n"),
        ("rules/plain.md", b"# Be kind\n\nAlways.\n"),
        ("rules/note.txt", b"A note."),
        ("rules/listed.md", b"another"),
        ("rules/data.json", b"{}"),
        ("references/table.json", b"{}"),
        ("references/facts.md", b"---\nname: true-facts\npriority: 0\n---\n\n  Two and two.\n"),
        ("AGENTS.md", b"\n# How to work here\n\nRun the tests.\n"),
        (
            "skills/pdf/SKILL.md",
            b"---\nname: pdf-forms\ndescription: Fills PDF forms.\nlicense: MIT\n---\nUse the form tool.\n",
        ),
        ("skills/plain/SKILL.md", b"Do it plainly."),
        ("skills/pdf/more.md", b"no"),
        ("skills/README.md", b"no"),
    ]);
    let mut all = shown(&parsed);
    let agent = parsed.agent.expect("an agent");
    for (kind, items) in [("rule", &agent.knowledge.rules), ("reference", &agent.knowledge.references)] {
        for item in items {
            let _ = write!(
                all,
                "\n{kind} {} {} {:?} {} {:?} {:?}",
                item.priority, item.name, item.include, item.media_type, item.description, item.text
            );
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn guide_is_first_unless_an_item_has_its_name() {
    let rules = |yaml: &str, guide: &[u8]| {
        let parsed = parse_files(&[("agent.yaml", yaml.as_bytes()), ("prompt.md", b"p"), ("AGENTS.md", guide)]);
        let rules = parsed.agent.expect("an agent").knowledge.rules;
        (
            rules.iter().map(|rule| (rule.name.clone(), rule.priority, rule.include)).collect::<Vec<_>>(),
            parsed.diagnostics.len(),
        )
    };
    let guide = ("agents-md".to_owned(), 0, InclusionMode::Always);
    assert_eq!(rules("name: a", b"Hi"), (vec![guide], 0));
    assert_eq!(rules("name: a", b" \n"), (vec![], 0));
    let own = ("agents-md".to_owned(), 500, InclusionMode::Manual);
    assert_eq!(rules("name: a\nrules: [{ name: agents-md, text: mine }]", b"Hi"), (vec![own], 1));
}

#[test]
fn context_and_writing_settings() {
    let yaml = "\
name: a
model: openai:gpt-4o
provider: { organization: Us, url: \"https://us.example\" }
icon_url: https://us.example/a.png
documentation_url: https://us.example/a
settings:
  max_output_tokens: 2000
  temperature: 1.25
  top_p: 1
  context: { top_k: 40, top_n: 2, include_score: 0.4 }
";
    let parsed = parse_yaml(yaml);
    insta::assert_snapshot!(shown(&parsed), @"agent: yes");
    let agent = parsed.agent.expect("an agent");
    assert_eq!(agent.writing.model.as_deref(), Some("openai:gpt-4o"));
    assert_eq!((agent.writing.temperature, agent.writing.top_p), (Some(Thousandths(1250)), Some(Thousandths(1000))));
    let limits = RelevanceLimits { top_k: 40, top_n: 2, include_score: Thousandths(400) };
    assert_eq!(agent.knowledge.relevance, limits);
    assert_eq!(agent.about.provider.expect("a provider").organization, "Us");
}

#[test]
fn errors_in_items_and_settings() {
    let yaml = "\
name: a
model: \"openai:\"
provider: { url: nowhere }
icon_url: picture.png
documentation_url: 7
settings:
  max_output_tokens: 0
  temperature: 3
  top_p: much
  context: { top_k: 0, top_n: -1, include_score: 1.5, top_m: 3 }
rules:
  - { name: two words, text: x }
  - { text: x }
  - { name: no-text }
  - { name: empty, text: ' ' }
  - { name: high, text: x, priority: 1000, include: sometimes, colour: red }
  - { name: both, text: x, priority: 1, priorityLevel: 1 }
  - word
  - { name: same, text: one }
  - { name: same, text: two }
references: text
";
    insta::assert_snapshot!(shown(&parse_yaml(yaml)));
}
