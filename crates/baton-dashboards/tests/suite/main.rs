//! Queries of the dashboards and their Grafana JSON.

#![cfg(test)]

use baton_dashboards::{AGENT_VARIABLE, ANY_AGENT, ANY_PROJECT, PROJECT_VARIABLE, PanelQueryType, Price, all, grafana};
use baton_traceql::{Mode, Root, parse};
use serde_json::Value;
use std::collections::BTreeSet;

fn prices() -> Vec<Price> {
    let price = |model: &str, input, output| Price { model: model.to_owned(), input, output };
    vec![price("claude-sonnet-4-5", 3.0, 15.0), price("local \"odd\" \\ name", 0.0, 0.3)]
}

#[test]
fn every_query_is_valid_for_tempo() {
    for dashboard in all(&prices()) {
        for panel in &dashboard.panels {
            assert!(!panel.queries.is_empty(), "{}", panel.title);
            for query in &panel.queries {
                assert!(query.contains(PROJECT_VARIABLE), "{query}");
                let query = query.replace(AGENT_VARIABLE, ANY_AGENT).replace(PROJECT_VARIABLE, ANY_PROJECT);
                let parsed = parse(&query, Mode::Strict).unwrap_or_else(|error| panic!("{query}: {error:?}")).query;
                let measures = matches!(parsed.root, Root::Metrics(_));
                assert_eq!(measures, panel.shape.query_type() != PanelQueryType::Search, "{query}");
            }
        }
    }
}

#[test]
fn names_are_unique_and_every_panel_has_a_description() {
    let all = all(&[]);
    let uids: BTreeSet<&str> = all.iter().map(|dashboard| dashboard.uid).collect();
    assert_eq!((uids.len(), all.len()), (5, 5));
    for dashboard in &all {
        // Limits of Grafana.
        assert!((8..=40).contains(&dashboard.uid.len()), "{}", dashboard.uid);
        let titles: BTreeSet<&str> = dashboard.panels.iter().map(|panel| panel.title).collect();
        assert_eq!(titles.len(), dashboard.panels.len(), "{}", dashboard.title);
        assert!(dashboard.panels.iter().all(|panel| panel.action.ends_with('.')), "{}", dashboard.title);
    }
    assert!(all.iter().flat_map(|dashboard| &dashboard.panels).all(|panel| panel.title != "Cost by model"));
}

#[test]
fn panels_do_not_overlap() {
    for dashboard in all(&prices()) {
        let json = grafana(&dashboard);
        let mut taken = BTreeSet::new();
        for panel in json["panels"].as_array().unwrap() {
            let at = |key: &str| panel["gridPos"][key].as_u64().unwrap();
            assert!(at("x") + at("w") <= 24, "{panel}");
            for x in at("x")..at("x") + at("w") {
                for y in at("y")..at("y") + at("h") {
                    assert!(taken.insert((x, y)), "{} covers another", panel["title"]);
                }
            }
        }
    }
}

#[test]
fn tokens_and_cost_dashboard() {
    let dashboards = all(&prices());
    let json: Value = grafana(dashboards.last().unwrap());
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("tokens_and_cost", format!("{json:#}"));
    });
}
