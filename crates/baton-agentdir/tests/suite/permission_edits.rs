//! Permission settings written into existing files.

use baton_agentdir::{EditError, PermissionEdit, edit, parse};
use baton_types::{McpTool, Permission, PermissionChange, PermissionTarget};
use proptest::prelude::*;
use std::{collections::BTreeMap, fmt::Write as _};

type Files = BTreeMap<String, Vec<u8>>;

fn files(written: &[(&str, &str)]) -> Files {
    let usual = [("agent.yaml", "name: test\n"), ("prompt.md", "You are a test.\n")];
    let all = usual.iter().chain(written);
    all.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

fn change(scope: PermissionTarget, permission: Option<Permission>, disabled: Option<bool>) -> PermissionChange {
    PermissionChange { target: scope, permission, disabled }
}

fn tool(server: &str, tool: &str) -> PermissionTarget {
    PermissionTarget::Tool(McpTool { server: server.to_owned(), tool: tool.to_owned() })
}

fn server(name: &str) -> PermissionTarget {
    PermissionTarget::Server(name.to_owned())
}

fn own(name: &str) -> PermissionTarget {
    PermissionTarget::Own(name.to_owned())
}

fn edited(files: &Files, change: &PermissionChange) -> Result<PermissionEdit, EditError> {
    edit(files, "/agents/test", change)
}

/// The differing lines and the reported permissions, or the error.
fn shown(before: &str, edited: &Result<PermissionEdit, EditError>) -> String {
    let edited = match edited {
        Ok(edited) => edited,
        Err(error) => return format!("{}: {error}\n", error.code().code),
    };
    let mut text = format!("{}: {:?} -> {:?}\n", edited.file, edited.before, edited.after);
    let old: Vec<&str> = before.split('\n').collect();
    let new: Vec<&str> = edited.text.split('\n').collect();
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let room = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(old, new)| old == new).count();
    for line in &old[same..old.len() - tail] {
        let _ = writeln!(text, "-{line}");
    }
    for line in &new[same..new.len() - tail] {
        let _ = writeln!(text, "+{line}");
    }
    text
}

/// Applies the changes one after the other and describes the results.
fn story(file: &str, text: &str, changes: &[PermissionChange]) -> String {
    let mut files = files(&[(file, text)]);
    let mut told = String::new();
    for change in changes {
        let before = String::from_utf8_lossy(&files[file]).into_owned();
        let edited = edited(&files, change);
        let _ = writeln!(told, "# {} {:?} {:?}", change.target, change.permission, change.disabled);
        told.push_str(&shown(&before, &edited));
        if let Ok(edited) = edited {
            assert_eq!(edited.file, file);
            files.insert(edited.file, edited.text.into_bytes());
        }
    }
    let end = String::from_utf8_lossy(&files[file]).into_owned();
    format!("{told}\n{end}")
}

use Permission::{Allow, Ask, Deny};

#[test]
fn shared_files_get_permissions_and_keep_everything_else() {
    let text = r#"{
  // Servers of the whole team.
  "mcpServers": {
    "fs": {
      "command": "mcp-fs", /* see the wiki */
      "args": ["--root", "."], // here
      "x-team": {"owner": "ops", "big": 12345678901234567890}
    },
    // Somebody else's habits.
    "git": {
      "url": "https://git.example/mcp",
      "alwaysAllow": ["log", "diff"],
      "tools": {
        "push": { "permissionRequired": true, "include": "manual" },
        "tag": { "disabled": false },
      },
      "permissions": {"tools": {"clone": {"permission": "ask", "arguments": [{"path": "/url", "glob": "https://git.example/*", "permission": "allow"}]}}},
      "disabledTools": [
        "gc", // slow
        "prune",
      ],
    },
  },
}
"#;
    insta::assert_snapshot!(story(
        "mcp.json",
        text,
        &[
            change(tool("fs", "read_file"), Some(Allow), None),
            change(tool("fs", "delete \"x\""), Some(Deny), None),
            change(server("fs"), Some(Ask), None),
            change(server("fs"), None, Some(true)),
            change(server("fs"), Some(Allow), Some(false)),
            change(tool("fs", "read_file"), None, Some(true)),
            change(tool("fs", "read_file"), None, Some(false)),
            change(tool("git", "log"), Some(Ask), None),
            change(tool("git", "diff"), Some(Allow), None),
            change(tool("git", "push"), Some(Allow), None),
            change(tool("git", "push"), Some(Deny), None),
            change(tool("git", "push"), Some(Ask), None),
            change(tool("git", "gc"), None, Some(false)),
            change(tool("git", "push"), None, Some(true)),
            change(tool("git", "clone"), Some(Deny), None),
            change(tool("git", "tag"), None, Some(true)),
            change(server("git"), Some(Deny), None),
        ]
    ));
}

