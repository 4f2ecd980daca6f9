//! What each event puts on the screen.

use std::collections::HashMap;

use mm_session::{Event, Outcome};
use mm_tools::ToolKind;
use mm_tools::output::visible;
use mm_tools::plan::Plan;

use super::compacted::compacted;
use super::diff;
use super::done::Done;
use super::look::{Answers, Look};
use super::markdown::Markdown;
use super::numbers::tokens;
use super::preview::Preview;

/// Something that an event shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// A piece of the answer.
    Answer(String),
    /// Anything else.
    Other(String),
    /// What is waited for.
    Spinner(Option<String>),
}

/// Turns the events of a conversation into text.
#[derive(Debug)]
pub(crate) struct Writer {
    look: Look,
    /// Lays answers out, where that is wanted.
    markdown: Option<Markdown>,
    /// The answer so far does not end with a line end.
    line_open: bool,
    /// The reply has not had a character besides white space.
    reply_begins: bool,
    /// The beginning of a line, kept back where only whole ones are wanted.
    held: String,
    /// Thinking is being shown; so many line ends came last, which are shown when more comes.
    thinking: Option<usize>,
    running: HashMap<String, Running>,
    done: Done,
    /// What is waited for.
    phase: Option<String>,
    /// Lines of hooks that ran, which follow the answer.
    hooks: String,
}

/// A call that runs.
#[derive(Debug)]
struct Running {
    preview: Preview,
    /// Whether the change that its result tells of is shown.
    shows_diff: bool,
}

impl Writer {
    pub(crate) fn new(look: Look) -> Self {
        let markdown = match look.answers {
            Answers::WholeLines | Answers::AsWritten => None,
            Answers::Markdown(paint, columns) => Some(Markdown::new(paint, columns)),
        };
        Self {
            look,
            markdown,
            line_open: false,
            reply_begins: true,
            held: String::new(),
            thinking: None,
            running: HashMap::new(),
            done: Done::default(),
            phase: None,
            hooks: String::new(),
        }
    }

    /// Shows thinking from now on, or no longer; gives which.
    pub(crate) fn toggle_thinking(&mut self) -> bool {
        self.look.show_thinking = !self.look.show_thinking;
        self.look.show_thinking
    }

    /// The diff of the call that runs has been seen, in the request for a permission.
    pub(crate) fn diff_was_seen(&mut self) {
        // A call that is asked about runs alone.
        self.running.values_mut().for_each(|running| running.shows_diff = false);
    }

