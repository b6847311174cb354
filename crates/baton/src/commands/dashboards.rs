//! `baton dashboards`: Grafana dashboards over agent spans.

use crate::{
    config::{self, ConfigOverrides},
    error_codes,
    failure::{CliError, Exit},
    screen::{Screen, columns},
};
use baton_dashboards::{Dashboard, Price, all, grafana};
use clap::{Args, Subcommand};
use serde_json::json;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Options of `baton dashboards`.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  baton dashboards list
  baton dashboards export --out dashboards       write one JSON file per dashboard

Costs are shown for models that have a price in baton.yaml.

The dashboards need a data source of type Tempo: the address of Baton followed by /tempo, or a Tempo
server that Baton exports to. For the setup, see docs/dashboards.md."
)]
pub(crate) struct DashboardsOptions {
    #[command(subcommand)]
    command: DashboardsCommand,
    /// Configuration file with the model prices [default: baton.yaml, if it exists]
    #[arg(long, global = true, value_name = "FILE", env = "BATON_CONFIG")]
    config: Option<PathBuf>,
}

/// Subcommands of `baton dashboards`.
#[derive(Debug, Subcommand)]
enum DashboardsCommand {
    /// List the dashboards
    List,
    /// Write the dashboards as JSON files for Grafana
    Export(DashboardExportOptions),
}

/// Options of `baton dashboards export`.
#[derive(Args, Debug)]
struct DashboardExportOptions {
    /// Output directory; files of an earlier export are replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(options: &DashboardsOptions, screen: Screen) -> Result<Exit, CliError> {
    let settings = ConfigOverrides { config: options.config.clone(), ..ConfigOverrides::default() }.resolve()?;
    let price = |price: &config::Price| Price {
        model: price.model.clone(),
        input: price.input.dollars(),
        output: price.output.dollars(),
    };
    let dashboards = all(&settings.prices.iter().map(price).collect::<Vec<_>>());
    match &options.command {
        DashboardsCommand::List => list(&dashboards, screen),
        DashboardsCommand::Export(DashboardExportOptions { out }) => export(&dashboards, out, screen)?,
    }
    Ok(Exit::Ok)
}

fn list(dashboards: &[Dashboard], screen: Screen) {
    if screen.is_json() {
        let object = |dashboard: &Dashboard| {
            json!({
                "uid": dashboard.uid, "title": dashboard.title, "description": dashboard.description,
                "panels": dashboard.panels.len(),
            })
        };
        let list: Vec<serde_json::Value> = dashboards.iter().map(object).collect();
        return screen.print(&serde_json::Value::from(list).to_string());
    }
    let row = |dashboard: &Dashboard| {
        [dashboard.uid.to_owned(), format!("{} panels", dashboard.panels.len()), dashboard.description.to_owned()]
    };
    let rows: Vec<[String; 3]> = dashboards.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| screen.print(line));
}

fn export(dashboards: &[Dashboard], out: &Path, screen: Screen) -> Result<(), CliError> {
    let failed = |path: &Path, error: &io::Error| {
        CliError::new(error_codes::USAGE, format!("cannot write {}: {error}", path.display()))
            .hint("Choose a writable directory with --out.")
    };
    fs::create_dir_all(out).map_err(|error| failed(out, &error))?;
    let mut files = Vec::with_capacity(dashboards.len());
    for dashboard in dashboards {
        let file = out.join(format!("{}.json", dashboard.uid));
        fs::write(&file, format!("{:#}\n", grafana(dashboard))).map_err(|error| failed(&file, &error))?;
        files.push(file.display().to_string());
    }
    if screen.is_json() {
        screen.print(&json!({"files": files}).to_string());
        return Ok(());
    }
    files.iter().for_each(|file| screen.print(file));
    screen.print_stderr("import the files in Grafana, or provision them; see docs/dashboards.md");
    Ok(())
}
