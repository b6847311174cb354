//! Records of bearer tokens, in insertion order.

use super::journal::{MemoryJournal, ready_result};
use baton_ports::{BoxFuture, JournalError, TokenRecord, TokenStore};

#[derive(Default)]
pub(super) struct MemoryTokens(Vec<TokenRecord>);

impl MemoryTokens {
    fn put(&mut self, token: TokenRecord) {
        match self.0.iter_mut().find(|existing| existing.id == token.id) {
            Some(existing) => *existing = token,
            None => self.0.push(token),
        }
    }

    fn oldest_first(&self) -> Vec<TokenRecord> {
        let mut tokens = self.0.clone();
        // A stable sort keeps tokens with equal times in insertion order.
        tokens.sort_by_key(|token| token.created_at);
        tokens
    }
}

impl TokenStore for MemoryJournal {
    fn tokens(&self) -> BoxFuture<'_, Result<Vec<TokenRecord>, JournalError>> {
        ready_result(Ok(self.state.lock().tokens.oldest_first()))
    }

    fn put_token(&self, token: TokenRecord) -> BoxFuture<'_, Result<(), JournalError>> {
        self.state.lock().tokens.put(token);
        ready_result(Ok(()))
    }
}