#[test]
fn teamspark_files_keep_their_own_keys() {
    let text = r#"{
    "metadata": {"name": "x"},
    "mcpServers": {
        "weather": {"type": "stdio", "command": "w", "tools": {"now": {"include": "manual", "hash": "1"}}},
        "older": {"command": "o", "toolPermissionRequired": {"serverDefault": true, "tools": {"a": true}}},
        "off": {"command": "f", "toolEnabled": {"serverDefault": false, "tools": {"a": true, "b": false}}}
    }
}"#;
    insta::assert_snapshot!(story(
        "tspark.json",
        text,
        &[
            change(tool("weather", "now"), Some(Allow), None),
            change(tool("weather", "now"), Some(Ask), None),
            change(tool("weather", "now"), Some(Deny), None),
            change(server("weather"), Some(Allow), None),
            change(server("older"), Some(Allow), None),
            change(tool("older", "a"), Some(Allow), None),
            change(tool("older", "a"), None, Some(true)),
            change(tool("off", "b"), None, Some(false)),
            change(tool("off", "c"), None, Some(false)),
            change(tool("off", "a"), None, Some(true)),
        ]
    ));
}

#[test]
fn native_file_is_changed_line_by_line() {
    let text = "\
name: test  # of course
tools:
  # It deletes.
  - name: delete
    description: >
      Deletes
      # not a comment
    command: [rm, x]  # careful

  - { name: list, description: Lists., command: [ls] }
  - name: show
    description: Shows.
    permission: 'deny' # for now
    command: [cat]
mcpServers:
  fs:
    command: mcp-fs
    args:
    - --root
    - .
    # The end of fs.
  git: {url: \"https://git.example/mcp\", disabledTools: [gc, prune]}
  notes:
    command: n
    permissions:
      # Words.
      tools:
        read: ask
    disabledTools:
      - a
# The end.
";
    insta::assert_snapshot!(story(
        "agent.yaml",
        text,
        &[
            change(own("delete"), Some(Ask), None),
            change(own("list"), Some(Deny), None),
            change(own("show"), Some(Allow), None),
            change(own("show"), None, Some(true)),
            change(tool("fs", "read_file"), Some(Allow), None),
            change(tool("fs", "true"), Some(Deny), None),
            change(server("fs"), Some(Deny), Some(true)),
            change(tool("git", "push"), Some(Ask), Some(true)),
            change(tool("git", "gc"), None, Some(false)),
            change(tool("git", "push"), None, Some(false)),
            change(tool("notes", "read"), Some(Allow), None),
            change(tool("notes", "write"), Some(Deny), None),
            change(tool("notes", "b"), None, Some(true)),
            change(tool("notes", "a"), None, Some(false)),
            change(tool("notes", "b"), None, Some(false)),
        ]
    ));
}

#[test]
fn unsupported_edits_are_errors() {
    let patterns = r#"{"mcpServers": {"fs": {"command": "x", "permissions": {"tools": {"del*": "deny"}}, "expose": {"include": ["read_*", "del*"], "exclude": ["*_secret"]}}}}"#;
    let anchors = "name: test\nusual: &usual\n";
    let merged = "name: test\nmcpServers:\n  a: &a\n    command: x\n  b: *a\n";
    let empty = r#"{"mcpServers": {"fs": {"command": "x", "permissions": null}}}"#;
    let mut all = String::new();
    for (file, text, change) in [
        ("mcp.json", patterns, change(tool("fs", "delete"), Some(Allow), None)),
        ("mcp.json", patterns, change(tool("fs", "read_secret"), None, Some(false))),
        ("mcp.json", patterns, change(tool("fs", "write"), None, Some(false))),
        ("mcp.json", patterns, change(tool("git", "log"), Some(Allow), None)),
        ("mcp.json", "{\"mcpServers\": {", change(tool("fs", "log"), Some(Allow), None)),
        ("mcp.json", empty, change(tool("fs", "log"), Some(Allow), None)),
        ("agent.yaml", anchors, change(own("x"), Some(Allow), None)),
        ("agent.yaml", "name: test\n", change(own("x"), Some(Allow), None)),
        ("agent.yaml", merged, change(server("b"), Some(Allow), None)),
    ] {
        let files = files(&[(file, text)]);
        all.push_str(&shown(text, &edited(&files, &change)));
    }
    insta::assert_snapshot!(all);
}

/// A notation of a file.
#[derive(Clone, Copy, Debug)]
enum Layout {
    Compact,
    Pretty { tab: bool, crlf: bool, trailing: bool },
    Block { crlf: bool },
    Flow,
}

impl Layout {
    fn file(self) -> &'static str {
        match self {
            Self::Compact | Self::Pretty { .. } => "mcp.json",
            Self::Block { .. } | Self::Flow => "agent.yaml",
        }
    }

    /// The file with these servers; its comments are numbered.
    fn write(self, servers: &serde_json::Value) -> String {
        let text = match self {
            Self::Compact => serde_json::json!({"mcpServers": servers}).to_string(),
            Self::Pretty { tab, trailing, .. } => {
                let mut text = String::from("// 0\n");
                pretty(&mut text, &serde_json::json!({"mcpServers": servers}), 0, tab, trailing, &mut 1);
                text + " // end\n"
            }
            Self::Block { .. } => {
                let mut text = String::from("# 0\nname: test # 1\nmcpServers:\n");
                block(&mut text, servers, 2, &mut 2);
                text + "# end\ntitle: A test\n"
            }
            Self::Flow => format!("name: test\n# 0\nmcpServers: {servers} # 1\ntitle: A test"),
        };
        match self {
            Self::Pretty { crlf: true, .. } | Self::Block { crlf: true } => text.replace('\n', "\r\n"),
            _ => text,
        }
    }
}

