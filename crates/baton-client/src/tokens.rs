//! Access tokens; for administrators.

use crate::{Client, ClientError};
use baton_api::{CreateToken, CreatedToken, TokenEntry, TokenList};
use baton_encoding::path_segment;

impl Client {
    /// Creates a token; its secret is only in this response.
    pub async fn create_token(&self, token: &CreateToken) -> Result<CreatedToken, ClientError> {
        self.post("/api/v1/tokens", token).await
    }

    /// All tokens, oldest first.
    pub async fn tokens(&self) -> Result<Vec<TokenEntry>, ClientError> {
        self.document::<TokenList>("/api/v1/tokens").await.map(|list| list.tokens)
    }

    /// Revokes a token; idempotent.
    pub async fn revoke_token(&self, id: &str) -> Result<TokenEntry, ClientError> {
        self.delete(&format!("/api/v1/tokens/{}", path_segment(id))).await
    }
}
