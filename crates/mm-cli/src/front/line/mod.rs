//! The line mode: a question a line.

mod edit;
mod input;
mod mention;
mod questions;
mod turns;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mm_config::Config;
use mm_session::{ConfirmRequest, Confirmation, Event, Frontend, TurnError};
use mm_tools::output::visible;
use mm_tools::{Asked, Question, RiskLevel};
use tokio_util::sync::CancellationToken;

use super::Presenter;
use crate::assemble::{self, Engine, Surroundings};
use crate::banner;
use crate::command::{self, Command, Flow};
use crate::error::CliError;
use crate::output::{Output, Writing};
use crate::render::{self, Look};
use crate::signals::{Signals, Wish};
use edit::{Commands, Edited, Files, Kind, Sessions, Source, Store};
use input::{Input, Typed};
use mention::Mentions;

/// How long an end may take when a stream is blocked.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a conversation in lines works with; commands get it too.
pub(crate) struct Line {
    pub(crate) engine: Engine,
    pub(crate) output: Output,
    /// The slash commands that there are.
    pub(crate) commands: Vec<&'static Command>,
    /// The ids of the sessions that were listed last: what is chosen by number is one of them.
    pub(crate) listed: Vec<String>,
    input: Arc<Input>,
    ui: Screen,
    signals: Signals,
    /// The questions of this conversation that can be taken back, as they were typed.
    asked: Vec<turns::Asked>,
    /// The exit code of the last turn: a script of questions sees a failure.
    code: u8,
    /// The user or the system ended the program itself.
    killed: bool,
}

/// Talks until the input ends or the user leaves; `choose` lets the user say first which session to go on with.
pub(crate) async fn run(
    engine: Engine,
    config: &Config,
    around: &Surroundings,
    choose: bool,
) -> Result<ExitCode, CliError> {
    let signals = Signals::new().map_err(|error| CliError::Engine(error.to_string()))?;
    let streams = engine.streams;
    let (output, writing) = Output::start(streams);
    let commands = command::all(config);
    let edited = edited(&output, &commands, &engine, around);
    let input = Arc::new(Input::new(edited, output.clone(), signals.interrupter()));
    let look = Look { lists_done: config.display_commands, ..super::look(config, streams) };
    let asks = streams.stdin_is_terminal.then(|| input.clone());
    let presenter = Presenter::new(output.clone(), look);
    let ui = Screen { presenter, output: output.clone(), colours: streams.dim, input: asks };
    let listed = Vec::new();
    let mut line = Line {
        engine,
        output,
        commands,
        listed,
        input,
        ui,
        signals,
        asked: Vec::new(),
        code: 0,
        killed: false,
    };
    if line.greet(config).await && (!choose || line.choose().await) {
        line.talk().await;
    }
    line.end(writing).await
}

