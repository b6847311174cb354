//! Parts of a card that are identical in both versions.

/// Converts messages whose fields have the same names on both sides.
macro_rules! same {
    ($pb:ident, $wire:ident { $($plain:ident)* } { $($optional:ident)* }) => {
        impl WireConvert<wire::$wire> for pb::$pb {
            fn convert(self) -> ConversionResult<wire::$wire> {
                Ok(wire::$wire { $($plain: self.$plain,)* $($optional: filled(self.$optional),)* })
            }
        }

        impl WireConvert<pb::$pb> for wire::$wire {
            fn convert(self) -> ConversionResult<pb::$pb> {
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

        impl WireConvert<wire::AgentExtension> for pb::AgentExtension {
            fn convert(self) -> ConversionResult<wire::AgentExtension> {
                Ok(wire::AgentExtension {
                    uri: self.uri,
                    description: self.description,
                    required: self.required,
                    params: read_object(self.params, "params")?,
                })
            }
        }

        impl WireConvert<pb::AgentExtension> for wire::AgentExtension {
            fn convert(self) -> ConversionResult<pb::AgentExtension> {
                Ok(pb::AgentExtension {
                    uri: self.uri,
                    description: self.description,
                    required: self.required,
                    params: object(self.params.as_ref(), "params")?,
                })
            }
        }

        impl WireConvert<wire::AgentCardSignature> for pb::AgentCardSignature {
            fn convert(self) -> ConversionResult<wire::AgentCardSignature> {
                let header = read_object(self.header, "header")?;
                Ok(wire::AgentCardSignature { protected: self.protected, signature: self.signature, header })
            }
        }

        impl WireConvert<pb::AgentCardSignature> for wire::AgentCardSignature {
            fn convert(self) -> ConversionResult<pb::AgentCardSignature> {
                let header = object(self.header.as_ref(), "header")?;
                Ok(pb::AgentCardSignature { protected: self.protected, signature: self.signature, header })
            }
        }

        impl WireConvert<wire::SecurityRequirement> for pb::$requirement {
            fn convert(self) -> ConversionResult<wire::SecurityRequirement> {
                Ok(wire::SecurityRequirement { schemes: each_entry(self.schemes, "schemes")? })
            }
        }

        impl WireConvert<pb::$requirement> for wire::SecurityRequirement {
            fn convert(self) -> ConversionResult<pb::$requirement> {
                Ok(pb::$requirement { schemes: each_entry(self.schemes, "schemes")? })
            }
        }

        impl WireConvert<wire::OAuth2SecurityScheme> for pb::OAuth2SecurityScheme {
            fn convert(self) -> ConversionResult<wire::OAuth2SecurityScheme> {
                Ok(wire::OAuth2SecurityScheme {
                    description: filled(self.description),
                    flows: maybe(self.flows, "flows")?.unwrap_or_default(),
                    oauth2_metadata_url: filled(self.oauth2_metadata_url),
                })
            }
        }

        impl WireConvert<pb::OAuth2SecurityScheme> for wire::OAuth2SecurityScheme {
            fn convert(self) -> ConversionResult<pb::OAuth2SecurityScheme> {
                Ok(pb::OAuth2SecurityScheme {
                    description: self.description.unwrap_or_default(),
                    flows: Some(self.flows.convert().at("flows")?),
                    oauth2_metadata_url: self.oauth2_metadata_url.unwrap_or_default(),
                })
            }
        }

        impl WireConvert<wire::SecurityScheme> for pb::SecurityScheme {
            fn convert(self) -> ConversionResult<wire::SecurityScheme> {
                use pb::security_scheme::Scheme;
                let mut scheme = wire::SecurityScheme::default();
                match self.scheme {
                    Some(Scheme::ApiKeySecurityScheme(one)) => scheme.api_key_security_scheme = Some(one.convert()?),
                    Some(Scheme::HttpAuthSecurityScheme(one)) => scheme.http_auth_security_scheme = Some(one.convert()?),
                    Some(Scheme::Oauth2SecurityScheme(one)) => scheme.oauth2_security_scheme = Some(one.convert()?),
                    Some(Scheme::OpenIdConnectSecurityScheme(one)) => {
                        scheme.open_id_connect_security_scheme = Some(one.convert()?);
                    }
                    Some(Scheme::MtlsSecurityScheme(one)) => scheme.mtls_security_scheme = Some(one.convert()?),
                    // A kind introduced after this version of the protocol.
                    None => {}
                }
                Ok(scheme)
            }
        }

        impl WireConvert<pb::SecurityScheme> for wire::SecurityScheme {
            fn convert(self) -> ConversionResult<pb::SecurityScheme> {
                use pb::security_scheme::Scheme;
                let schemes = [
                    self.api_key_security_scheme.map(WireConvert::convert).transpose()?.map(Scheme::ApiKeySecurityScheme),
                    self.http_auth_security_scheme.map(WireConvert::convert).transpose()?.map(Scheme::HttpAuthSecurityScheme),
                    self.oauth2_security_scheme.map(WireConvert::convert).transpose()?.map(Scheme::Oauth2SecurityScheme),
                    self.open_id_connect_security_scheme
                        .map(WireConvert::convert)
                        .transpose()?
                        .map(Scheme::OpenIdConnectSecurityScheme),
                    self.mtls_security_scheme.map(WireConvert::convert).transpose()?.map(Scheme::MtlsSecurityScheme),
                ];
                Ok(pb::SecurityScheme { scheme: at_most_one(schemes)? })
            }
        }
    };
}
pub(crate) use card_pieces;