    /// Takes an event and says what to show, in order.
    pub(crate) fn take(&mut self, event: Event) -> Vec<Shown> {
        let mut shown = Vec::new();
        match event {
            Event::TurnStarted { .. } => self.done = Done::default(),
            Event::Waiting => {
                self.reply_begins = true;
                self.spin(Some("Waiting for the model"), &mut shown);
            }
            Event::ModelLoading => self.spin(Some("Loading the model…"), &mut shown),
            Event::Retrying { after } => {
                let seconds = after.as_secs_f64().round();
                self.spin(Some(&format!("The server is busy, asking again in {seconds} s")), &mut shown);
            }
            Event::PromptProgress { processed, total } => {
                let (read, all) = (tokens(processed), tokens(total));
                self.spin(Some(&format!("Reading the prompt {read}/{all} tokens")), &mut shown);
            }
            Event::Thinking { text } => self.thinking(&text, &mut shown),
            Event::Text { text } => self.text(&text, &mut shown),
            Event::TextWasThinking => {
                self.end_lines(&mut shown);
                self.reply_begins = true;
            }
            Event::WritingAnswer => self.spin(Some("Writing the answer"), &mut shown),
            Event::WritingCall { name } => {
                self.end_lines(&mut shown);
                self.spin(Some(&format!("Writing a call of {name}")), &mut shown);
            }
            Event::ToolStarted { id, name, kind, summary, mended } => {
                self.end_lines(&mut shown);
                self.reply_begins = true;
                self.tool_started(id, &name, (kind, &summary, mended), &mut shown);
            }
            Event::ToolProgress { id, text } => {
                if let Some(running) = self.running.get_mut(&id) {
                    push_other(&mut shown, running.preview.push(&visible(&text)));
                }
            }
            Event::ToolFinished { id, ok, result, .. } => self.tool_finished(&id, ok, &result, &mut shown),
            Event::HookRan { event, target, command, verdict, context_len } if self.look.show_hooks => {
                let what = target.map_or_else(String::new, |target| format!("{target} "));
                let line = visible(&format!("{event} {what}{command}")).replace('\n', " ");
                self.hooks.push_str(&format!("🪝 {line} → {verdict} (context {context_len})\n"));
            }
            Event::HookRan { .. } => {}
            Event::PlanChanged { plan } => push_other(&mut shown, check_list(plan.as_ref())),
            Event::Compacting => self.spin(Some("Compressing the conversation"), &mut shown),
            Event::Compacted(done) => {
                self.end_lines(&mut shown);
                self.spin(None, &mut shown);
                if self.look.show_compressions {
                    shown.push(Shown::Other(compacted(&done)));
                }
                let mut summary = Preview::new(self.look.preview_lines);
                let lines = summary.push(&visible(&done.summary));
                push_other(&mut shown, lines + &summary.finish());
            }
            Event::Notice { text } => {
                self.end_lines(&mut shown);
                shown.push(Shown::Other(format!("[notice: {}]\n", visible(&text))));
            }
            Event::SaveFailed { why } => {
                self.end_lines(&mut shown);
                shown.push(Shown::Other(format!("[session: cannot save {}]\n", visible(&why))));
            }
            Event::TurnEnded { outcome, .. } => self.ended(&outcome, &mut shown),
        }
        shown
    }

    fn tool_started(
        &mut self,
        id: String,
        name: &str,
        (kind, summary, mended): (ToolKind, &str, bool),
        shown: &mut Vec<Shown>,
    ) {
        let word = if mended { " (its arguments had a fault of form, mended)" } else { "" };
        let line = visible(&format!("{name}: {summary}")).replace('\n', " ");
        let icon = match kind {
            ToolKind::BuiltIn => "🔧",
            ToolKind::Declared => "🧰",
        };
        shown.push(Shown::Other(format!("{icon} {line}{word}\n")));
        self.done.started(&id, name, kind, line);
        let shows_diff = kind == ToolKind::BuiltIn && matches!(name, "edit_file" | "write_file");
        let preview = Preview::new(self.look.preview_lines);
        self.running.insert(id, Running { preview, shows_diff });
        self.spin(Some(name), shown);
    }

    fn tool_finished(&mut self, id: &str, ok: bool, result: &str, shown: &mut Vec<Shown>) {
        self.done.finished(id, ok);
        if let Some(mut running) = self.running.remove(id) {
            push_other(shown, running.preview.finish());
            if running.shows_diff && ok {
                push_other(shown, diff::of_result(result, self.look.dim, self.look.preview_lines));
            }
        }
        push_other(shown, remarks(result, ok));
        self.spin(None, shown);
    }

