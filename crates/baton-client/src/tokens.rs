//! Tokens by which callers are known; for administrators.

use crate::{Client, ClientError};
use baton_wire::api::{CreateToken, CreatedToken, TokenEntry, TokenList};
use baton_wire::path_segment;

impl Client {
    /// Makes a token; its secret is in the answer and nowhere else.
    pub async fn create_token(&self, token: &CreateToken) -> Result<CreatedToken, ClientError> {
        self.post("/api/v1/tokens", token).await
    }

    /// All tokens that were made, oldest first.
    pub async fn tokens(&self) -> Result<Vec<TokenEntry>, ClientError> {
        self.document::<TokenList>("/api/v1/tokens").await.map(|list| list.tokens)
    }

    /// Takes a token back; doing so again changes nothing.
    pub async fn revoke_token(&self, id: &str) -> Result<TokenEntry, ClientError> {
        self.delete(&format!("/api/v1/tokens/{}", path_segment(id))).await
    }
}
