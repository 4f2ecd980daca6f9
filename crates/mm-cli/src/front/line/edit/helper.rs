//! What the line editor asks the program while a line is edited, and how it is set up.

use std::sync::Arc;

use rustyline::completion::Completer;
use rustyline::config::{BellStyle, ColorMode, CompletionType};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::{History, MemHistory};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Context, Editor};
use tokio::sync::Notify;

use super::complete::{self, Source};
use super::history::MOST;
use super::{Kind, quoted};

/// How long an escape alone may become the beginning of a key, in ms.
const ESCAPE: u16 = 50;

/// One line to be edited.
pub(super) struct Task {
    pub(super) kind: Kind,
    pub(super) prompt: String,
    /// What stands in it at first.
    pub(super) initial: String,
    pub(super) history: Vec<String>,
    pub(super) sources: Arc<Vec<Box<dyn Source>>>,
    /// Told when Enter did not end it.
    pub(super) goes_on: Arc<Notify>,
}

impl Task {
    /// Edits the line with what stdin and stdout are now; waits until that is done.
    pub(super) fn run(self) -> Result<String, ReadlineError> {
        let config = Config::builder()
            .max_history_size(MOST)?
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .keyseq_timeout(Some(ESCAPE))
            .bell_style(BellStyle::None)
            .color_mode(ColorMode::Disabled)
            // The terminal marks pasted text all the time.
            .bracketed_paste(false)
            .build();
        let mut history = MemHistory::with_config(&config);
        for question in self.history {
            history.add_owned(question)?;
        }
        let mut editor = Editor::with_history(config, history)?;
        editor.set_helper(Some(Asked { kind: self.kind, sources: self.sources, goes_on: self.goes_on }));
        editor.readline_with_initial(&*self.prompt, (&self.initial, ""))
    }
}

struct Asked {
    kind: Kind,
    sources: Arc<Vec<Box<dyn Source>>>,
    goes_on: Arc<Notify>,
}

impl Completer for Asked {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..pos).unwrap_or(line);
        let choices = match self.kind {
            Kind::Question => complete::choices(&self.sources, before),
            Kind::Choice | Kind::Answer => None,
        };
        let choices = choices.unwrap_or_default();
        Ok((pos.saturating_sub(choices.replaces), choices.words))
    }
}

impl Validator for Asked {
    fn validate(&self, cx: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        if self.kind == Kind::Question && quoted::is_open(cx.input()) {
            self.goes_on.notify_one();
            return Ok(ValidationResult::Incomplete);
        }
        Ok(ValidationResult::Valid(None))
    }
}

impl Hinter for Asked {
    type Hint = String;
}

impl Highlighter for Asked {}

impl rustyline::Helper for Asked {}
