//! Permission changes on disk: atomic, effective immediately, and without loss of concurrent edits.

use baton_agentdir::error_codes;
use baton_local::DirectoryAgents;
use baton_manage::{ManageError, Manager};
use baton_ports::AgentSource;
use baton_types::{AgentName, ErrorCode, McpTool, Permission, PermissionChange, PermissionTarget};
use futures_util::future::join_all;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;

const SERVERS: &str =
    "{\n  // Ours.\n  \"mcpServers\": {\n    \"fs\": {\n      \"command\": \"mcp-fs\"\n    }\n  }\n}\n";

fn agent(home: &TempDir) -> PathBuf {
    let path = home.path().join("helper");
    fs::create_dir_all(&path).unwrap();
    let tools = "tools:\n- name: wipe\n  description: Wipes.\n  command: [ls]\n";
    fs::write(path.join("agent.yaml"), format!("name: helper\n{tools}")).unwrap();
    fs::write(path.join("prompt.md"), "You are a test.").unwrap();
    fs::write(path.join("mcp.json"), SERVERS).unwrap();
    path
}

/// The agents at a path, and a manager of their definitions.
fn open(path: &Path) -> (Arc<DirectoryAgents>, Manager) {
    let agents = Arc::new(DirectoryAgents::load(&[path.to_owned()]).unwrap());
    (Arc::clone(&agents), Manager::new(agents))
}

fn helper() -> AgentName {
    "helper".into()
}

fn tool_permission(tool: &str, permission: Permission) -> PermissionChange {
    let scope = PermissionTarget::Tool(McpTool { server: "fs".to_owned(), tool: tool.to_owned() });
    PermissionChange { target: scope, permission: Some(permission), disabled: None }
}

fn own_tool_permission(permission: Permission) -> PermissionChange {
    PermissionChange { target: PermissionTarget::Own("wipe".to_owned()), permission: Some(permission), disabled: None }
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn change_applies_immediately_and_repeating_it_writes_nothing() {
    let home = TempDir::new().unwrap();
    let path = agent(&home);
    let (agents, manager) = open(&path);
    let changed = manager.change_permission(&helper(), &tool_permission("read", Permission::Allow)).await.unwrap();
    assert_eq!(changed.file, path.join("mcp.json").display().to_string());
    assert!(changed.is_written);
    assert_eq!((changed.before.permission, changed.after.permission), (Permission::Ask, Permission::Allow));
    let rules = agents.agent_resources(&helper()).servers[0].permissions.rules.clone();
    assert_eq!(
        rules.iter().map(|rule| (rule.tool.as_str(), rule.permission)).collect::<Vec<_>>(),
        [("read", Permission::Allow)]
    );
    let again = manager.change_permission(&helper(), &tool_permission("read", Permission::Allow)).await.unwrap();
    assert!(!again.is_written);
    manager.change_permission(&helper(), &own_tool_permission(Permission::Deny)).await.unwrap();
    assert_eq!(agents.agent(&helper()).unwrap().tools[0].permission, Permission::Deny);
    assert_eq!(names(&path), ["agent.yaml", "mcp.json", "prompt.md"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_writers_keep_all_changes() {
    let home = TempDir::new().unwrap();
    let path = agent(&home);
    // Separate instances, as separate processes would have: they share only the directory.
    let writers = (0..6).map(|writer| {
        let (_, manager) = open(&path);
        tokio::spawn(async move {
            for tool in 0..4 {
                let change = tool_permission(&format!("w{writer}t{tool}"), Permission::Deny);
                manager.change_permission(&helper(), &change).await.unwrap();
            }
        })
    });
    for ended in join_all(writers).await {
        ended.unwrap();
    }
    let (agents, _) = open(&path);
    let rules = agents.agent_resources(&helper()).servers[0].permissions.rules.clone();
    let mut tools: Vec<String> = rules.into_iter().map(|rule| rule.tool).collect();
    tools.sort();
    let all: Vec<String> = (0..6).flat_map(|writer| (0..4).map(move |tool| format!("w{writer}t{tool}"))).collect();
    assert_eq!(tools, all);
    assert!(fs::read_to_string(path.join("mcp.json")).unwrap().contains("// Ours."));
    assert_eq!(names(&path), ["agent.yaml", "mcp.json", "prompt.md"]);
}

#[tokio::test]
async fn failed_change_leaves_the_file_unchanged() {
    let home = TempDir::new().unwrap();
    let path = agent(&home);
    let file = path.join("mcp.json");
    let (_, manager) = open(&path);
    let mut all = Vec::new();
    let refused = |error: ManageError| {
        let detail = error.detail.replace(&home.path().display().to_string(), "HOME");
        format!("{}: {detail}", error.code.code)
    };
    // The file was broken after it had been read.
    let broken = "{\"mcpServers\": {\"fs\": {\"command\": ";
    fs::write(&file, broken).unwrap();
    all.push(refused(
        manager.change_permission(&helper(), &tool_permission("read", Permission::Allow)).await.unwrap_err(),
    ));
    assert_eq!(fs::read_to_string(&file).unwrap(), broken);
    fs::write(&file, SERVERS).unwrap();
    let mut permissions = fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).unwrap();
    all.push(refused(
        manager.change_permission(&helper(), &tool_permission("read", Permission::Allow)).await.unwrap_err(),
    ));
    assert_eq!(fs::read_to_string(&file).unwrap(), SERVERS);
    let unknown =
        manager.change_permission(&"nobody".into(), &own_tool_permission(Permission::Deny)).await.unwrap_err();
    assert_eq!(unknown.code, ErrorCode::AGENT_NOT_FOUND);
    all.push(refused(unknown));
    assert_eq!(names(&path), ["agent.yaml", "mcp.json", "prompt.md"]);
    insta::assert_snapshot!(all.join("\n\n"));
}

#[cfg(unix)]
#[tokio::test]
async fn links_and_file_modes_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = TempDir::new().unwrap();
    let path = agent(&home);
    let shared = home.path().join("team.json");
    fs::rename(path.join("mcp.json"), &shared).unwrap();
    symlink("../team.json", path.join("mcp.json")).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o640)).unwrap();
    let (_, manager) = open(&path);
    manager.change_permission(&helper(), &tool_permission("read", Permission::Deny)).await.unwrap();
    assert!(fs::symlink_metadata(path.join("mcp.json")).unwrap().is_symlink());
    assert_eq!(fs::metadata(&shared).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::read_to_string(&shared).unwrap().contains("\"read\": \"deny\""));
    assert_eq!(names(home.path()), ["helper", "team.json"]);
}

/// The change fails if the directory stays locked longer than a change takes.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn change_of_a_locked_directory_times_out() {
    let home = TempDir::new().unwrap();
    let path = agent(&home);
    let (_, manager) = open(&path);
    let kept = fs::File::open(&path).unwrap();
    kept.lock().unwrap();
    let error = manager.change_permission(&helper(), &tool_permission("read", Permission::Deny)).await.unwrap_err();
    assert_eq!(error.code, error_codes::AGENT_NOT_CHANGED);
    assert_eq!(fs::read_to_string(path.join("mcp.json")).unwrap(), SERVERS);
    drop(kept);
    manager.change_permission(&helper(), &tool_permission("read", Permission::Deny)).await.unwrap();
}
