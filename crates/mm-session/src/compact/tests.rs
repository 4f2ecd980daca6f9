use std::sync::Arc;

use mm_llm::testing::{ScriptedProvider, SeenRequest, Step};
use mm_llm::{ChatEvent, ProviderError, Usage};
use mm_tools::ToolSet;
use mm_tools::testing::ScriptedTool;

use super::*;
use crate::store::{MemoryStore, SessionStore};
use crate::testing::{RecordingFrontend, check_valid};
use crate::{SessionOptions, SessionParts};

const LONG: &str =
    "a long answer that goes on and on about a thing that nobody will need to read again, ever";

struct Bench {
    session: Session,
    provider: Arc<ScriptedProvider>,
    store: Arc<MemoryStore>,
    ui: RecordingFrontend,
}

impl Bench {
    fn new(replies: Vec<Vec<Step>>, change: impl FnOnce(&mut SessionOptions)) -> Self {
        let provider = Arc::new(ScriptedProvider::new(replies));
        let store = Arc::new(MemoryStore::default());
        let mut tools = ToolSet::new();
        tools.add(Arc::new(ScriptedTool::reading("look", []))).unwrap();
        let kept = Some(store.clone() as Arc<dyn SessionStore>);
        let parts = SessionParts { tools, store: kept, ..SessionParts::new(provider.clone()) };
        let mut options = SessionOptions::new("m", "/w");
        options.system = Some("sys".into());
        change(&mut options);
        let session = Session::new(parts, options);
        Self { session, provider, store, ui: RecordingFrontend::default() }
    }

    async fn ask(&mut self, question: &str) -> String {
        let result = self.session.turn(question, &self.ui, &CancellationToken::new()).await;
        let next = [self.session.history().messages(), &[Message::User("next".into())]].concat();
        assert_eq!(check_valid(&next), Ok(()));
        result.map_or_else(|error| format!("!{error}"), |answer| answer.text)
    }

    async fn compact(&mut self, wanted: &str) -> Result<Compacted, String> {
        let compacted = self.session.compact(wanted, &self.ui, &CancellationToken::new()).await;
        compacted.map_err(|error| error.to_string())
    }

    fn seen(&self) -> Vec<SeenRequest> {
        self.provider.seen()
    }

    fn notices(&self) -> Vec<String> {
        let text = |event| if let Event::Notice { text } = event { Some(text) } else { None };
        self.ui.events().into_iter().filter_map(text).collect()
    }

    fn compactions(&self) -> usize {
        self.ui.events().iter().filter(|event| matches!(event, Event::Compacted(_))).count()
    }
}

fn answers(count: usize) -> Vec<Vec<Step>> {
    (0..count).map(|_| ScriptedProvider::text(LONG)).collect()
}

fn ends(text: &str, finish: FinishReason) -> Vec<Step> {
    let events =
        [ChatEvent::Reasoning("hm".into()), ChatEvent::Text(text.into()), ChatEvent::Finished(finish)];
    events.into_iter().map(Step::Event).collect()
}

#[tokio::test]
async fn a_summary_takes_the_place_of_all_but_the_last_questions() {
    let mut replies = answers(5);
    replies.extend([ScriptedProvider::text(" the notes \n"), ScriptedProvider::text("fine")]);
    let mut bench = Bench::new(replies, |options| {
        options.sampling.insert("max_tokens".into(), 4096.into());
    });
    for n in 0..5 {
        bench.ask(&format!("question {n}")).await;
    }
    let before = bench.session.history().messages().to_vec();
    let compacted = bench.compact("the names").await.unwrap();
    assert_eq!((compacted.id.as_str(), compacted.summary.as_str()), ("c1", "the notes"));
    assert_eq!(compacted.messages, (10, 8));
    assert!(compacted.tokens.1 < compacted.tokens.0, "{:?}", compacted.tokens);
    // It is asked behind the very messages that it replaces, with the same tools, so that they are in the cache.
    let asked = bench.seen().remove(5);
    assert_eq!((&asked.messages[..5], &asked.tools), (&before[..5], &bench.seen()[4].tools));
    let Some(Message::User(wish)) = asked.messages.last() else { panic!("the wish is the user's") };
    assert!(wish.starts_with("Sum up") && wish.ends_with("\nAbove all keep: the names"), "{wish}");
    let summary = Message::User("[summary of the conversation so far, archived as c1]\nthe notes".into());
    let expected = [&before[..1], &[summary, Message::assistant("Understood.")], &before[5..]].concat();
    assert_eq!(bench.session.history().messages(), expected);
    // What was taken out is archived and saved.
    assert_eq!(bench.session.archive().get("c1").unwrap().messages, before[1..5]);
    let saved = bench.store.load(bench.session.id()).await.unwrap();
    assert_eq!(saved.messages, expected);
    assert_eq!(
        (saved.compressions[0].id.as_str(), &saved.compressions[0].messages[..]),
        ("c1", &before[1..5])
    );
    assert_eq!(bench.ask("go on").await, "fine");
    assert!(bench.seen()[6].messages.starts_with(&expected));
}