/// Takes the terminal over, where there is one that can do more than write one line below the other.
fn edited(
    output: &Output,
    commands: &[&'static Command],
    engine: &Engine,
    around: &Surroundings,
) -> Option<Edited> {
    let streams = around.streams;
    if !(streams.stdin_is_terminal && streams.stdout_is_terminal && streams.moves) {
        return None;
    }
    let names = commands.iter().flat_map(|command| command.names()).map(|name| (*name).to_owned());
    let mut sources: Vec<Box<dyn Source>> = vec![
        Box::new(Commands(names.collect())),
        Box::new(Files { cwd: around.cwd.clone(), home: around.home.clone() }),
    ];
    if let Some(store) = engine.store.clone() {
        sources.push(Box::new(Sessions::new(store)));
    }
    Edited::start(output.clone(), sources, Store::of(&around.cwd, &around.env))
}

impl Line {
    /// Shows the banner; false when the user did not wait for it.
    async fn greet(&mut self, config: &Config) -> bool {
        tokio::select! {
            () = banner::show(&mut self.engine, config, &self.output) => true,
            _ = self.signals.next() => {
                self.killed = true;
                false
            }
        }
    }

    /// Lets the user choose the session to go on with; false when the user leaves instead.
    async fn choose(&mut self) -> bool {
        command::sessions::list(self).await;
        loop {
            match self.next_line("Which one? [number or id; empty: a new conversation] ", Kind::Choice).await
            {
                Next::Line(typed) if typed.trim().is_empty() => return true,
                Next::Line(typed) => {
                    if command::resume::go_on(self, typed.trim()).await {
                        return true;
                    }
                }
                Next::Bad(why) => {
                    self.failed(why).await;
                }
                Next::Question(_) | Next::Cleared => {}
                Next::End => return false,
                Next::Interrupt | Next::Killed => {
                    self.killed = true;
                    return false;
                }
            }
        }
    }

    async fn talk(&mut self) {
        let mut leaving = false;
        loop {
            match self.next_line("> ", Kind::Question).await {
                Next::Line(text) => {
                    leaving = false;
                    if self.obey(text.trim()).await == Flow::Leave || self.killed {
                        return;
                    }
                }
                Next::Question(text) => {
                    leaving = false;
                    if !text.trim().is_empty() && (self.ask(&text).await == Flow::Leave || self.killed) {
                        return;
                    }
                }
                Next::Cleared => leaving = false,
                Next::Interrupt if leaving || !self.engine.streams.stdin_is_terminal => {
                    self.killed = true;
                    return;
                }
                Next::Interrupt => {
                    leaving = true;
                    self.input.close().await;
                    // The terminal has shown ^C where it edits itself.
                    let begin = if self.input.is_edited() { "" } else { "\n" };
                    self.output.other(format!("{begin}(Ctrl-C again, or Ctrl-D, leaves)\n")).await;
                }
                Next::Bad(why) => {
                    self.failed(why).await;
                }
                Next::End => {
                    // The prompt stands where the shell's is to stand.
                    if self.engine.streams.stdin_is_terminal && !self.input.is_edited() {
                        self.output.other("\n").await;
                    }
                    return;
                }
                Next::Killed => {
                    self.killed = true;
                    return;
                }
            }
        }
    }

    async fn next_line(&mut self, prompt: &'static str, kind: Kind) -> Next {
        let prompt = self.engine.streams.stdin_is_terminal.then_some(prompt);
        let line = async {
            match self.input.question(prompt, kind).await {
                Typed::Line(line) => Next::Line(line),
                Typed::Question(text) => Next::Question(text),
                Typed::Bad(why) => Next::Bad(why),
                Typed::Interrupt => Next::Interrupt,
                Typed::Cleared => Next::Cleared,
                Typed::End => Next::End,
            }
        };
        tokio::select! {
            next = line => next,
            wish = self.signals.next() => match wish {
                Wish::Interrupt => Next::Interrupt,
                Wish::End => Next::Killed,
            },
            () = self.output.gone().cancelled() => Next::End,
        }
    }

    async fn obey(&mut self, text: &str) -> Flow {
        if text.is_empty() {
            return Flow::Stay;
        }
        match command::of(text, &self.commands) {
            Some(command) => command::run(command, self).await,
            None => self.ask(text).await,
        }
    }

    /// Waits for something that is no turn; `None` when the user did not, or when the program has to end.
    pub(crate) async fn unless_interrupted<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = work => Some(done),
            wish = self.signals.next() => {
                self.killed |= wish == Wish::End;
                None
            }
        }
    }

    /// Asks the user something that is no call's; without a terminal nobody agrees.
    pub(crate) async fn agrees(&mut self, question: &str) -> bool {
        let Some(input) = self.ui.input.clone() else { return false };
        let answer = async {
            input.set_aside().await;
            let answer = input.answer(question).await;
            answer.is_some_and(|line| matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
        };
        self.unless_interrupted(answer).await.unwrap_or_default()
    }

    /// Has the next question begin with a text, to be changed and sent; false where the prompt cannot show it.
    pub(crate) fn prefill(&self, text: String) -> bool {
        self.input.prefill(text)
    }

    /// Leaves the terminal, as it was at the start, to another program for as long as the guard lives.
    pub(crate) async fn lend_terminal(&self) -> impl Sized + use<> {
        self.output.flush().await;
        Lent::new(self.input.clone()).await
    }

    /// Says what went wrong with a line; a script of lines sees it in the exit code.
    pub(crate) async fn failed(&mut self, why: String) -> Flow {
        self.code = 1;
        self.output.other(format!("[error: {}]\n", visible(&why.replace('\n', " ")))).await;
        Flow::Stay
    }

    /// Saves what could not be saved so far, before the conversation is left.
    pub(crate) async fn save_rest(&mut self) {
        let Self { engine, ui, signals, killed, .. } = self;
        tokio::select! {
            () = engine.session.save_rest(ui) => {}
            wish = signals.next() => *killed |= wish == Wish::End,
            () = tokio::time::sleep(PATIENCE), if *killed => {}
        }
    }

    pub(crate) async fn ask(&mut self, typed: &str) -> Flow {
        let Some(question) = self.with_files(typed).await else { return Flow::Stay };
        self.note(typed);
        let before = self.engine.session.questions();
        let cancel = CancellationToken::new();
        let gone = self.output.gone().clone();
        let result = {
            let mut turn = std::pin::pin!(self.engine.session.turn(&question, &self.ui, &cancel));
            loop {
                tokio::select! {
                    result = &mut turn => break result,
                    wish = self.signals.next() => {
                        // A second Ctrl-C means it: the turn may be held up by a terminal that takes nothing.
                        self.killed |= wish == Wish::End || cancel.is_cancelled();
                        cancel.cancel();
                    }
                    () = tokio::time::sleep(PATIENCE), if self.killed => return Flow::Leave,
                    () = gone.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
                }
            }
        };
        let result = result.map(drop);
        self.forget_unless_asked(before);
        if result.is_ok() {
            // A server that came up after the start tells its window only now.
            assemble::learn_window(&mut self.engine).await;
        }
        if let Some(failure) = assemble::trace_failure(&self.engine).await {
            self.output.other(format!("{}\n", visible(&failure))).await;
        }
        // A terminal that takes nothing must not hold up the end.
        let patience = if self.killed || cancel.is_cancelled() { PATIENCE } else { Duration::MAX };
        let _ = tokio::time::timeout(patience, self.tell(result)).await;
        if self.killed || gone.is_cancelled() { Flow::Leave } else { Flow::Stay }
    }

    /// Adds the files that a question mentions. What comes from a pipe mentions none: it may be anything.
    async fn with_files(&mut self, question: &str) -> Option<String> {
        if !self.engine.streams.stdin_is_terminal {
            return Some(question.to_owned());
        }
        let options = self.engine.session.options();
        let mentions = Mentions::new(options.cwd.clone(), options.home.clone(), options.max_output);
        let Some(expanded) = self.unless_interrupted(mentions.expand(question)).await else {
            self.output.other("[interrupted]\n").await;
            // It was not asked yet.
            self.prefill(question.to_owned());
            return None;
        };
        for note in expanded.notes {
            self.output.other(format!("{note}\n")).await;
        }
        Some(expanded.text)
    }

    async fn tell(&mut self, result: Result<(), TurnError>) {
        match result.map_err(|error| CliError::of_turn(&error, "begin anew with /new")) {
            Ok(()) => self.code = 0,
            // Nobody reads any more: the end is quiet.
            Err(_) if self.output.gone().is_cancelled() => self.code = 0,
            Err(error) => {
                self.code = error.code();
                self.output.other(format!("{}\n", visible(&error.to_string()))).await;
            }
        }
        if self.engine.streams.stdin_is_terminal {
            self.output.other("\n").await;
        }
    }

    async fn end(mut self, writing: Writing) -> Result<ExitCode, CliError> {
        self.engine.processes.shutdown().await;
        self.save_rest().await;
        let code = match (self.killed, self.engine.streams.stdin_is_terminal) {
            (true, _) => 130,
            (false, true) => 0,
            (false, false) => self.code,
        };
        self.input.close().await;
        drop((self.ui, self.input));
        if self.killed {
            let _ = tokio::time::timeout(PATIENCE, writing.end(self.output)).await;
            return Ok(ExitCode::from(code));
        }
        let written = tokio::select! {
            written = writing.end(self.output) => written,
            _ = self.signals.next() => return Ok(ExitCode::from(130)),
        };
        written.map_err(|error| CliError::Engine(format!("cannot write to stdout: {error}")))?;
        Ok(ExitCode::from(code))
    }
}

