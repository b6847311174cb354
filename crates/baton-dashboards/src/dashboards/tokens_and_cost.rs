//! Token usage and cost of models.

use crate::{
    Dashboard, Panel,
    PanelShape::{Bars, Lines, Ranking, Spans, Stat},
    Price,
    Unit::{Count, Money},
    query::{by, chats, equals, select, span},
};
use baton_telemetry::names;

/// Prices are per million tokens.
const TOKENS_PER_PRICE: f64 = 1e6;

pub(super) fn dashboard(prices: &[Price]) -> Dashboard {
    let (read, written) = (span(names::GEN_AI_USAGE_INPUT_TOKENS), span(names::GEN_AI_USAGE_OUTPUT_TOKENS));
    let (model, agent) = (by(&[names::GEN_AI_REQUEST_MODEL]), by(&[names::GEN_AI_AGENT_NAME]));
    let all = chats(&[]);
    let mut panels = vec![
        Panel::new(
            Stat,
            Count,
            "Input tokens",
            "Many more than output tokens: prompts and tool results are long; shorten tool results.",
            format!("{all} | sum_over_time({read})"),
        ),
        Panel::new(
            Stat,
            Count,
            "Output tokens",
            "It rises while runs do not: answers become longer; limit their length in the prompt.",
            format!("{all} | sum_over_time({written})"),
        ),
        Panel::new(
            Stat,
            Count,
            "Model calls",
            "Each call sends the whole conversation again: fewer turns save most.",
            format!("{all} | count_over_time()"),
        ),
        Panel::new(
            Stat,
            Count,
            "Input tokens per call",
            "Close to the model's context window: start new sessions, or summarise.",
            format!("{all} | avg_over_time({read})"),
        ),
    ];
    if !prices.is_empty() {
        panels.push(Panel {
            queries: prices.iter().map(|price| cost_query(price, &read, &written, &model)).collect(),
            ..Panel::new(
                Bars,
                Money,
                "Cost by model",
                "Compare with your budget; check models whose cost grows faster than their runs. \
                 Models without a price are not included, and cached tokens count as normal ones; \
                 `baton costs` is more precise.",
                String::new(),
            )
            .wide(24)
        });
    }
    panels.extend([
        Panel::new(
            Bars,
            Count,
            "Input tokens by model",
            "An expensive model dominates: give simple agents a smaller model.",
            format!("{all} | sum_over_time({read}) {model}"),
        ),
        Panel::new(
            Bars,
            Count,
            "Output tokens by model",
            "Output tokens cost several times as much as input tokens: ask for shorter answers.",
            format!("{all} | sum_over_time({written}) {model}"),
        ),
        Panel::new(
            Ranking,
            Count,
            "Input tokens by agent",
            "Start saving with the first agent.",
            format!("{all} | sum_over_time({read}) {agent}"),
        ),
        Panel::new(
            Lines,
            Count,
            "Maximum input tokens per call by agent",
            "It rises from run to run: sessions grow; start new ones.",
            format!("{all} | max_over_time({read}) {agent}"),
        ),
        Panel::new(
            Spans,
            Count,
            "Newest model calls",
            "Sort by tokens and open the largest; `baton trace show` shows the messages.",
            format!(
                "{all} | {}",
                select(&[
                    names::GEN_AI_AGENT_NAME,
                    names::GEN_AI_REQUEST_MODEL,
                    names::GEN_AI_USAGE_INPUT_TOKENS,
                    names::GEN_AI_USAGE_OUTPUT_TOKENS
                ])
            ),
        ),
    ]);
    Dashboard {
        uid: "baton-tokens-and-cost",
        title: "Baton: tokens and cost",
        description: "Token usage and cost of models.",
        from: "now-7d",
        panels,
    }
}

/// Price of one token, without rounding noise of binary fractions.
fn token_price(price: f64) -> String {
    let digits = format!("{:.15}", price / TOKENS_PER_PRICE);
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Query for the cost of one model in dollars.
fn cost_query(price: &Price, read: &str, written: &str, by: &str) -> String {
    let spans = chats(&[equals(names::GEN_AI_REQUEST_MODEL, &price.model)]);
    let (input, output) = (token_price(price.input), token_price(price.output));
    format!("({spans} | sum_over_time({read}) {by}) * {input} + ({spans} | sum_over_time({written}) {by}) * {output}")
}