fn pretty(text: &mut String, value: &serde_json::Value, depth: usize, tab: bool, trailing: bool, count: &mut u32) {
    let serde_json::Value::Object(members) = value else {
        let _ = write!(text, "{value}");
        return;
    };
    let indent = |depth: usize| if tab { "\t".repeat(depth) } else { "  ".repeat(depth) };
    text.push_str("{\n");
    for (index, (key, value)) in members.iter().enumerate() {
        let _ = write!(text, "{}/* {count} */ {}: ", indent(depth + 1), serde_json::json!(key));
        *count += 1;
        pretty(text, value, depth + 1, tab, trailing, count);
        let comma = if index + 1 < members.len() || trailing { "," } else { "" };
        let _ = writeln!(text, "{comma} // {count}");
        *count += 1;
    }
    let _ = write!(text, "{}}}", indent(depth));
}

fn block(text: &mut String, value: &serde_json::Value, indent: usize, count: &mut u32) {
    let pad = " ".repeat(indent);
    for (key, value) in value.as_object().into_iter().flatten() {
        let _ = writeln!(text, "{pad}# {count}");
        *count += 1;
        match value {
            serde_json::Value::Object(members) if !members.is_empty() => {
                let _ = writeln!(text, "{pad}{}: # {count}", serde_json::json!(key));
                *count += 1;
                block(text, value, indent + 2, count);
            }
            serde_json::Value::Array(entries) if !entries.is_empty() => {
                let _ = writeln!(text, "{pad}{}:", serde_json::json!(key));
                for entry in entries {
                    let _ = writeln!(text, "{pad}# {count}\n{pad}- {entry}");
                    *count += 1;
                }
            }
            value => {
                let _ = writeln!(text, "{pad}{}: {value}", serde_json::json!(key));
            }
        }
    }
}

fn comments(text: &str) -> Vec<&str> {
    text.split_whitespace()
        .zip(text.split_whitespace().skip(1))
        .filter(|(mark, _)| ["#", "//", "/*"].contains(mark))
        .map(|(_, number)| number)
        .collect()
}

fn layouts() -> impl Strategy<Value = Layout> {
    prop_oneof![
        Just(Layout::Compact),
        any::<(bool, bool, bool)>().prop_map(|(tab, crlf, trailing)| Layout::Pretty { tab, crlf, trailing }),
        any::<bool>().prop_map(|crlf| Layout::Block { crlf }),
        Just(Layout::Flow),
    ]
}

const TOOLS: [&str; 4] = ["read", "write file", "no", "ü\"\\x"];

