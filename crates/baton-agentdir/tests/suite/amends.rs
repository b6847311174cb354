//! Changes of every kind, written into agents of every form.

use baton_agentdir::{Amended, EditError, amend, parse};
use baton_types::{AgentChange, Include, ItemDraft, ItemKind};
use std::{collections::BTreeMap, fmt::Write as _};

type Files = BTreeMap<String, Vec<u8>>;

fn files(written: &[(&str, &str)]) -> Files {
    written.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

fn create(kind: ItemKind, name: &str, text: &str) -> AgentChange {
    AgentChange::Create { kind, item: draft(name).text(text).0 }
}

fn update(kind: ItemKind, Draft(item): Draft) -> AgentChange {
    AgentChange::Update { kind, item }
}

fn remove(kind: ItemKind, name: &str) -> AgentChange {
    AgentChange::Remove { kind, name: name.to_owned() }
}

struct Draft(ItemDraft);

fn draft(name: &str) -> Draft {
    Draft(ItemDraft { name: name.to_owned(), ..ItemDraft::default() })
}

impl Draft {
    fn text(self, text: &str) -> Self {
        Self(ItemDraft { text: Some(text.to_owned()), ..self.0 })
    }

    fn about(self, words: &str) -> Self {
        Self(ItemDraft { description: Some(words.to_owned()), ..self.0 })
    }

    fn priority(self, priority: u16) -> Self {
        Self(ItemDraft { priority: Some(priority), ..self.0 })
    }

    fn include(self, include: Include) -> Self {
        Self(ItemDraft { include: Some(include), ..self.0 })
    }
}

/// The lines that differ.
fn difference(before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split('\n').collect();
    let new: Vec<&str> = after.split('\n').collect();
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let room = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(old, new)| old == new).count();
    let mut text = String::new();
    for line in &old[same..old.len() - tail] {
        let _ = writeln!(text, "-{line}");
    }
    for line in &new[same..new.len() - tail] {
        let _ = writeln!(text, "+{line}");
    }
    text
}

/// One change after the other, each to the files that the one before left.
fn story(files: &mut Files, changes: &[AgentChange]) -> String {
    let mut told = String::new();
    for change in changes {
        let _ = writeln!(told, "# {change:?}");
        match amend(files, change) {
            Ok(Amended { file, changes }) if changes.is_empty() => {
                let _ = writeln!(told, "{file} says so already");
            }
            Ok(amended) => {
                for (path, content) in amended.changes {
                    let before = String::from_utf8(files.get(&path).cloned().unwrap_or_default()).unwrap();
                    let _ = match &content {
                        Some(bytes) => {
                            write!(told, "{path}\n{}", difference(&before, std::str::from_utf8(bytes).unwrap()))
                        }
                        None => writeln!(told, "{path} goes"),
                    };
                    match content {
                        Some(bytes) => files.insert(path, bytes),
                        None => files.remove(&path),
                    };
                }
            }
            Err(error) => {
                let _ = writeln!(told, "{}: {error}", error.code().code);
            }
        }
    }
    told
}

use ItemKind::{Reference, Rule};

#[test]
fn items_that_are_files_keep_what_they_say() {
    let mut files = files(&[
        ("agent.yaml", "name: test # me\n"),
        ("prompt.md", "You are a test.\n"),
        ("AGENTS.md", "Be kind.\n"),
        (
            "rules/tone.md",
            "---\n# how we speak\nname: tone\nmood: 7 # ours\npriority: 10 # early\n---\n\nBe brief.\n\n---\n\nAlways.\n",
        ),
        ("rules/plain.md", "Plain words.\n"),
        ("references/fees.json", "{\"berth\": 7}\n"),
        ("references/map.mdt", "---\n{\"name\":\"map\",\"enabled\":true,\"priorityLevel\":3}---\nNorth is up.\n"),
        ("skills/knots/SKILL.md", "---\nname: knots\ndescription: Tie knots.\nlicense: MIT\n---\nOver, under.\n"),
    ]);
    insta::assert_snapshot!(story(
        &mut files,
        &[
            create(Rule, "new-one", "Say so.\n"),
            create(Rule, "tone", "Again."),
            create(Rule, "no such name", "x"),
            create(Rule, "void", "  \n"),
            AgentChange::Create {
                kind: Reference,
                item: draft("Prices")
                    .text("---\nA fence.")
                    .about("What it costs: all of it")
                    .priority(0)
                    .include(Include::Agent)
                    .0,
            },
            update(Rule, draft("tone").priority(20).include(Include::Always)),
            update(Rule, draft("tone").text("Be kind.").about("How to speak")),
            update(Rule, draft("tone").text("Be kind.").about("How to speak")),
            update(Rule, draft("plain").priority(7)),
            update(Rule, draft("plain").text("Other words.")),
            update(Rule, draft("agents-md").text("Be kinder.")),
            update(Rule, draft("agents-md").priority(7)),
            update(Rule, draft("nobody").priority(7)),
            update(Rule, draft("tone").priority(1000)),
            update(Reference, draft("fees").text("{\"berth\": 8}")),
            update(Reference, draft("fees").about("Fees")),
            update(Reference, draft("map").priority(4).about("Where things are").text("South is down.")),
            update(Reference, draft("knots").include(Include::Manual)),
            remove(Reference, "knots"),
            remove(Rule, "agents-md"),
            remove(Rule, "tone"),
            remove(Rule, "tone"),
            AgentChange::Prompt("You are another.\n\n".to_owned()),
            AgentChange::Prompt("You are another.".to_owned()),
            AgentChange::Prompt(" \n".to_owned()),
        ]
    ));
    assert!(parse(&files, "/agents/test").diagnostics.is_empty());
}

#[test]
fn an_agent_with_errors_is_left_alone() {
    let broken = files(&[("agent.yaml", "name: test\ntypo: 1\n"), ("prompt.md", "You are a test.\n")]);
    let refused = amend(&broken, &AgentChange::Prompt("x".to_owned()));
    assert!(matches!(refused, Err(EditError::Invalid(_))), "{refused:?}");
}