    fn thinking(&mut self, text: &str, shown: &mut Vec<Shown>) {
        if !self.look.show_thinking {
            return self.spin(Some("Thinking"), shown);
        }
        let text = if self.thinking.is_none() { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        self.spin(None, shown);
        self.end_answer(shown);
        let body = text.trim_end_matches('\n');
        let ends = text.len() - body.len();
        if body.is_empty() {
            self.thinking = self.thinking.map(|before| before + ends);
            return;
        }
        let before = "\n".repeat(self.thinking.replace(ends).unwrap_or_default());
        push_other(shown, self.dimmed(&visible(&format!("{before}{body}"))));
    }

    fn text(&mut self, text: &str, shown: &mut Vec<Shown>) {
        let text = if self.reply_begins { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        self.reply_begins = false;
        self.end_thinking(shown);
        self.spin(None, shown);
        self.line_open = !text.ends_with('\n');
        if let Some(markdown) = &mut self.markdown {
            self.line_open = true; // something may wait
            return push_answer(shown, markdown.push(text));
        }
        if self.look.answers != Answers::WholeLines {
            return shown.push(Shown::Answer(visible(text)));
        }
        // What is held has no line end: it may be long, and is not searched again.
        let (whole, rest) = text.split_at(text.rfind('\n').map_or(0, |end| end + 1));
        self.held.push_str(whole);
        if !whole.is_empty() {
            shown.push(Shown::Answer(std::mem::take(&mut self.held)));
        }
        self.held.push_str(rest);
    }

    fn ended(&mut self, outcome: &Outcome, shown: &mut Vec<Shown>) {
        self.spin(None, shown);
        let broke_off = !self.reply_begins && !matches!(outcome, Outcome::Answered);
        self.end_lines(shown);
        if broke_off {
            shown.push(Shown::Other("[the answer broke off here]\n".into()));
        }
        // Tools that were running when the turn ended.
        let mut left: Vec<Preview> = self.running.drain().map(|(_, running)| running.preview).collect();
        left.iter_mut().for_each(|preview| push_other(shown, preview.finish()));
        push_other(shown, std::mem::take(&mut self.hooks));
        let done = std::mem::take(&mut self.done);
        if self.look.lists_done {
            push_other(shown, done.list());
        }
    }

    /// Changes what is waited for.
    fn spin(&mut self, phase: Option<&str>, shown: &mut Vec<Shown>) {
        if self.phase.as_deref() != phase {
            self.phase = phase.map(str::to_owned);
            shown.push(Shown::Spinner(self.phase.clone()));
        }
    }

    fn end_lines(&mut self, shown: &mut Vec<Shown>) {
        self.end_thinking(shown);
        self.end_answer(shown);
    }

    /// Ends what was thought; on a terminal an empty line sets it apart from what follows.
    fn end_thinking(&mut self, shown: &mut Vec<Shown>) {
        if self.thinking.take().is_some() {
            let apart = if self.look.answers == Answers::WholeLines { "\n" } else { "\n\n" };
            shown.push(Shown::Other(apart.into()));
        }
    }

    fn end_answer(&mut self, shown: &mut Vec<Shown>) {
        if !std::mem::take(&mut self.line_open) {
            return;
        }
        match &mut self.markdown {
            Some(markdown) => push_answer(shown, markdown.finish()),
            None => shown.push(Shown::Answer(std::mem::take(&mut self.held) + "\n")),
        }
    }

    fn dimmed(&self, text: &str) -> String {
        if self.look.dim { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// The plan under the line of the call that changed it.
pub(crate) fn check_list(plan: Option<&Plan>) -> String {
    let plan = plan.map(Plan::to_string).unwrap_or_default();
    visible(&plan).lines().map(|line| format!("   │ {line}\n")).collect()
}

fn push_other(shown: &mut Vec<Shown>, text: String) {
    if !text.is_empty() {
        shown.push(Shown::Other(text));
    }
}

fn push_answer(shown: &mut Vec<Shown>, text: String) {
    if !text.is_empty() {
        shown.push(Shown::Answer(text));
    }
}

/// What the program itself says of a call: at the end of its result how it failed and what still runs, else at the
/// beginning why it failed.
fn remarks(result: &str, ok: bool) -> String {
    let is_remark = |line: &&str| line.starts_with('[') && line.ends_with(']');
    let lines: Vec<&str> = result.lines().rev().take_while(is_remark).collect();
    let told = |line: &&&str| !ok || line.starts_with("[still running");
    let first = result.lines().next().filter(|line| !ok && line.starts_with("[error: "));
    // A page that is an error page may end with remarks too; a command's first line is its own.
    let first = first.filter(|_| !lines.iter().any(|line| ENDS.iter().any(|end| line.starts_with(end))));
    let last = lines.iter().rev().filter(told).copied();
    first.into_iter().chain(last).map(|line| format!("   └ {}\n", cut(&visible(line)))).collect()
}

/// How the last line of a failure begins, where it stands behind what came before it.
const ENDS: [&str; 4] = ["[error: ", "[exit code: ", "[killed by signal: ", "[interrupted "];

fn cut(line: &str) -> String {
    match line.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
