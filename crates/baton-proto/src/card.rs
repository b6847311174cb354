//! Parts of a card that are identical in both versions.

/// Converts messages whose fields have the same names on both sides.
macro_rules! same {
    ($pb:ident, $wire:ident { $($plain:ident)* } { $($optional:ident)* }) => {
        impl Carry<wire::$wire> for pb::$pb {
            fn carry(self) -> Carried<wire::$wire> {
                Ok(wire::$wire { $($plain: self.$plain,)* $($optional: filled(self.$optional),)* })
            }
        }

        impl Carry<pb::$pb> for wire::$wire {
            fn carry(self) -> Carried<pb::$pb> {
                Ok(pb::$pb { $($plain: self.$plain,)* $($optional: self.$optional.unwrap_or_default(),)* })
            }
        }
    };
}
pub(crate) use same;

/// Converts the common parts; `$requirement` is the version's name of a security requirement.
///
/// The generated types of the two versions have no common trait, so the macro is expanded for each.
macro_rules! card_pieces {
    ($requirement:ident) => {
        same!(AgentProvider, AgentProvider { url organization } {});
        same!(StringList, Scopes { list } {});
        same!(ApiKeySecurityScheme, ApiKeySecurityScheme { location name } { description });
        same!(HttpAuthSecurityScheme, HttpAuthSecurityScheme { scheme } { description bearer_format });
        same!(OpenIdConnectSecurityScheme, OpenIdConnectSecurityScheme { open_id_connect_url } { description });
        same!(MutualTlsSecurityScheme, MutualTlsSecurityScheme {} { description });
        same!(ClientCredentialsOAuthFlow, ClientCredentialsFlow { token_url scopes } { refresh_url });
        same!(ImplicitOAuthFlow, ImplicitFlow { authorization_url scopes } { refresh_url });
        same!(PasswordOAuthFlow, PasswordFlow { token_url scopes } { refresh_url });

        impl Carry<wire::AgentExtension> for pb::AgentExtension {
            fn carry(self) -> Carried<wire::AgentExtension> {
                Ok(wire::AgentExtension {
                    uri: self.uri,
                    description: self.description,
                    required: self.required,
                    params: read_object(self.params, "params")?,
                })
            }
        }

        impl Carry<pb::AgentExtension> for wire::AgentExtension {
            fn carry(self) -> Carried<pb::AgentExtension> {
                Ok(pb::AgentExtension {
                    uri: self.uri,
                    description: self.description,
                    required: self.required,
                    params: object(self.params.as_ref(), "params")?,
                })
            }
        }

        impl Carry<wire::AgentCardSignature> for pb::AgentCardSignature {
            fn carry(self) -> Carried<wire::AgentCardSignature> {
                let header = read_object(self.header, "header")?;
                Ok(wire::AgentCardSignature { protected: self.protected, signature: self.signature, header })
            }
        }

        impl Carry<pb::AgentCardSignature> for wire::AgentCardSignature {
            fn carry(self) -> Carried<pb::AgentCardSignature> {
                let header = object(self.header.as_ref(), "header")?;
                Ok(pb::AgentCardSignature { protected: self.protected, signature: self.signature, header })
            }
        }

        impl Carry<wire::SecurityRequirement> for pb::$requirement {
            fn carry(self) -> Carried<wire::SecurityRequirement> {
                Ok(wire::SecurityRequirement { schemes: each_named(self.schemes, "schemes")? })
            }
        }

        impl Carry<pb::$requirement> for wire::SecurityRequirement {
            fn carry(self) -> Carried<pb::$requirement> {
                Ok(pb::$requirement { schemes: each_named(self.schemes, "schemes")? })
            }
        }

        impl Carry<wire::OAuth2SecurityScheme> for pb::OAuth2SecurityScheme {
            fn carry(self) -> Carried<wire::OAuth2SecurityScheme> {
                Ok(wire::OAuth2SecurityScheme {
                    description: filled(self.description),
                    flows: maybe(self.flows, "flows")?.unwrap_or_default(),
                    oauth2_metadata_url: filled(self.oauth2_metadata_url),
                })
            }
        }

        impl Carry<pb::OAuth2SecurityScheme> for wire::OAuth2SecurityScheme {
            fn carry(self) -> Carried<pb::OAuth2SecurityScheme> {
                Ok(pb::OAuth2SecurityScheme {
                    description: self.description.unwrap_or_default(),
                    flows: Some(self.flows.carry().at("flows")?),
                    oauth2_metadata_url: self.oauth2_metadata_url.unwrap_or_default(),
                })
            }
        }

        impl Carry<wire::SecurityScheme> for pb::SecurityScheme {
            fn carry(self) -> Carried<wire::SecurityScheme> {
                use pb::security_scheme::Scheme;
                let mut scheme = wire::SecurityScheme::default();
                match self.scheme {
                    Some(Scheme::ApiKeySecurityScheme(one)) => scheme.api_key_security_scheme = Some(one.carry()?),
                    Some(Scheme::HttpAuthSecurityScheme(one)) => scheme.http_auth_security_scheme = Some(one.carry()?),
                    Some(Scheme::Oauth2SecurityScheme(one)) => scheme.oauth2_security_scheme = Some(one.carry()?),
                    Some(Scheme::OpenIdConnectSecurityScheme(one)) => {
                        scheme.open_id_connect_security_scheme = Some(one.carry()?);
                    }
                    Some(Scheme::MtlsSecurityScheme(one)) => scheme.mtls_security_scheme = Some(one.carry()?),
                    // A kind introduced after this version of the protocol.
                    None => {}
                }
                Ok(scheme)
            }
        }

        impl Carry<pb::SecurityScheme> for wire::SecurityScheme {
            fn carry(self) -> Carried<pb::SecurityScheme> {
                use pb::security_scheme::Scheme;
                let schemes = [
                    self.api_key_security_scheme.map(Carry::carry).transpose()?.map(Scheme::ApiKeySecurityScheme),
                    self.http_auth_security_scheme.map(Carry::carry).transpose()?.map(Scheme::HttpAuthSecurityScheme),
                    self.oauth2_security_scheme.map(Carry::carry).transpose()?.map(Scheme::Oauth2SecurityScheme),
                    self.open_id_connect_security_scheme
                        .map(Carry::carry)
                        .transpose()?
                        .map(Scheme::OpenIdConnectSecurityScheme),
                    self.mtls_security_scheme.map(Carry::carry).transpose()?.map(Scheme::MtlsSecurityScheme),
                ];
                Ok(pb::SecurityScheme { scheme: at_most_one(schemes)? })
            }
        }
    };
}
pub(crate) use card_pieces;