fn entries() -> impl Strategy<Value = serde_json::Value> {
    let word = || prop::sample::select(vec!["allow", "ask", "deny"]);
    let names = || prop::collection::btree_set(prop::sample::select(TOOLS.to_vec()), 0..3);
    let optional = |strategy: BoxedStrategy<serde_json::Value>| prop::option::of(strategy);
    let json = |value: serde_json::Value| value;
    let words = prop::collection::btree_map(prop::sample::select(TOOLS.to_vec()), word(), 1..3);
    (
        optional(
            (prop::option::of(word()), prop::option::of(words))
                .prop_map(move |(default, tools)| {
                    let mut map = serde_json::Map::new();
                    map.extend(default.map(|word| ("default".to_owned(), word.into())));
                    map.extend(tools.map(|tools| ("tools".to_owned(), serde_json::json!(tools))));
                    json(map.into())
                })
                .boxed(),
        ),
        optional(names().prop_map(|names| serde_json::json!(names)).boxed()),
        optional(names().prop_map(|names| serde_json::json!(names)).boxed()),
        optional(any::<bool>().prop_map(Into::into).boxed()),
        optional(any::<bool>().prop_map(Into::into).boxed()),
        optional(
            (prop::sample::select(TOOLS.to_vec()), any::<bool>())
                .prop_map(|(tool, asks)| serde_json::json!({tool: {"permissionRequired": asks, "disabled": asks}}))
                .boxed(),
        ),
    )
        .prop_map(|(permissions, off, allowed, disabled, enabled, tools)| {
            let mut map = serde_json::Map::new();
            map.insert("command".to_owned(), "x".into());
            map.insert("args".to_owned(), serde_json::json!(["# no", "// comment"]));
            let optional = [
                ("permissions", permissions),
                ("disabledTools", off),
                ("alwaysAllow", allowed),
                ("disabled", disabled),
                ("enabled", enabled),
                ("tools", tools),
            ];
            map.extend(optional.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
            map.into()
        })
}

fn changes() -> impl Strategy<Value = PermissionChange> {
    let scope =
        prop_oneof![prop::sample::select(TOOLS.to_vec()).prop_map(|name| tool("one", name)), Just(server("one")),];
    let permission = prop::option::of(prop::sample::select(vec![Allow, Ask, Deny]));
    (scope, permission, prop::option::of(any::<bool>()))
        .prop_map(|(scope, permission, disabled)| change(scope, permission, disabled))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// In some of these files the requested permission cannot be expressed; then no permission is granted. All other
    /// requests have exactly the requested effect.
    #[test]
    fn only_the_requested_permission_changes(layout in layouts(), one in entries(), two in entries(), changes in prop::collection::vec(changes(), 1..5)) {
        let written = layout.write(&serde_json::json!({"one": one, "two": two}));
        let mut files = files(&[(layout.file(), &written)]);
        prop_assert!(parse(&files, "/agents/test").agent.is_some(), "{}", written);
        for change in changes {
            let before = String::from_utf8(files[layout.file()].clone()).unwrap();
            let done = edited(&files, &change);
            prop_assert!(done.is_ok(), "{:?}\n{:?}\n{}", done, change, before);
            let PermissionEdit { file, text, after, .. } = done.unwrap();
            prop_assert_eq!(file, layout.file());
            prop_assert!(change.permission.is_none_or(|wanted| wanted == after.permission), "{}", text);
            prop_assert!(change.disabled.is_none_or(|wanted| wanted == after.disabled), "{}", text);
            prop_assert_eq!(comments(&text).len(), comments(&before).len(), "{}\n{}", before, text);
            let old = parse(&files, "/agents/test");
            files.insert(layout.file().to_owned(), text.clone().into_bytes());
            let new = parse(&files, "/agents/test");
            prop_assert_eq!(old.agent, new.agent);
            prop_assert_eq!(&old.resources.servers[1], &new.resources.servers[1]);
            let again = edited(&files, &change).expect("the repeated edit succeeds");
            prop_assert_eq!(again.text, text);
            prop_assert_eq!(again.before, again.after);
        }
    }

    #[test]
    fn edit_of_any_file_does_not_panic(text in "[a-z{}\\[\\]:,#'\"\\- \n]{0,80}", mcp in any::<bool>()) {
        let text = match mcp {
            true => format!("{{\"mcpServers\": {{\"one\": {{\"command\": \"x\" {text}}}}}}}"),
            false => format!("name: test\nmcpServers:\n  one:\n    command: x\n{text}"),
        };
        let file = if mcp { "mcp.json" } else { "agent.yaml" };
        let files = files(&[(file, &text)]);
        for scope in [tool("one", "read"), server("one"), own("one")] {
            let _ = edited(&files, &change(scope, Some(Deny), Some(true)));
        }
    }
}
