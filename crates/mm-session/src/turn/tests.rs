use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mm_hooks::testing::ScriptedHooks;
use mm_hooks::{Decision, HookOutcome, HookRun, HookVerdict};
use mm_llm::testing::{ScriptedProvider, Step};
use mm_llm::{ChatEvent, FinishReason, Message, ProviderError, Usage};
use mm_tools::testing::ScriptedTool;
use mm_tools::{Preview, Tool, ToolContext, ToolOutput, ToolSet};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::store::{MemoryStore, SessionStore};
use crate::testing::{RecordingFrontend, check_valid};
use crate::{Confirmation, SessionOptions, SessionParts};

/// A session with the tools `bash` (changes things) and `look` (reads), both of which answer `done`.
struct Bench {
    session: Session,
    provider: Arc<ScriptedProvider>,
    bash: Arc<ScriptedTool>,
    ui: RecordingFrontend,
}

impl Bench {
    fn new(replies: Vec<Vec<Step>>) -> Self {
        Self::with(replies, ScriptedHooks::default(), |_| {})
    }

    fn with(replies: Vec<Vec<Step>>, hooks: ScriptedHooks, change: impl FnOnce(&mut SessionOptions)) -> Self {
        let provider = Arc::new(ScriptedProvider::new(replies));
        let parameters =
            json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]});
        let outputs = || (0..50).map(|n| ToolOutput::ok(format!("done {n}")));
        let bash = Arc::new(ScriptedTool::mutating("bash", outputs()).with_parameters(parameters));
        let mut tools = ToolSet::new();
        tools.add(bash.clone()).unwrap();
        tools.add(Arc::new(ScriptedTool::reading("look", outputs()))).unwrap();
        let parts = SessionParts { tools, hooks: Arc::new(hooks), ..SessionParts::new(provider.clone()) };
        let mut options = SessionOptions::new("m", "/w");
        options.sampling.insert("max_tokens".into(), json!(64));
        change(&mut options);
        Self { session: Session::new(parts, options), provider, bash, ui: RecordingFrontend::default() }
    }

    async fn ask(&mut self, question: &str) -> String {
        let result = self.session.turn(question, &self.ui, &CancellationToken::new()).await;
        assert_eq!(
            check_valid(&[self.session.history().messages(), &[Message::User("next".into())]].concat()),
            Ok(())
        );
        result.map_or_else(|error| format!("!{error}"), |answer| answer.text)
    }

    /// The texts of all results in the history.
    fn results(&self) -> Vec<String> {
        let messages = self.session.history().messages().iter();
        messages
            .filter_map(|m| if let Message::Tool { text, .. } = m { Some(text.clone()) } else { None })
            .collect()
    }

    fn finished(&self) -> Vec<(String, bool)> {
        let events = self.ui.events().into_iter();
        events
            .filter_map(
                |e| if let Event::ToolFinished { name, ok, .. } = e { Some((name, ok)) } else { None },
            )
            .collect()
    }
}

fn bash(id: &str, command: &str) -> Vec<Step> {
    ScriptedProvider::calls(&[(id, "bash", &json!({ "command": command }).to_string())])
}

fn cut(arguments: &str) -> Vec<Step> {
    let mut steps = ScriptedProvider::calls(&[("c", "bash", arguments)]);
    steps.pop();
    steps.push(Step::Event(ChatEvent::Finished(FinishReason::Length)));
    steps
}

fn empty(finish: FinishReason) -> Vec<Step> {
    vec![Step::Event(ChatEvent::Reasoning("hm".into())), Step::Event(ChatEvent::Finished(finish))]
}

