//! Bytes written by the official Python SDKs are read, and written unchanged.

use baton_proto::{v1, v03};
use baton_wire::a2a::v1 as wire;
use prost::Message;
use serde_json::{Value, json};

/// `SendMessageRequest` of a2a-sdk 1.3.0 with every kind of part.
const SEND_V1: &str = "0a0461636d6512fc010a026d311202633120012a040a0268692a26120300ff103205612e62696e3a186170706c6963617469\
     6f6e2f6f637465742d73747265616d2a171a1568747470733a2f2f6578616d706c652e636f6d2f612a7c225f2a5d0a100a03\
     62696712091100a0d885573476430a120a05636f756e7412091100000000000045400a110a0468616c661209110000000000\
     00e03f0a220a046c697374121a32180a0911000000000000f03f0a0208000a0220010a031a01782a190a170a016b12122a10\
     0a0e0a016e1209110000000000001cc0320e0a0c0a05747261636512031a01313a1768747470733a2f2f6578616d706c652e\
     636f6d2f657874420274301a400a0a746578742f706c61696e122e221868747470733a2f2f6578616d706c652e636f6d2f68\
     6f6f6b2a03746f6b320d0a064265617265721203616263180020012200";
/// A canceled task in a stream of a2a-sdk 1.3.0.
const EVENT_V1: &str = "1a280a027431120263311a1e0805120d0a026d3220022a050a036279651a0b08c0bde6d70610c0a9d33a";
/// `ListTasksRequest` of a2a-sdk 1.3.0.
const LIST_V1: &str = "120263311802200a2a046e65787430003a0608c0bde6d7064001";
/// `SendMessageRequest` of a2a-sdk 0.3.26 with every kind of part.
const SEND_V03: &str = "0add010a026d311202633120012a040a0268692a2912271204415038511a186170706c69636174696f6e2f6f637465742d73\
     747265616d2205612e62696e2a1912170a1568747470733a2f2f6578616d706c652e636f6d2f612a421a160a140a120a0576\
     616c7565120911000000000000454022280a160a10646174615f706172745f636f6d706174120220010a0e0a016b12091100\
     0000000000f03f2a181a160a140a120a05636f756e741209110000000000004540320e0a0c0a05747261636512031a01313a\
     1768747470733a2f2f6578616d706c652e636f6d2f657874123e0a0a746578742f706c61696e122e121868747470733a2f2f\
     6578616d706c652e636f6d2f686f6f6b1a03746f6b220d0a0642656172657212036162632001";
/// A canceled task in a stream of a2a-sdk 0.3.26.
const EVENT_V03: &str = "1a1d0a027431120263311a110805120d0a026d3220022a050a036279652001";
/// A push configuration without an id, from a2a-sdk 0.3.26.
const CREATE_V03: &str = "0a087461736b732f74311a430a257461736b732f74312f707573684e6f74696669636174696f6e436f6e666967732f4e6f6e\
     65121a121868747470733a2f2f6578616d706c652e636f6d2f686f6f6b";

pub(crate) const ALL: [&str; 6] = [SEND_V1, EVENT_V1, LIST_V1, SEND_V03, EVENT_V03, CREATE_V03];

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Reads `hex` as `P`, converts it to `W` and back, and returns the value as JSON.
fn round_trip<P, W>(hex: &str) -> Value
where
    P: Message + Default + TryFrom<W, Error = wire::Error>,
    W: TryFrom<P, Error = wire::Error> + serde::Serialize + Clone,
{
    let read = W::try_from(P::decode(bytes(hex).as_slice()).unwrap()).unwrap();
    let written = P::try_from(read.clone()).unwrap();
    assert_eq!(written.encode_to_vec(), bytes(hex));
    serde_json::to_value(read).unwrap()
}

#[test]
fn official_bytes_round_trip() {
    let event = v03::pb::StreamResponse::decode(bytes(EVENT_V03).as_slice()).unwrap();
    assert!(event.is_final());
    let event = wire::StreamResponse::try_from(event).unwrap();
    let again = v03::pb::StreamResponse::from_wire(event.clone(), false).unwrap();
    assert_eq!(again.encode_to_vec(), bytes(EVENT_V03));
    let create = v03::pb::CreateTaskPushNotificationConfigRequest::decode(bytes(CREATE_V03).as_slice()).unwrap();
    insta::assert_json_snapshot!(json!({
        "1.0 SendMessageRequest": round_trip::<v1::pb::SendMessageRequest, wire::SendMessageRequest<'static>>(SEND_V1),
        "1.0 StreamResponse": round_trip::<v1::pb::StreamResponse, wire::StreamResponse<'static>>(EVENT_V1),
        "1.0 ListTasksRequest": round_trip::<v1::pb::ListTasksRequest, wire::ListTasksRequest<'static>>(LIST_V1),
        "0.3 SendMessageRequest":
            round_trip::<v03::pb::SendMessageRequest, wire::SendMessageRequest<'static>>(SEND_V03),
        "0.3 StreamResponse": event,
        "0.3 CreateTaskPushNotificationConfigRequest": wire::TaskPushNotificationConfig::try_from(create).unwrap(),
    }));
}