#[tokio::test]
async fn without_anything_to_sum_up_no_model_is_asked() {
    let mut replies = answers(4);
    replies.push(ScriptedProvider::text("notes"));
    let mut bench = Bench::new(replies, |_| {});
    assert_eq!(bench.compact("").await, Err("nothing to compact".into()));
    bench.ask("one").await;
    for _ in 0..2 {
        assert_eq!(bench.compact("").await, Err("nothing to compact".into()));
    }
    for question in ["two", "three", "four"] {
        bench.ask(question).await;
    }
    assert!(bench.compact("").await.is_ok());
    assert_eq!(bench.compact("").await, Err("nothing to compact".into()), "a summary alone is none");
    assert_eq!(bench.seen().len(), 5);
}

/// Rows of (the reply to the wish for a summary, what is told).
#[tokio::test]
async fn what_is_no_summary_changes_nothing() {
    let rows = [
        (
            ends(" ", FinishReason::Length),
            "the summary is empty: the model reasoned until the limit, 1200 tokens — raise context.summaryMaxTokens",
        ),
        (ends(" \n", FinishReason::Stop), "the summary is empty"),
        (
            ends("half", FinishReason::Length),
            "the summary was cut off after 1200 tokens — raise context.summaryMaxTokens",
        ),
        (
            ScriptedProvider::calls(&[("a", "look", "{}")]),
            "the model called look instead of writing a summary",
        ),
        (
            ends("x", FinishReason::Other("content_filter".into())),
            "the server ended the summary: content_filter",
        ),
        (
            vec![Step::Fail(ProviderError::Server { message: "boom".into() })],
            "the summary failed: the server reports: boom",
        ),
        (
            ScriptedProvider::text(&LONG.repeat(9)),
            "the summary is not shorter than what it would replace (~218 tokens for ~68)",
        ),
    ];
    for (reply, told) in rows {
        let mut replies = answers(5);
        replies.push(reply);
        let mut bench = Bench::new(replies, |_| {});
        for n in 0..5 {
            bench.ask(&format!("question {n}")).await;
        }
        let before = bench.session.history().clone();
        assert_eq!(bench.compact("").await.unwrap_err(), told);
        assert_eq!(bench.session.history(), &before, "{told}");
        assert!(bench.session.archive().all().is_empty());
        let errors = bench.store.load(bench.session.id()).await.unwrap().errors;
        let errors: Vec<_> = errors.iter().map(|e| (e.kind.as_str(), e.message.as_str())).collect();
        let is_failure = !told.contains("not shorter");
        let expected: &[_] = if is_failure { &[("compression", told)] } else { &[] };
        assert_eq!(errors, expected);
    }
}