/// The terminal belongs to another program.
struct Lent(Arc<Input>);

impl Lent {
    async fn new(input: Arc<Input>) -> Self {
        input.lend().await;
        Self(input)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.0.take_back();
    }
}

enum Next {
    Line(String),
    /// A text that is no command, however it begins.
    Question(String),
    /// Input that is no line.
    Bad(String),
    /// Ctrl-C at the prompt.
    Interrupt,
    /// Ctrl-C that took away what was typed.
    Cleared,
    /// The input is over, or nobody reads the output.
    End,
    /// The system asks the program to end.
    Killed,
}

struct Screen {
    presenter: Presenter,
    output: Output,
    /// Whether diffs are coloured.
    colours: bool,
    /// Where answers come from; `None` when stdin is no terminal, so that nobody can answer.
    input: Option<Arc<Input>>,
}

#[async_trait]
impl Frontend for Screen {
    async fn show(&self, event: Event) {
        self.presenter.show(event).await;
    }

    async fn confirm(&self, request: ConfirmRequest<'_>) -> Confirmation {
        let Some(input) = &self.input else {
            return Confirmation::Nobody("nobody can confirm this call: stdin is no terminal".into());
        };
        self.output.spinner(None).await;
        input.set_aside().await;
        let change = match request.diff {
            Some(diff) => render::diff(diff, self.colours),
            None => render::whole(request.summary, request.arguments),
        };
        if request.diff.is_some() {
            self.presenter.diff_was_seen();
        }
        self.output.other(change).await;
        self.output.other(render::warning(request.risk)).await;
        // What is risky is asked about each time.
        let which = if request.risk.level == RiskLevel::Plain { "" } else { "other " };
        loop {
            // What is allowed for the session is the tool, not this call.
            let question = format!(
                "   Run it? [y]es, [s]: every {which}{} call of this session, [n]o, ne[v]er: ",
                request.tool
            );
            let Some(answer) = input.answer(&question).await else { return Confirmation::Refuse };
            match answer.trim().to_lowercase().as_str() {
                "y" | "yes" => return Confirmation::Once,
                "s" | "session" => return Confirmation::Session,
                "n" | "no" => return Confirmation::Refuse,
                "v" | "never" => return Confirmation::Never,
                _ => {}
            }
        }
    }

    async fn ask(&self, questions: &[Question]) -> Asked {
        let Some(input) = &self.input else {
            return Asked::Nobody("nobody can answer: stdin is no terminal".to_owned());
        };
        self.output.spinner(None).await;
        input.set_aside().await;
        let mut answers = Vec::new();
        for question in questions {
            self.output.other(questions::shown(question)).await;
            let answer = loop {
                // Ctrl-D: the user does not want to.
                let Some(line) = input.answer(&questions::prompt(question)).await else {
                    return Asked::Declined;
                };
                if let Some(answer) = questions::answer(question, &line) {
                    break answer;
                }
            };
            answers.push(answer);
        }
        Asked::Answered(answers)
    }
}
