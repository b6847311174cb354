//! Streaming of a plan; dropping the stream stops it at any point.

use super::{
    plan::{Plan, Step, long_piece},
    rule::{Pace, Wait},
};
use baton_ports::{ModelEvent, ModelStream};
use std::time::Duration;

/// Number of chunks between two yields to the scheduler, if there is no delay.
const PIECES_PER_BREATH: u64 = 64;

/// Streams the plan.
pub(super) fn play(plan: Plan) -> ModelStream {
    let Plan { steps, pace, usage, finish } = plan;
    Box::pin(async_stream::stream! {
        for step in steps {
            match step {
                Step::Think(text) => yield Ok(ModelEvent::Reasoning(text)),
                Step::Wait(Wait::For(time)) => tokio::time::sleep(time).await,
                Step::Wait(Wait::Forever) => std::future::pending::<()>().await,
                Step::Call(call) => yield Ok(ModelEvent::ToolCall(call)),
                Step::Fail(error) => {
                    yield Err(error);
                    return;
                }
                Step::Say(text) => match pace.chunk {
                    None if text.is_empty() => {}
                    None => yield Ok(ModelEvent::Text(text)),
                    Some(chunk) => {
                        let mut rest = text.as_str();
                        let mut number = 0;
                        while !rest.is_empty() {
                            breathe(&mut number, pace).await;
                            let (piece, after) = split(rest, chunk);
                            yield Ok(ModelEvent::Text(piece.to_owned()));
                            rest = after;
                        }
                    }
                },
                Step::Repeat(text, times) => {
                    let mut number = 0;
                    while number < times {
                        breathe(&mut number, pace).await;
                        yield Ok(ModelEvent::Text(text.clone()));
                    }
                }
                Step::Long(pieces) => {
                    let mut number = 0;
                    while number < pieces {
                        breathe(&mut number, pace).await;
                        yield Ok(ModelEvent::Text(long_piece(number, pieces)));
                    }
                }
            }
        }
        yield Ok(ModelEvent::Done { usage, finish, by: None });
    })
}

/// Counts a chunk and waits before each one except the first.
async fn breathe(number: &mut u64, pace: Pace) {
    if *number > 0 && pace.delay > Duration::ZERO {
        tokio::time::sleep(pace.delay).await;
    } else if *number > 0 && number.is_multiple_of(PIECES_PER_BREATH) {
        tokio::task::yield_now().await;
    }
    *number += 1;
}

fn split(text: &str, chunk: usize) -> (&str, &str) {
    let at = text.char_indices().nth(chunk).map_or(text.len(), |(at, _)| at);
    text.split_at(at)
}
