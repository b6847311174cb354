//! Fits the conversation into the model's window: estimated before every call and compacted on record if needed.

use super::{
    Driver, Halt,
    conversation::{HistoryFormat, SHORTENED_BYTES, conversation, insert_context},
    recalled_history::{HistoryPiece, RecalledHistory},
    shorten::shorten,
    summary::HistorySummary,
    token_estimate::{frame_tokens, message_tokens, messages_tokens},
};
use baton_ports::{ChatMessage, Model, ModelCall, ModelError};
use baton_rules::{CompactionPlan, ConversationBlock, TaskRecord, TokenOverhead, WindowBudget, plan_compaction};
use baton_types::{AgentSpec, CallId, Compaction, FirstMessage, Json, Message, RequestContext, TaskEvent, Usage};

/// Window of a model with an unknown window, in tokens.
const DEFAULT_WINDOW_TOKENS: u64 = 32_768;

/// Maximum messages, or pieces, passed without compaction.
const MAX_MESSAGES: usize = 400;

/// Maximum bytes of the first caller message once it is kept apart from the pieces.
const MAX_FIRST_MESSAGE_BYTES: usize = 32 * 1_024;

impl Driver {
    /// Inserts a fitting form of the conversation before the call's own messages; `too_long` after the provider
    /// reported that it did not fit.
    pub(super) async fn set_messages(
        &self,
        spec: &AgentSpec,
        model: &dyn Model,
        call: &mut ModelCall,
        request: Option<&RequestContext>,
        too_long: bool,
    ) -> Result<Result<(), ModelError>, Halt> {
        self.earlier().await?;
        let room = room(spec, model);
        let full = match room {
            None if !too_long => self.full_conversation(spec, model).await?,
            _ => None,
        };
        let mut messages = match full {
            Some(messages) => messages,
            None => {
                let mut items = Vec::new();
                if let Some(request) = request {
                    insert_context(&mut items, request, &spec.knowledge);
                }
                let overhead = messages_tokens(model, items.iter().chain(&call.messages));
                let fixed = frame_tokens(model, call).saturating_add(overhead);
                let room = room.unwrap_or_else(WindowBudget::unknown);
                match Box::pin(self.fit_conversation(spec, model, fixed, room, too_long)).await? {
                    Ok(recall) => recall.into_chat(),
                    Err(error) => return Ok(Err(error)),
                }
            }
        };
        if let Some(request) = request {
            insert_context(&mut messages, request, &spec.knowledge);
        }
        messages.append(&mut call.messages);
        call.messages = messages;
        Ok(Ok(()))
    }

    /// The full conversation, if it is short and the model has no window.
    async fn full_conversation(&self, spec: &AgentSpec, model: &dyn Model) -> Result<Option<Vec<ChatMessage>>, Halt> {
        let earlier = self.earlier().await?;
        let cell = self.live.lock();
        let task = &cell.task;
        if earlier.compaction.is_some() || task.compaction.is_some() {
            return Ok(None);
        }
        let remembered = task.model_history();
        if earlier.messages.len() + remembered.len() > MAX_MESSAGES {
            return Ok(None);
        }
        Ok(Some(conversation(earlier.messages.iter().chain(remembered), &HistoryFormat::new(spec, model, task))))
    }

    /// The conversation, fitted to the window; a compaction is recorded if needed.
    async fn fit_conversation(
        &self,
        spec: &AgentSpec,
        model: &dyn Model,
        fixed: u64,
        room: WindowBudget,
        too_long: bool,
    ) -> Result<Result<RecalledHistory, ModelError>, Halt> {
        let earlier = self.earlier().await?;
        let (before, recall) = {
            let cell = self.live.lock();
            let before = active_compaction(&cell.task, earlier.compaction.as_ref(), &earlier.messages).cloned();
            let recall = recall_history(&cell.task, &earlier.messages, before.as_ref(), spec, model);
            (before, recall)
        };
        let tokens = fixed.saturating_add(messages_tokens(model, recall.messages()));
        let room = if too_long { room.reduced_below(tokens, spec.limits.compact_at) } else { room };
        if tokens <= room.trigger && recall.pieces.len() <= MAX_MESSAGES {
            return Ok(Ok(recall));
        }
        if self.live.lock().task.wishes.as_ref().is_some_and(|options| options.no_truncation) {
            let detail = format!("it has about {tokens} tokens, and the caller has disabled truncation");
            return Ok(Err(ModelError::TooLong(detail)));
        }
        let first_bytes =
            usize::try_from(room.budget).unwrap_or(usize::MAX).clamp(SHORTENED_BYTES, MAX_FIRST_MESSAGE_BYTES);
        let blocks: Vec<ConversationBlock> =
            recall.pieces.iter().map(|piece| block(model, piece, first_bytes)).collect();
        let pinned = recall.first.iter().chain(&recall.last);
        let overhead = TokenOverhead {
            fixed,
            first: before.as_ref().and_then(|before| before.through.as_ref()).map(|_| messages_tokens(model, pinned)),
            summary: messages_tokens(model, &recall.summary),
        };
        let plan = match plan_compaction(&blocks, overhead, &room) {
            Ok(plan) if plan.is_empty() => return Ok(Ok(recall)),
            Ok(plan) => plan,
            Err(overflow) => return Ok(Err(ModelError::TooLong(overflow.to_string()))),
        };
        let summary = match plan.summarized_blocks {
            0 => None,
            cut => Some(Box::pin(self.summarise(spec, model, &recall, cut, &room)).await?),
        };
        let mut compaction = next_compaction(&recall, before, &plan, summary, first_bytes);
        let recall = recall_history(&self.live.lock().task, &earlier.messages, Some(&compaction), spec, model);
        compaction.tokens_before = tokens;
        compaction.tokens_after = fixed.saturating_add(messages_tokens(model, recall.messages()));
        let remaining: Vec<CallId> = recall.results().cloned().collect();
        compaction.shortened.retain(|call| remaining.contains(call));
        tracing::info!(
            task = %self.live.id,
            before = compaction.tokens_before,
            after = compaction.tokens_after,
            "a conversation was compacted"
        );
        self.buffer_events(|_| vec![TaskEvent::Compacted { compaction }])?;
        Ok(Ok(recall))
    }
}