#[tokio::test]
async fn an_interrupted_summary_changes_nothing() {
    let mut replies = answers(5);
    replies.push(vec![Step::Event(ChatEvent::Text("no".into())), Step::Hang]);
    let mut bench = Bench::new(replies, |_| {});
    for n in 0..5 {
        bench.ask(&format!("question {n}")).await;
    }
    let before = bench.session.history().clone();
    let cancel = CancellationToken::new();
    let Bench { session, ui, .. } = &mut bench;
    let compacting = session.compact("", ui, &cancel);
    let (result, ()) = tokio::join!(compacting, async {
        tokio::task::yield_now().await;
        cancel.cancel();
    });
    assert!(result.unwrap_err().is_interrupted());
    assert_eq!(bench.session.history(), &before);
}

fn enabled(options: &mut SessionOptions) {
    options.compact.enabled = true;
    options.compact.keep_last_turns = 1;
    options.compact.max_messages = 0;
}

#[tokio::test]
async fn it_comes_by_itself_before_the_question_that_would_be_too_much() {
    // Nobody counts, and one server counts what it left after a cut.
    for usage in [None, Some(Usage { prompt: Some(3), completion: Some(1), ..Usage::default() })] {
        let counted = |text: &str| {
            let mut steps = ScriptedProvider::text(text);
            if let Some(usage) = usage {
                steps.insert(1, Step::Event(ChatEvent::Usage(usage)));
            }
            steps
        };
        let replies = vec![counted(LONG), counted(LONG), counted(LONG), counted("notes"), counted("last")];
        let mut bench = Bench::new(replies, |options| {
            enabled(options);
            options.window = Some(200);
        });
        for n in 0..3 {
            bench.ask(&format!("question {n}")).await;
        }
        assert_eq!(bench.compactions(), 0);
        assert_eq!(bench.ask(&"question ".repeat(20)).await, "last");
        assert_eq!(bench.compactions(), 1, "{:?}", bench.ui.events());
    }
}

#[tokio::test]
async fn the_counts_of_the_server_call_for_it_too_and_so_does_the_number_of_messages() {
    let full = |prompt| {
        let mut steps = ScriptedProvider::text("short");
        steps.insert(1, Step::Event(ChatEvent::Usage(Usage { prompt: Some(prompt), ..Usage::default() })));
        steps
    };
    let replies = || vec![full(10), full(9_000), ScriptedProvider::text("n"), full(10)];
    let mut by_counts = Bench::new(replies(), |options| {
        enabled(options);
        options.window = Some(10_000);
    });
    let mut by_messages = Bench::new(replies(), |options| {
        enabled(options);
        options.compact.max_messages = 4;
    });
    for bench in [&mut by_counts, &mut by_messages] {
        // What is replaced is longer than its summary.
        for question in [LONG, "two", "three"] {
            bench.ask(question).await;
        }
        assert_eq!((bench.compactions(), bench.notices()), (1, vec![]), "{:?}", bench.seen().len());
    }
}

/// The system message alone is above the threshold, so that no compression can help.
#[tokio::test]
async fn where_it_cannot_help_it_comes_once_and_the_questions_are_answered() {
    let notes = || ScriptedProvider::text("n");
    let mut replies = answers(3);
    replies.push(notes());
    replies.extend(answers(4));
    replies.push(notes());
    replies.extend(answers(2));
    let mut bench = Bench::new(replies, |options| {
        enabled(options);
        options.system = Some("x".repeat(4_800));
        (options.window, options.compact.threshold) = (Some(2_048), 50);
    });
    // What is there before is less than a fifth of the conversation: not begun.
    for n in 0..3 {
        assert_eq!(bench.ask(&format!("question {n}")).await, LONG);
    }
    assert_eq!((bench.compactions(), bench.seen().len()), (0, 3));
    assert_eq!(bench.notices(), [""; 0]);
    bench.session.hold_until = 0;
    bench.session.history.question("y".repeat(2_000));
    bench.session.history.reply(LONG, &[]);
    bench.session.history.question("kept");
    bench.session.history.reply("short", &[]);
    assert_eq!(bench.ask("question").await, LONG);
    assert_eq!((bench.compactions(), bench.notices().len()), (1, 1));
    let notice = &bench.notices()[0];
    assert!(
        notice.starts_with("the conversation is still above context.threshold: ~1")
            && notice.contains("of 2048 tokens (50% are 1024)"),
        "{notice}"
    );
    assert_eq!(bench.ask("another").await, LONG);
    assert_eq!(bench.compactions(), 1, "not again before it has grown by a fifth");
    // Once it has grown it is compressed again. It waits as it did the first time, and is not told again.
    for _ in 0..3 {
        assert_eq!(bench.ask(&"z".repeat(2_600)).await, LONG);
    }
    assert_eq!((bench.compactions(), bench.notices().len()), (2, 1));
    assert_eq!(bench.ask("short").await, LONG);
    assert_eq!((bench.compactions(), bench.notices().len()), (2, 1));
}

