//! `/api/v1/agents/{agent}/rules` and `/references`.

use super::part::DefinitionCollection;
use baton_api::{AgentItem, AgentItemList};
use baton_manage::{Definition, ManageError, item, item_put, item_with_text};
use baton_types::{AgentChange, ItemKind};
use serde::Serialize;
use std::marker::PhantomData;

/// Selects rules or references.
pub(super) trait KnowledgeItemKind: 'static {
    const KIND: ItemKind;
    const PATH: &'static str;
    const NOUN: &'static str;
    const ID: &'static str;
}

pub(super) struct Rules;

impl KnowledgeItemKind for Rules {
    const KIND: ItemKind = ItemKind::Rule;
    const PATH: &'static str = "rules";
    const NOUN: &'static str = "rule";
    const ID: &'static str = "AgentRule";
}

pub(super) struct References;

impl KnowledgeItemKind for References {
    const KIND: ItemKind = ItemKind::Reference;
    const PATH: &'static str = "references";
    const NOUN: &'static str = "reference";
    const ID: &'static str = "AgentReference";
}

pub(super) struct Items<K>(PhantomData<K>);

impl<K: KnowledgeItemKind> DefinitionCollection for Items<K> {
    const PATH: &'static str = K::PATH;
    const PARAMETER: &'static str = K::NOUN;
    const NOUN: &'static str = K::NOUN;
    const ID: &'static str = K::ID;
    const PUT_NOTE: &'static str = "Absent members keep their values.";
    type Body = AgentItem;
    type List = AgentItemList;
    type Entry = AgentItem;

    fn all(of: &Definition) -> Self::List {
        let items = of.agent.knowledge.items(K::KIND).iter().map(item).collect();
        AgentItemList { items, digest: of.digest.to_string() }
    }

    fn one(of: &Definition, name: &str) -> Option<impl Serialize> {
        of.agent.knowledge.items(K::KIND).iter().find(|item| item.name == name).map(item_with_text)
    }

    /// Absent members keep their values.
    fn put(now: &Definition, name: &str, body: &AgentItem) -> Result<AgentChange, ManageError> {
        item_put(now, K::KIND, &AgentItem { name: name.to_owned(), ..body.clone() })
    }

    fn removal(name: String) -> AgentChange {
        AgentChange::Remove { kind: K::KIND, name }
    }
}