/// Window budget of the model; `None` for the built-in model without a configured window.
fn room(spec: &AgentSpec, model: &dyn Model) -> Option<WindowBudget> {
    let about = model.model_info();
    let window = about.window.or((model.name() != "playbook").then_some(DEFAULT_WINDOW_TOKENS))?;
    let output_tokens = spec.writing.max_output_tokens.map(u64::from).or(about.max_output);
    Some(WindowBudget::from_window(window, output_tokens, spec.limits.compact_at))
}

/// The active compaction: of the task, or of the earlier history. An autonomous task starts over with every request.
fn active_compaction<'a>(
    task: &'a TaskRecord,
    earlier: Option<&'a Compaction>,
    before: &[Message],
) -> Option<&'a Compaction> {
    let own = task.compaction.as_ref();
    if !task.autonomous {
        return own.or(earlier);
    }
    let is_applicable = |compaction: &&Compaction| {
        let through = compaction.through.as_ref();
        through.is_none_or(|id| before.iter().chain(task.model_history()).any(|message| message.id == *id))
    };
    own.filter(is_applicable)
}

fn recall_history(
    task: &TaskRecord,
    before: &[Message],
    compaction: Option<&Compaction>,
    spec: &AgentSpec,
    model: &dyn Model,
) -> RecalledHistory {
    let history: Vec<&Message> = before.iter().chain(task.model_history()).collect();
    let mut format = HistoryFormat::new(spec, model, task);
    if let Some(compaction) = compaction {
        format.shortened = &compaction.shortened;
    }
    RecalledHistory::from_history(&history, compaction, &format)
}

fn block(model: &dyn Model, piece: &HistoryPiece, first_bytes: usize) -> ConversationBlock {
    let tokens = messages_tokens(model, &piece.chat);
    let short =
        piece.chat.iter().fold(0_u64, |sum, message| {
            let short =
                match message {
                    ChatMessage::Tool { name, call, output, is_error, answer_message } => {
                        let output = super::shorten::shorten_output(output, call, SHORTENED_BYTES);
                        output.map(|output| ChatMessage::Tool {
                            name: name.clone(),
                            call: call.clone(),
                            output,
                            is_error: *is_error,
                            answer_message: answer_message.clone(),
                        })
                    }
                    ChatMessage::User { id, text, files } => shorten(text, first_bytes, "")
                        .map(|text| ChatMessage::User { id: id.clone(), text, files: files.clone() }),
                    ChatMessage::Assistant { .. } => None,
                };
            sum.saturating_add(message_tokens(model, short.as_ref().unwrap_or(message)))
        });
    ConversationBlock { is_caller_message: piece.is_user, tokens, short_tokens: short.min(tokens) }
}

/// The next compaction; includes everything covered by the previous one.
fn next_compaction(
    recall: &RecalledHistory,
    before: Option<Compaction>,
    plan: &CompactionPlan,
    summary: Option<HistorySummary>,
    first_bytes: usize,
) -> Compaction {
    let mut compaction = before.unwrap_or_else(|| Compaction {
        through: None,
        first: None,
        summary: String::new(),
        shortened: Vec::new(),
        tokens_before: 0,
        tokens_after: 0,
        usage: Usage::default(),
    });
    compaction.usage = Usage::default();
    if let Some(HistorySummary { text, usage }) = summary {
        let summarized = &recall.pieces[..plan.summarized_blocks];
        compaction.through = summarized.last().map(|piece| piece.through.clone()).or(compaction.through);
        let mut user_messages = summarized.iter().filter(|piece| piece.is_user).flat_map(|piece| &piece.chat);
        compaction.first = compaction.first.or_else(|| user_messages.find_map(|chat| first_message(chat, first_bytes)));
        (compaction.summary, compaction.usage) = (text, usage);
    }
    let shortened = plan.shortened.iter().filter_map(|at| recall.pieces.get(*at)).flat_map(|piece| &piece.chat);
    compaction.shortened.extend(shortened.filter_map(|chat| match chat {
        ChatMessage::Tool { call, output, .. } if is_long(output) => Some(call.clone()),
        _ => None,
    }));
    compaction
}

fn is_long(output: &Json) -> bool {
    output.as_str().len() > SHORTENED_BYTES
}

fn first_message(chat: &ChatMessage, limit: usize) -> Option<FirstMessage> {
    match chat {
        ChatMessage::User { id, text, .. } => {
            let text = shorten(text, limit, "").unwrap_or_else(|| text.clone());
            Some(FirstMessage { message: id.clone(), text })
        }
        _ => None,
    }
}
