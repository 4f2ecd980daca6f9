//! The plain line mode: a question a line.

mod input;

use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use mm_config::Config;
use mm_session::{ConfirmRequest, Confirmation, Event, Frontend, TurnError};
use tokio_util::sync::CancellationToken;

use super::Presenter;
use crate::assemble::Engine;
use crate::banner;
use crate::command::{self, Flow};
use crate::error::CliError;
use crate::output::{Output, Writing};
use crate::render::Look;
use crate::signals::{Signals, Wish};
use input::Input;

/// What a conversation in lines works with; commands get it too.
pub(crate) struct Line {
    pub(crate) engine: Engine,
    pub(crate) output: Output,
    input: Arc<Input>,
    ui: Screen,
    signals: Signals,
    /// The exit code that the last turn would have: a script of questions sees a failure.
    code: u8,
}

/// Talks until the input ends or the user leaves.
pub(crate) async fn run(engine: Engine, config: &Config) -> Result<ExitCode, CliError> {
    let signals = Signals::new().map_err(|error| CliError::Engine(error.to_string()))?;
    let streams = engine.streams;
    let (output, writing) = Output::start(streams);
    let input = Arc::new(Input::start());
    let look = Look {
        preview_lines: config.preview_lines,
        show_thinking: config.show_thinking,
        whole_lines: !streams.stdout_is_terminal,
        dim: streams.dim,
    };
    let asks = streams.stdin_is_terminal.then(|| input.clone());
    let ui = Screen { presenter: Presenter::new(output.clone(), look), output: output.clone(), input: asks };
    let mut line = Line { engine, output, input, ui, signals, code: 0 };
    banner::show(&mut line.engine, config, &line.output).await;
    line.talk().await;
    line.end(writing).await
}

impl Line {
    async fn talk(&mut self) {
        let mut leaving = false;
        loop {
            match self.next_line().await {
                Next::Line(text) => {
                    leaving = false;
                    if self.obey(text.trim()).await == Flow::Leave {
                        return;
                    }
                }
                Next::Interrupt if leaving || !self.engine.streams.stdin_is_terminal => {
                    self.code = 130;
                    return;
                }
                Next::Interrupt => {
                    leaving = true;
                    self.output.other("\n(Ctrl-C again, or Ctrl-D, leaves)\n").await;
                }
                Next::End => return,
                Next::Killed => {
                    self.code = 130;
                    return;
                }
            }
        }
    }

    async fn next_line(&mut self) -> Next {
        if self.engine.streams.stdin_is_terminal {
            self.output.other("> ").await;
            self.output.flush().await;
        }
        tokio::select! {
            line = self.input.next() => match line {
                Some(line) => {
                    self.output.line_was_typed().await;
                    Next::Line(line)
                }
                None => Next::End,
            },
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
        match command::of(text) {
            Some(command) => command::run(command, self).await,
            None => self.ask(text).await,
        }
    }

    async fn ask(&mut self, question: &str) -> Flow {
        let cancel = CancellationToken::new();
        let gone = self.output.gone().clone();
        let mut killed = false;
        let result = {
            let mut turn = std::pin::pin!(self.engine.session.turn(question, &self.ui, &cancel));
            loop {
                tokio::select! {
                    result = &mut turn => break result,
                    wish = self.signals.next() => {
                        killed = killed || wish == Wish::End;
                        cancel.cancel();
                    }
                    () = gone.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
                }
            }
        };
        self.tell(result.map(drop)).await;
        if killed {
            self.code = 130;
        }
        if killed || gone.is_cancelled() { Flow::Leave } else { Flow::Stay }
    }

    async fn tell(&mut self, result: Result<(), TurnError>) {
        match result.map_err(CliError::of_turn) {
            Ok(()) => self.code = 0,
            Err(error) => {
                self.code = error.code();
                self.output.other(format!("{error}\n")).await;
            }
        }
        if self.engine.streams.stdin_is_terminal {
            self.output.other("\n").await;
        }
    }

    async fn end(self, writing: Writing) -> Result<ExitCode, CliError> {
        self.engine.processes.shutdown().await;
        let is_script = !self.engine.streams.stdin_is_terminal;
        let code = if is_script || self.code == 130 { self.code } else { 0 };
        drop(self.ui);
        let written = writing.end(self.output).await;
        written.map_err(|error| CliError::Engine(format!("cannot write to stdout: {error}")))?;
        Ok(ExitCode::from(code))
    }
}

enum Next {
    Line(String),
    /// Ctrl-C at the prompt.
    Interrupt,
    /// The input is over, or nobody reads the output.
    End,
    /// The system asks the program to end.
    Killed,
}

struct Screen {
    presenter: Presenter,
    output: Output,
    /// Where answers come from; `None` when stdin is no terminal, so that nobody can answer.
    input: Option<Arc<Input>>,
}

#[async_trait]
impl Frontend for Screen {
    async fn show(&self, event: Event) {
        self.presenter.show(event).await;
    }

    async fn confirm(&self, _request: ConfirmRequest<'_>) -> Confirmation {
        let Some(input) = &self.input else {
            return Confirmation::Nobody("nobody can confirm this call: stdin is no terminal".into());
        };
        self.output.spinner(None).await;
        input.set_aside().await;
        loop {
            self.output
                .other("   Run it? [y]es, yes for this [s]ession, [n]o, ne[v]er in this session: ")
                .await;
            self.output.flush().await;
            let Some(answer) = input.fresh().await else { return Confirmation::Refuse };
            self.output.line_was_typed().await;
            match answer.trim().to_lowercase().as_str() {
                "y" | "yes" => return Confirmation::Once,
                "s" | "session" => return Confirmation::Session,
                "n" | "no" => return Confirmation::Refuse,
                "v" | "never" => return Confirmation::Never,
                _ => {}
            }
        }
    }
}