#[tokio::test]
async fn a_call_is_run_and_the_answer_uses_it() {
    let mut bench = Bench::new(vec![bash("a", "ls"), ScriptedProvider::text("two files")]);
    assert_eq!(bench.ask("Which files?").await, "two files");
    assert_eq!(bench.bash.calls(), [json!({"command": "ls"})]);
    let seen = bench.provider.seen();
    assert!(seen[1].messages.starts_with(&seen[0].messages));
    assert_eq!(seen[0].tools, seen[1].tools);
    assert_eq!(seen[1].messages[3], Message::Tool { call_id: "a".into(), text: "done 0".into() });
    let events = bench.ui.events();
    let order = [
        Event::TurnStarted { question: "Which files?".into() },
        Event::Waiting,
        Event::WritingCall { name: "bash".into() },
    ];
    assert_eq!(events[..3], order);
    assert_eq!(
        events.last(),
        Some(&Event::TurnEnded { outcome: Outcome::Answered, usage: Usage::default() })
    );
}

/// Rows of (replies, the answer, the results that the model saw).
#[tokio::test]
async fn odd_replies_have_the_right_end() {
    let text = ScriptedProvider::text;
    let call = |name: &str, arguments: &str| ScriptedProvider::calls(&[("a", name, arguments)]);
    let rows: Vec<(&str, Vec<Vec<Step>>, &str, Vec<&str>)> = vec![
        (
            "unknown tool",
            vec![call("bahs", "{}"), text("ok")],
            "ok",
            vec!["[error: there is no tool bahs: the tools are bash, look]"],
        ),
        (
            "nearest first",
            vec![call("loook", "{}"), text("ok")],
            "ok",
            vec!["[error: there is no tool loook: the tools are look, bash]"],
        ),
        (
            "no JSON",
            vec![call("bash", r#"{"command": echo A}"#), text("ok")],
            "ok",
            vec![
                "[error: the arguments are not valid JSON: expected value at line 1, column 13, near `\"command\": echo A}`]",
            ],
        ),
        ("mended", vec![call("bash", "{'command': 'ls',}"), text("ok")], "ok", vec!["done 0"]),
        (
            "schema",
            vec![call("bash", r#"{"cmd": "ls"}"#), text("ok")],
            "ok",
            vec!["[error: the arguments do not fit the tool: \"command\" is a required property]"],
        ),
        ("coerced", vec![call("bash", r#"{"command": 5}"#), text("ok")], "ok", vec!["done 0"]),
        ("no arguments", vec![call("look", ""), text("ok")], "ok", vec!["done 0"]),
        (
            "cut calls",
            vec![cut("{\"command\": \"a"), cut("{\"command\": \"a"), cut("{\"command\": \"a")],
            "!the model hit max_tokens (64) while writing a tool call",
            vec![
                "[error: this call was cut off by max_tokens (64) and did not run. Do the work in several smaller calls, each well below that limit.]",
                "[error: this call was cut off by max_tokens (64) and did not run. Do the work in several smaller calls, each well below that limit.]",
                "[not run: the turn ended first]",
            ],
        ),
        ("empty once", vec![empty(FinishReason::Stop), text("ok")], "ok", vec![]),
        (
            "empty twice",
            vec![empty(FinishReason::Stop), empty(FinishReason::Stop)],
            "!the model answered nothing",
            vec![],
        ),
        (
            "only reasoning",
            vec![empty(FinishReason::Length)],
            "!the model reached max_tokens (64) while reasoning and gave no answer",
            vec![],
        ),
        (
            "server fails",
            vec![vec![
                Step::Event(ChatEvent::Text("par".into())),
                Step::Fail(ProviderError::Server { message: "boom".into() }),
            ]],
            "!the server reports: boom",
            vec![],
        ),
        (
            "a call that only half came",
            vec![vec![
                Step::Event(ChatEvent::CallStarted { slot: 0, id: "a".into(), name: "bash".into() }),
                Step::Event(ChatEvent::CallArguments { slot: 0, text: "{\"command\":\"ls\"}".into() }),
                Step::Fail(ProviderError::Server { message: "boom".into() }),
            ]],
            "!the server reports: boom",
            vec![],
        ),
    ];
    for (title, replies, expected, results) in rows {
        let mut bench = Bench::new(replies);
        assert_eq!(bench.ask("q").await, expected, "{title}");
        assert_eq!(bench.results(), results, "{title}");
    }
}

#[tokio::test]
async fn a_mended_call_is_shown_as_such_and_kept_mended() {
    let broken = ScriptedProvider::calls(&[("a", "bash", "{'command': 'ls'}")]);
    let mut bench = Bench::new(vec![broken, ScriptedProvider::text("ok")]);
    bench.ask("q").await;
    assert!(bench.ui.events().iter().any(|e| matches!(e, Event::ToolStarted { mended: true, .. })));
    let Message::Assistant { calls, .. } = &bench.session.history().messages()[2] else { panic!() };
    assert_eq!(calls[0].arguments, r#"{"command":"ls"}"#);
}

#[tokio::test]
async fn max_turns_keeps_what_was_done_and_continue_works() {
    let replies = vec![bash("a", "1"), bash("b", "2"), ScriptedProvider::text("went on")];
    let mut bench = Bench::with(replies, ScriptedHooks::default(), |options| options.max_turns = 2);
    assert_eq!(bench.ask("q").await, "!the model used all maxTurns (2) calls without a final answer");
    assert_eq!(bench.results(), ["done 0", "done 1"]);
    assert_eq!(bench.ask("continue").await, "went on");
}

#[tokio::test]
async fn text_that_broke_off_stays_in_the_history() {
    let broken = vec![
        Step::Event(ChatEvent::Text("The answer is for".into())),
        Step::Fail(ProviderError::Server { message: "boom".into() }),
    ];
    let mut bench = Bench::new(vec![broken, ScriptedProvider::text("42")]);
    assert_eq!(bench.ask("q").await, "!the server reports: boom");
    let kept = Message::assistant("The answer is for\n[no answer: the turn failed]");
    assert_eq!(bench.session.history().messages().last(), Some(&kept));
    assert_eq!(bench.ask("again").await, "42");
}

#[tokio::test(start_paused = true)]
async fn an_interruption_closes_the_calls_and_the_next_question_works() {
    let hang = vec![Step::Event(ChatEvent::Text("so ".into())), Step::Hang];
    let mut bench = Bench::new(vec![bash("a", "ls"), hang, ScriptedProvider::text("fine")]);
    let cancel = CancellationToken::new();
    let stop = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(bench.session.turn("q", &bench.ui, &cancel), stop);
    assert!(result.unwrap_err().is_interrupted());
    let last = bench.session.history().messages().last().cloned();
    assert_eq!(last, Some(Message::assistant("so\n[interrupted by the user]")));
    assert_eq!(bench.ask("again").await, "fine");
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_told() {
    let mut bench = Bench::new(vec![vec![Step::Hang]]);
    assert_eq!(bench.ask("q").await, "!no first token from the server after 3m");
}

#[tokio::test]
async fn without_yolo_the_user_decides() {
    let replies = |n: usize| {
        (0..n)
            .map(|n| bash(&format!("c{n}"), &format!("{n}")))
            .chain([ScriptedProvider::text("ok")])
            .collect()
    };
    let rows: Vec<(Vec<Confirmation>, usize, Vec<&str>)> = vec![
        (vec![Confirmation::Once, Confirmation::Refuse], 2, vec!["done 0", "[refused by the user]"]),
        (vec![Confirmation::Session], 1, vec!["done 0", "done 1"]),
        (
            vec![Confirmation::Never],
            1,
            vec![
                "[refused by the user, who does not allow this tool in this session]",
                "[refused: the user does not allow this tool in this session]",
            ],
        ),
        (
            vec![Confirmation::Nobody("nobody can confirm this call in -p mode".into()), Confirmation::Once],
            2,
            vec!["[refused: nobody can confirm this call in -p mode]", "done 0"],
        ),
    ];
    for (answers, asked, results) in rows {
        let mut bench = Bench::with(replies(2), ScriptedHooks::default(), |options| options.yolo = false);
        bench.ui = RecordingFrontend::new(answers);
        assert_eq!(bench.ask("q").await, "ok");
        assert_eq!(
            (bench.ui.asked().len(), bench.results()),
            (asked, results.iter().map(|r| r.to_string()).collect())
        );
    }
}

#[tokio::test]
async fn reading_calls_that_are_neighbours_overlap_and_keep_their_order() {
    let calls =
        [("a", "look", "{}"), ("b", "look", "{}"), ("c", "bash", r#"{"command":"x"}"#), ("d", "look", "{}")];
    let mut bench = Bench::new(vec![ScriptedProvider::calls(&calls), ScriptedProvider::text("ok")]);
    bench.ask("q").await;
    let names: Vec<String> = bench.finished().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["look", "look", "bash", "look"]);
    let events = bench.ui.events();
    let started: Vec<usize> =
        (0..events.len()).filter(|n| matches!(events[*n], Event::ToolStarted { .. })).collect();
    assert_eq!(started[1], started[0] + 1, "both are taken up before either is done");
    assert_eq!(bench.results(), ["done 0", "done 1", "done 0", "done 2"]);
}

#[tokio::test]
async fn hooks_rewrite_refuse_and_stop() {
    let outcome = HookOutcome::default;
    let stop = || HookOutcome { decision: Decision::Stop { reason: "broken".into() }, ..outcome() };
    let rows: Vec<(&'static str, HookOutcome, &str, Vec<&str>)> = vec![
        ("preGeneration", HookOutcome::deny("not now"), "!a hook refused the question: not now", vec![]),
        ("preGeneration", stop(), "!a hook failed: broken", vec![]),
        ("preToolCall", HookOutcome::deny("no"), "ok", vec!["[refused by a hook: no]"]),
        (
            "preToolCall",
            HookOutcome { decision: Decision::Ask, ..outcome() },
            "ok",
            vec!["[refused by the user]"],
        ),
        ("preToolCall", stop(), "!a hook failed: broken", vec!["[not run: the turn ended first]"]),
        (
            "preToolCall",
            HookOutcome { arguments: Some(json!({"cmd": 1})), ..outcome() },
            "ok",
            vec![
                "[error: a hook rewrote the arguments: the arguments do not fit the tool: \"command\" is a required property]",
            ],
        ),
        (
            "preToolCall",
            HookOutcome { context: Some("c".into()), ..outcome() },
            "ok",
            vec!["done 0\n\n[from a hook]\nc"],
        ),
        ("postToolCall", HookOutcome { result: Some("other".into()), ..outcome() }, "ok", vec!["other"]),
        (
            "postToolCall",
            HookOutcome { context: Some("c".into()), ..outcome() },
            "ok",
            vec!["done 0\n\n[from a hook]\nc"],
        ),
        (
            "preToolCall",
            HookOutcome { arguments: Some(json!({"cmd": 1})), ..HookOutcome::deny("no") },
            "ok",
            vec!["[refused by a hook: no]"],
        ),
        (
            "postToolCall",
            stop(),
            "!a hook failed: broken",
            vec!["[the call ran, and its result is kept back: a hook failed]"],
        ),
        ("postGeneration", stop(), "!a hook failed: broken", vec!["done 0"]),
        ("postGeneration", HookOutcome::deny("too late"), "ok", vec!["done 0"]),
    ];
    for (event, outcome, expected, results) in rows {
        let told = format!("{event} {outcome:?}");
        let replies = vec![bash("a", "ls"), ScriptedProvider::text("ok")];
        let mut bench = Bench::with(replies, ScriptedHooks::new([(event, outcome)]), |_| {});
        assert_eq!(bench.ask("q").await, expected, "{told}");
        assert_eq!(bench.results(), results, "{told}");
    }
}

/// A tool that only reads unless it is told to `change`, and counts its calls that run at the same time.
#[derive(Debug)]
struct Counting {
    definition: mm_schema::ToolSpec,
    running: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait::async_trait]
impl Tool for Counting {
    fn definition(&self) -> &mm_schema::ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        if args["change"] == true { Preview::mutating("x") } else { Preview::reading("x") }
    }

    async fn run(&self, _args: &Value, _cx: &ToolContext) -> ToolOutput {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        ToolOutput::ok("done")
    }
}

/// Rows of (the call that a hook makes a change of, how many run at most at the same time).
#[tokio::test]
async fn a_call_that_a_hook_made_a_change_of_runs_alone() {
    for (changed, most) in [(None, 3), (Some(0), 2), (Some(1), 1), (Some(2), 2)] {
        let outcome = |n| HookOutcome {
            arguments: (Some(n) == changed).then(|| json!({"change": true})),
            ..Default::default()
        };
        let hooks = ScriptedHooks::new((0..3).map(|n| ("preToolCall", outcome(n))));
        let calls = ["a", "b", "c"].map(|id| (id, "count", "{}"));
        let replies = vec![ScriptedProvider::calls(&calls), ScriptedProvider::text("ok")];
        let mut bench = Bench::with(replies, hooks, |_| {});
        let definition = mm_schema::ToolSpec {
            name: "count".into(),
            description: String::new(),
            parameters: json!({"type": "object", "properties": {"change": {"type": "boolean"}}}),
        };
        let count = Arc::new(Counting { definition, running: Default::default(), most: Default::default() });
        bench.session.parts.tools.add(count.clone()).unwrap();
        assert_eq!(bench.ask("q").await, "ok");
        assert_eq!(bench.results(), ["done"; 3], "{changed:?}");
        assert_eq!(count.most.load(Ordering::SeqCst), most, "{changed:?}");
    }
}

#[tokio::test]
async fn a_hook_that_ends_the_turn_takes_no_result_from_the_neighbours() {
    let stop = HookOutcome { decision: Decision::Stop { reason: "broken".into() }, ..Default::default() };
    let calls = ["a", "b"].map(|id| (id, "look", "{}"));
    let replies = vec![ScriptedProvider::calls(&calls), ScriptedProvider::text("ok")];
    let mut bench = Bench::with(replies, ScriptedHooks::new([("postToolCall", stop)]), |_| {});
    assert_eq!(bench.ask("q").await, "!a hook failed: broken");
    let kept_back = "[the call ran, and its result is kept back: a hook failed]";
    assert_eq!(bench.results(), [kept_back, "done 1"]);
    assert_eq!(bench.finished(), [("look".to_owned(), false), ("look".to_owned(), true)]);
}

#[tokio::test]
async fn a_question_that_a_hook_refused_is_kept_nowhere() {
    let store = Arc::new(MemoryStore::default());
    let hooks = ScriptedHooks::new([("preGeneration", HookOutcome::deny("not now"))]);
    let mut bench = Bench::with(vec![ScriptedProvider::text("a")], hooks, |_| {});
    bench.session.parts.store = Some(store.clone());
    bench.ask("secret").await;
    assert!(store.list().await.unwrap().is_empty());
    assert_eq!(bench.ask("q").await, "a");
    assert_eq!(store.list().await.unwrap()[0].head.as_ref().unwrap().title, "q");
    let sent = format!("{:?}", bench.provider.seen());
    assert!(!sent.contains("secret") && !sent.contains("not now"), "{sent}");
}

#[tokio::test]
async fn a_hook_that_asks_does_not_undo_what_the_user_said_for_the_session() {
    let ask = || ("preToolCall", HookOutcome { decision: Decision::Ask, ..Default::default() });
    let rows = [
        (Confirmation::Session, vec!["done 0", "[refused by the user]"], 2),
        (
            Confirmation::Never,
            vec![
                "[refused by the user, who does not allow this tool in this session]",
                "[refused: the user does not allow this tool in this session]",
            ],
            1,
        ),
        (Confirmation::Nobody("x".into()), vec!["[refused: x]", "[refused by the user]"], 2),
    ];
    for (answer, results, asked) in rows {
        let replies = vec![bash("a", "ls"), bash("b", "ls"), ScriptedProvider::text("ok")];
        let mut bench = Bench::with(replies, ScriptedHooks::new([ask(), ask()]), |_| {});
        bench.ui = RecordingFrontend::new([answer]);
        bench.ask("q").await;
        assert_eq!(
            (bench.results(), bench.ui.asked().len()),
            (results.iter().map(|r| r.to_string()).collect(), asked)
        );
    }
}

#[tokio::test]
async fn what_hooks_add_is_for_the_model_alone() {
    let context = |text: &str| HookOutcome { context: Some(text.into()), ..Default::default() };
    let deny = HookOutcome { context: Some("[secret]".into()), ..HookOutcome::deny("no") };
    let rows = [
        (
            vec![("preToolCall", context("[secret]")), ("postToolCall", context("[more]"))],
            "done 0",
            "\n\n[from a hook]\n[secret]\n\n[from a hook]\n[more]",
        ),
        (vec![("preToolCall", deny)], "[refused by a hook: no]", "\n\n[from a hook]\n[secret]"),
    ];
    for (outcomes, shown, added) in rows {
        let replies = vec![bash("a", "ls"), ScriptedProvider::text("ok")];
        let mut bench = Bench::with(replies, ScriptedHooks::new(outcomes), |_| {});
        bench.ask("q").await;
        assert_eq!(bench.results(), [format!("{shown}{added}")]);
        let told = format!("{:?}", bench.ui.events());
        assert!(told.contains(&format!("result: {shown:?}")) && !told.contains("secret"), "{told}");
    }
}

#[tokio::test]
async fn hooks_know_where_they_are_and_are_told_of() {
    let run = HookRun { command: "./c".into(), verdict: HookVerdict::Ask, context_len: 3 };
    let hooks = ScriptedHooks::new([(
        "preToolCall",
        HookOutcome { ran: vec![run], notices: vec!["n".into()], ..Default::default() },
    )]);
    let replies = vec![bash("a", "ls"), ScriptedProvider::text("ok")];
    let mut bench = Bench::with(replies, hooks, |options| options.agent = "bob".into());
    bench.ask("q").await;
    let events = bench.ui.events();
    let at = events.iter().position(|event| matches!(event, Event::HookRan { .. })).unwrap();
    let expected = Event::HookRan {
        event: "preToolCall",
        target: Some("bash".into()),
        command: "./c".into(),
        verdict: HookVerdict::Ask,
        context_len: 3,
    };
    assert_eq!((&events[at], &events[at + 1]), (&expected, &Event::Notice { text: "n".into() }));
    assert!(matches!(events[at + 2], Event::ToolStarted { .. }));
}

#[tokio::test]
async fn hooks_replace_the_question_and_the_arguments() {
    let hooks = ScriptedHooks::new([
        (
            "preGeneration",
            HookOutcome { prompt: Some("p".into()), context: Some("c".into()), ..Default::default() },
        ),
        (
            "preToolCall",
            HookOutcome {
                arguments: Some(json!({"command": 7})),
                notices: vec!["n".into()],
                ..Default::default()
            },
        ),
    ]);
    let mut bench = Bench::with(vec![bash("a", "ls"), ScriptedProvider::text("ok")], hooks, |_| {});
    bench.ask("q").await;
    assert_eq!(bench.provider.seen()[0].messages[1], Message::User("p\n\n[from a hook]\nc".into()));
    assert_eq!(bench.bash.calls(), [json!({"command": "7"})], "rewritten arguments are checked like others");
    assert!(bench.ui.events().contains(&Event::Notice { text: "n".into() }));
}

#[tokio::test]
async fn each_turn_is_saved_in_one_record() {
    let store = Arc::new(MemoryStore::default());
    let mut bench = Bench::new(vec![
        ScriptedProvider::text("a"),
        ScriptedProvider::text("b"),
        ScriptedProvider::text("c"),
    ]);
    bench.session.parts.store = Some(store.clone());
    bench.ask("one").await;
    bench.ask("two").await;
    let heads = store.list().await.unwrap();
    assert_eq!((heads.len(), heads[0].head.as_ref().unwrap().title.as_str()), (1, "one"));
    let record = store.load(&heads[0].id).await.unwrap();
    assert_eq!(record.messages, bench.session.history().messages());
    bench.session.restart();
    assert_eq!(bench.session.history().messages().len(), 1);
}

#[derive(Clone, Debug)]
enum Reply0 {
    Text,
    Empty,
    Call(&'static str, String),
    Two,
    Cut,
    Fail,
    HalfCall,
    Hang,
}

fn any_reply() -> impl Strategy<Value = Reply0> {
    prop_oneof![
        2 => Just(Reply0::Text),
        1 => Just(Reply0::Empty),
        4 => (prop_oneof![Just("bash"), Just("look"), Just("nope")], "\\{\"command\": ?(\"[a-c]\"|[a-c]|1)\\}?|\\{\\}|")
            .prop_map(|(name, arguments)| Reply0::Call(name, arguments)),
        2 => Just(Reply0::Two),
        1 => Just(Reply0::Cut),
        1 => Just(Reply0::Fail),
        1 => Just(Reply0::HalfCall),
        1 => Just(Reply0::Hang),
    ]
}

fn script(reply: &Reply0, n: usize) -> Vec<Step> {
    let id = format!("c{n}");
    let fail = || Step::Fail(ProviderError::Server { message: "boom".into() });
    match reply {
        Reply0::Text => ScriptedProvider::text("text"),
        Reply0::Empty => empty(FinishReason::Stop),
        Reply0::Call(name, arguments) => ScriptedProvider::calls(&[(&id, name, arguments)]),
        Reply0::Two => {
            ScriptedProvider::calls(&[(&id, "look", "{}"), ("second", "bash", r#"{"command":"x"}"#)])
        }
        Reply0::Cut => cut("{\"comm"),
        Reply0::Fail => vec![Step::Event(ChatEvent::Text("par".into())), fail()],
        Reply0::HalfCall => {
            vec![Step::Event(ChatEvent::CallStarted { slot: 0, id, name: "bash".into() }), fail()]
        }
        Reply0::Hang => vec![Step::Event(ChatEvent::Text("so".into())), Step::Hang],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn whatever_happens_the_history_is_valid_and_every_request_begins_with_the_one_before(
        replies in prop::collection::vec(any_reply(), 1..14),
        stops in prop::collection::vec(prop::option::of(0u64..3), 4),
        yolo in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let steps = replies.iter().enumerate().map(|(n, reply)| script(reply, n)).collect();
            let mut bench = Bench::with(steps, ScriptedHooks::default(), |options| options.yolo = yolo);
            bench.ui = RecordingFrontend::new((0..9).map(|n| if n % 2 == 0 { Confirmation::Once } else { Confirmation::Refuse }));
            for stop in stops {
                let cancel = CancellationToken::new();
                let timer = async {
                    if let Some(after) = stop {
                        tokio::time::sleep(Duration::from_secs(after)).await;
                        cancel.cancel();
                    }
                };
                let _ = tokio::join!(bench.session.turn("q", &bench.ui, &cancel), timer);
                let next = [bench.session.history().messages(), &[Message::User("next".into())]].concat();
                assert_eq!(check_valid(&next), Ok(()));
            }
            let seen = bench.provider.seen();
            for pair in seen.windows(2) {
                assert!(pair[1].messages.starts_with(&pair[0].messages), "{pair:?}");
                assert_eq!(check_valid(&pair[1].messages), Ok(()));
            }
        });
    }
}
