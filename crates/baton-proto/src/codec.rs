//! Encoding and decoding of messages.

use crate::status;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use prost::{DecodeError, Message};
use std::marker::PhantomData;
use tonic::{
    Status,
    codec::{DecodeBuf, Decoder, EncodeBuf, Encoder},
};

/// Codec of servers: undecodable bytes are the caller's error, reported with details.
#[derive(Debug)]
pub struct Codec<T, U>(PhantomData<(T, U)>);

/// Codec of clients: undecodable bytes are the server's error.
#[derive(Debug)]
pub struct ClientCodec<T, U>(PhantomData<(T, U)>);

/// Encodes messages.
#[derive(Debug)]
pub struct MessageEncoder<T>(PhantomData<T>);

/// Decodes messages and maps decoding errors.
#[derive(Debug)]
pub struct MessageDecoder<U> {
    map_error: fn(&DecodeError) -> Error,
    message: PhantomData<U>,
}

impl<T, U> Default for Codec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Default for ClientCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Message + 'static, U: Message + Default + 'static> tonic::codec::Codec for Codec<T, U> {
    type Encode = T;
    type Decode = U;
    type Encoder = MessageEncoder<T>;
    type Decoder = MessageDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        MessageEncoder(PhantomData)
    }

    fn decoder(&mut self) -> Self::Decoder {
        MessageDecoder { map_error: invalid_request, message: PhantomData }
    }
}

impl<T: Message + 'static, U: Message + Default + 'static> tonic::codec::Codec for ClientCodec<T, U> {
    type Encode = T;
    type Decode = U;
    type Encoder = MessageEncoder<T>;
    type Decoder = MessageDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        MessageEncoder(PhantomData)
    }

    fn decoder(&mut self) -> Self::Decoder {
        MessageDecoder { map_error: invalid_response, message: PhantomData }
    }
}

impl<T: Message> Encoder for MessageEncoder<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, message: T, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        message.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

impl<U: Message + Default> Decoder for MessageDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        U::decode(buffer).map(Some).map_err(|error| status(&(self.map_error)(&error)))
    }
}

fn invalid_request(error: &DecodeError) -> Error {
    let description = error.to_string();
    let code = if description.contains("recursion limit") { ErrorCode::TOO_DEEP } else { ErrorCode::INVALID_REQUEST };
    Error::new(ErrorKind::Parse, code, format!("the request is not a message of this operation: {description}"))
}

fn invalid_response(error: &DecodeError) -> Error {
    let message = format!("the response is not a message of this operation: {error}");
    Error::new(ErrorKind::InvalidAgentResponse, ErrorCode::INVALID_REQUEST, message)
}