#[tokio::test]
async fn a_failure_is_told_the_question_is_answered_and_it_is_not_tried_at_once_again() {
    let mut replies = answers(9);
    replies.push(ends("", FinishReason::Length));
    replies.extend(answers(2));
    let mut bench = Bench::new(replies, |options| {
        enabled(options);
        options.window = Some(400);
    });
    for n in 0..11 {
        assert_eq!(bench.ask(&format!("question {n}")).await, LONG, "{n}");
    }
    let told =
        "the conversation was not compressed: the summary is empty: the model reasoned until the limit";
    assert_eq!(bench.notices().len(), 1, "{:?}", bench.notices());
    assert!(bench.notices()[0].starts_with(told), "{:?}", bench.notices());
}

fn overflow() -> Vec<Step> {
    let error =
        ProviderError::ContextOverflow { prompt: Some(9), window: Some(8), message: "too long".into() };
    vec![Step::Fail(error)]
}

#[tokio::test]
async fn what_does_not_fit_is_compressed_once_and_asked_again() {
    let mut replies = answers(3);
    replies.extend([overflow(), ScriptedProvider::text("notes"), ScriptedProvider::text("now it fits")]);
    replies.extend([overflow(), ScriptedProvider::text("notes"), overflow()]);
    let mut bench = Bench::new(replies, enabled);
    for n in 0..3 {
        bench.ask(&format!("question {n}")).await;
    }
    assert_eq!(bench.ask("one more").await, "now it fits");
    assert_eq!(bench.compactions(), 1);
    let last = bench.seen().pop().unwrap().messages;
    assert_eq!(last.last(), Some(&Message::User("one more".into())), "the question is not lost");
    // The second time in a turn is an error.
    assert_eq!(bench.ask(LONG).await, "!too long (prompt 9 tokens, window 8)");
    let mut off = Bench::new(answers(3).into_iter().chain([overflow()]).collect(), |_| {});
    for n in 0..3 {
        off.ask(&format!("question {n}")).await;
    }
    assert_eq!(off.ask("one more").await, "!too long (prompt 9 tokens, window 8)");
    assert_eq!(off.seen().len(), 4, "not without context.enabled");
}

/// A summary of messages that do not fit the window is asked for with what is long in them shortened.
#[tokio::test]
async fn what_is_summed_up_is_shortened_where_it_would_not_fit() {
    let mut replies = answers(3);
    replies.push(ScriptedProvider::text("notes"));
    let mut bench = Bench::new(replies, |options| {
        enabled(options);
        options.window = Some(3_000);
    });
    bench.ask(&"long ".repeat(4_000)).await;
    bench.ask("two").await;
    bench.ask("three").await;
    assert!(bench.compact("").await.is_ok());
    let asked = bench.seen().pop().unwrap().messages;
    let Message::User(first) = &asked[1] else { panic!() };
    assert!(first.len() < 2_100 && first.ends_with(" […]"), "{}", first.len());
    assert_eq!(check_valid(&asked), Ok(()));
    let Message::User(kept) = &bench.session.archive().get("c1").unwrap().messages[0] else { panic!() };
    assert_eq!(kept.len(), 20_000, "the archive has all of it");
}

