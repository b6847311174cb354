//! Ends an answer at a stop sequence, regardless of provider support.

use async_stream::stream;
use baton_ports::{FinishReason, ModelEvent, ModelStream};
use baton_types::Usage;
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::Instant;

/// Bounds for reading past a stop sequence to get the usage: bytes and time.
const MAX_REST_BYTES: usize = 64 * 1024;
const REST_TIMEOUT: Duration = Duration::from_secs(2);

/// The answer up to the first stop sequence. Later output is read for its usage only.
pub(super) fn stop_at_sequence(mut answer: ModelStream, stops: &[String]) -> ModelStream {
    let stops: Vec<String> = stops.iter().filter(|stop| !stop.is_empty()).cloned().collect();
    if stops.is_empty() {
        return answer;
    }
    let mut scanner = StopScanner { stops, pending: String::new() };
    Box::pin(stream! {
        let mut is_stopped = false;
        let (mut rest, mut until) = (MAX_REST_BYTES, None);
        loop {
            let event = match until {
                None => answer.next().await,
                Some(until) => tokio::time::timeout_at(until, answer.next()).await.ok().flatten(),
            };
            let Some(event) = event else { break };
            match event {
                Ok(ModelEvent::Done { usage, finish, answered_by }) => {
                    if !is_stopped && !scanner.pending.is_empty() {
                        yield Ok(ModelEvent::Text(scanner.take_rest()));
                    }
                    let finish = if is_stopped { FinishReason::Stop } else { finish };
                    yield Ok(ModelEvent::Done { usage, finish, answered_by });
                    return;
                }
                Err(_) if is_stopped => break,
                Ok(ModelEvent::Text(text)) if is_stopped => match rest.checked_sub(text.len()) {
                    Some(left) => rest = left,
                    None => break,
                },
                _ if is_stopped => {}
                Ok(ModelEvent::Text(text)) => {
                    let (shown, found) = scanner.push(&text);
                    if found {
                        (is_stopped, until) = (true, Some(Instant::now() + REST_TIMEOUT));
                    }
                    if !shown.is_empty() {
                        yield Ok(ModelEvent::Text(shown));
                    }
                }
                other => {
                    // No more text precedes a call or an error.
                    let is_pause = matches!(other, Ok(ModelEvent::ToolCall(_)) | Err(_));
                    if is_pause && !scanner.pending.is_empty() {
                        yield Ok(ModelEvent::Text(scanner.take_rest()));
                    }
                    yield other;
                }
            }
        }
        // The answer is complete although the provider did not end the stream in time.
        if is_stopped {
            yield Ok(ModelEvent::Done { usage: Usage::default(), finish: FinishReason::Stop, answered_by: None });
        }
    })
}

/// Finds stop sequences in streamed text.
struct StopScanner {
    stops: Vec<String>,
    /// End of the text so far that may be the beginning of a stop sequence.
    pending: String,
}

impl StopScanner {
    /// Appends text; returns the text to publish and whether a stop sequence follows it.
    fn push(&mut self, text: &str) -> (String, bool) {
        self.pending.push_str(text);
        if let Some(at) = self.stops.iter().filter_map(|stop| self.pending.find(stop.as_str())).min() {
            self.pending.truncate(at);
            return (self.take_rest(), true);
        }
        let overlap_length = self.stops.iter().map(|stop| overlap(&self.pending, stop)).max().unwrap_or_default();
        let rest = self.pending.split_off(self.pending.len() - overlap_length);
        (std::mem::replace(&mut self.pending, rest), false)
    }

    fn take_rest(&mut self) -> String {
        std::mem::take(&mut self.pending)
    }
}

/// Length of the longest suffix of the text that is a prefix of the stop sequence.
fn overlap(text: &str, stop: &str) -> usize {
    let starts = stop.char_indices().map(|(at, _)| at).filter(|at| *at > 0);
    starts.filter(|at| text.ends_with(&stop[..*at])).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_ports::ModelError;

    async fn read_answer(stops: &[&str], pieces: &[&str]) -> (String, Option<FinishReason>) {
        let stops: Vec<String> = stops.iter().map(|stop| (*stop).to_owned()).collect();
        let texts = pieces.iter().map(|piece| Ok(ModelEvent::Text((*piece).to_owned())));
        let usage = Usage { output_tokens: 7, ..Usage::default() };
        let done = Ok(ModelEvent::Done { usage, finish: FinishReason::Length, answered_by: None });
        let events: Vec<Result<ModelEvent, ModelError>> = texts.chain([done]).collect();
        let mut answer = stop_at_sequence(Box::pin(futures_util::stream::iter(events)), &stops);
        let (mut text, mut end) = (String::new(), None);
        while let Some(event) = answer.next().await {
            match event.unwrap() {
                ModelEvent::Text(more) => text.push_str(&more),
                ModelEvent::Done { usage, finish, .. } => {
                    assert_eq!(usage.output_tokens, 7, "usage is kept");
                    end = Some(finish);
                }
                other => panic!("{other:?}"),
            }
        }
        (text, end)
    }

    /// Text, stop flag and duration of an endless answer, in pieces of this size with this pause between them.
    async fn read_endless_answer(size: usize, pause: Duration) -> (String, bool, Duration) {
        let endless: ModelStream = Box::pin(stream! {
            yield Ok(ModelEvent::Text("one two".to_owned()));
            loop {
                tokio::time::sleep(pause).await;
                yield Ok(ModelEvent::Text("x".repeat(size)));
            }
        });
        let begun = Instant::now();
        let events: Vec<_> = stop_at_sequence(endless, &["two".to_owned()]).collect().await;
        let texts = events.iter().filter_map(|event| match event {
            Ok(ModelEvent::Text(text)) => Some(text.as_str()),
            _ => None,
        });
        let stopped = matches!(events.last(), Some(Ok(ModelEvent::Done { finish: FinishReason::Stop, .. })));
        (texts.collect(), stopped, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn output_after_a_stop_text_is_read_within_limits() {
        for (size, pause) in
            [(20_000, Duration::from_millis(1)), (1, Duration::from_millis(300)), (1, Duration::from_secs(60))]
        {
            let (text, stopped, took) = read_endless_answer(size, pause).await;
            assert_eq!((text.as_str(), stopped), ("one ", true), "{size} {pause:?}");
            assert!(took <= REST_TIMEOUT + Duration::from_millis(2), "{took:?}");
        }
    }

    #[tokio::test]
    async fn answers_end_before_the_first_stop_text() {
        for (stops, pieces, text, finish) in [
            (&[][..], &["one two"][..], "one two", FinishReason::Length),
            (&["two"], &["one two three"], "one ", FinishReason::Stop),
            (&["two"], &["one t", "w", "o three"], "one ", FinishReason::Stop),
            (&["two"], &["one t", "w"], "one tw", FinishReason::Length),
            (&["three", "two"], &["one two three"], "one ", FinishReason::Stop),
            (&["aab"], &["aa", "ab", "c"], "a", FinishReason::Stop),
            (&["é!"], &["caf", "é", "! more"], "caf", FinishReason::Stop),
            (&["é!"], &["caf", "é", "?"], "café?", FinishReason::Length),
            (&["\n\n"], &["a\n", "b\n", "\nc"], "a\nb", FinishReason::Stop),
            (&[""], &["one"], "one", FinishReason::Length),
        ] {
            assert_eq!(read_answer(stops, pieces).await, (text.to_owned(), Some(finish)), "{stops:?} {pieces:?}");
        }
    }
}
