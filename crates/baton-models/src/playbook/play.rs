//! Streaming of a plan; dropping the stream stops it at any point.

use super::{
    plan::{AnswerPlan, AnswerStep, long_piece},
    rule::{AnswerDelay, ChunkPace},
};
use baton_ports::{ModelEvent, ModelStream};
use std::time::Duration;

/// Number of chunks between two yields to the scheduler, if there is no delay.
const CHUNKS_PER_YIELD: u64 = 64;

/// Streams the plan.
pub(super) fn stream_plan(plan: AnswerPlan) -> ModelStream {
    let AnswerPlan { steps, pace, usage, finish } = plan;
    Box::pin(async_stream::stream! {
        for step in steps {
            match step {
                AnswerStep::Think(text) => yield Ok(ModelEvent::Reasoning(text)),
                AnswerStep::Wait(AnswerDelay::For(time)) => tokio::time::sleep(time).await,
                AnswerStep::Wait(AnswerDelay::Forever) => std::future::pending::<()>().await,
                AnswerStep::Call(call) => yield Ok(ModelEvent::ToolCall(call)),
                AnswerStep::Fail(error) => {
                    yield Err(error);
                    return;
                }
                AnswerStep::Say(text) => match pace.chunk {
                    None if text.is_empty() => {}
                    None => yield Ok(ModelEvent::Text(text)),
                    Some(chunk) => {
                        let mut rest = text.as_str();
                        let mut number = 0;
                        while !rest.is_empty() {
                            pace_chunk(&mut number, pace).await;
                            let (piece, after) = split(rest, chunk);
                            yield Ok(ModelEvent::Text(piece.to_owned()));
                            rest = after;
                        }
                    }
                },
                AnswerStep::Repeat(text, times) => {
                    let mut number = 0;
                    while number < times {
                        pace_chunk(&mut number, pace).await;
                        yield Ok(ModelEvent::Text(text.clone()));
                    }
                }
                AnswerStep::Long(pieces) => {
                    let mut number = 0;
                    while number < pieces {
                        pace_chunk(&mut number, pace).await;
                        yield Ok(ModelEvent::Text(long_piece(number, pieces)));
                    }
                }
            }
        }
        yield Ok(ModelEvent::Done { usage, finish, answered_by: None });
    })
}

/// Counts a chunk and waits before each one except the first.
async fn pace_chunk(number: &mut u64, pace: ChunkPace) {
    if *number > 0 && pace.delay > Duration::ZERO {
        tokio::time::sleep(pace.delay).await;
    } else if *number > 0 && number.is_multiple_of(CHUNKS_PER_YIELD) {
        tokio::task::yield_now().await;
    }
    *number += 1;
}

fn split(text: &str, chunk: usize) -> (&str, &str) {
    let at = text.char_indices().nth(chunk).map_or(text.len(), |(at, _)| at);
    text.split_at(at)
}