/// What the server's chat template adds fills the window too: the first call tells how much that is.
#[tokio::test]
async fn what_the_template_adds_counts_where_a_summary_must_fit() {
    let counted = |prompt| {
        let mut steps = ScriptedProvider::text(LONG);
        steps.insert(1, Step::Event(ChatEvent::Usage(Usage { prompt: Some(prompt), ..Usage::default() })));
        steps
    };
    for (template, is_shortened) in [(0, false), (2_000, true)] {
        let mut replies = vec![counted(1_000 + template)];
        replies.extend(answers(2));
        replies.push(ScriptedProvider::text("notes"));
        let mut bench = Bench::new(replies, |options| {
            options.compact.keep_last_turns = 1;
            options.window = Some(4_000);
        });
        bench.ask(&"x".repeat(4_000)).await;
        bench.ask("two").await;
        bench.ask("three").await;
        assert!(bench.compact("").await.is_ok());
        let asked = bench.seen().pop().unwrap().messages;
        let Message::User(first) = &asked[1] else { panic!() };
        assert_eq!(first.ends_with(" […]"), is_shortened, "{template}");
    }
}

#[tokio::test]
async fn a_second_compression_archives_the_first_summary_with_the_rest() {
    let mut replies = answers(2);
    replies.push(ScriptedProvider::text("first"));
    replies.extend(answers(2));
    replies.push(ScriptedProvider::text("second"));
    let mut bench = Bench::new(replies, |options| options.compact.keep_last_turns = 1);
    bench.ask(LONG).await;
    bench.ask("two").await;
    bench.compact("").await.unwrap();
    bench.ask(LONG).await;
    bench.ask("four").await;
    assert_eq!(bench.compact("").await.unwrap().id, "c2");
    let block = bench.session.archive().get("c2").unwrap();
    assert_eq!(block.messages[0], Message::User(format!("{SUMMARY} c1]\nfirst")));
    let Message::User(summary) = &bench.session.history().messages()[1] else { panic!() };
    assert_eq!(summary, &format!("{SUMMARY} c2]\nsecond"));
}

/// Whatever a server counts, nothing of it is added up beyond what a number can hold.
#[tokio::test]
async fn counts_that_cannot_be_are_no_fault() {
    let huge = || {
        let mut steps = ScriptedProvider::text(LONG);
        let usage = Usage {
            prompt: Some(u64::MAX),
            completion: Some(u64::MAX),
            cached: Some(u64::MAX),
            ..Usage::default()
        };
        steps.insert(1, Step::Event(ChatEvent::Usage(usage)));
        steps
    };
    let notes = || ScriptedProvider::text("n");
    let replies = vec![huge(), huge(), notes(), huge(), notes(), huge()];
    let mut bench = Bench::new(replies, |options| {
        enabled(options);
        options.window = Some(u64::MAX);
    });
    for n in 0..4 {
        assert_eq!(bench.ask(&format!("question {n}")).await, LONG);
    }
    assert_eq!((bench.session.stats().all.cached_percent(), bench.session.tokens()), (Some(100), u64::MAX));
}

#[tokio::test]
async fn the_last_question_is_taken_back_with_all_that_came_of_it() {
    let mut replies = answers(1);
    replies.extend([
        ScriptedProvider::calls(&[("a", "look", "{}")]),
        ScriptedProvider::text("done"),
        ScriptedProvider::text("again"),
    ]);
    let mut bench = Bench::new(replies, |_| {});
    bench.ask("one").await;
    let before = bench.session.history().clone();
    bench.ask("two").await;
    assert_eq!(bench.session.answers().back(0).as_deref(), Some("done"));
    assert_eq!(bench.session.take_back(&bench.ui).await.as_deref(), Some("two"));
    assert_eq!(bench.session.history(), &before);
    assert_eq!(bench.session.answers().back(0).as_deref(), Some(LONG));
    assert_eq!(bench.store.load(bench.session.id()).await.unwrap().messages, before.messages());
    assert_eq!(bench.ask("three").await, "again");
    assert_eq!(bench.session.take_back(&bench.ui).await.as_deref(), Some("three"));
    assert_eq!(bench.session.take_back(&bench.ui).await.as_deref(), Some("one"));
    assert_eq!(bench.session.take_back(&bench.ui).await, None);
    assert_eq!(bench.session.history().messages().len(), 1);
}
