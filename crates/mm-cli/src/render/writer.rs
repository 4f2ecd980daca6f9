//! What each event puts on the screen.

use std::collections::HashMap;

use mm_session::{Event, Outcome};
use mm_tools::ToolKind;
use mm_tools::output::visible;
use mm_tools::plan::Plan;

use super::compacted::compacted;
use super::numbers::tokens;
use super::preview::Preview;

/// How things look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Lines of a tool's output.
    pub(crate) preview_lines: usize,
    /// Whether thinking is shown.
    pub(crate) show_thinking: bool,
    /// Whether the hooks that ran are shown.
    pub(crate) show_hooks: bool,
    /// Whether each compression is told.
    pub(crate) show_compressions: bool,
    /// Whether the answer comes by whole lines: a pipe gets no half ones.
    pub(crate) whole_lines: bool,
    /// Whether less important text is dimmed.
    pub(crate) dim: bool,
}

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
    /// The answer so far does not end with a line end.
    line_open: bool,
    /// The reply has not had a character besides white space.
    reply_begins: bool,
    /// The beginning of a line, kept back where only whole ones are wanted.
    held: String,
    /// The thinking shown last does not end with a line end.
    thinking_open: bool,
    previews: HashMap<String, Preview>,
    /// What is waited for.
    phase: Option<String>,
    /// Lines of hooks that ran, which follow the answer.
    hooks: String,
}

impl Writer {
    pub(crate) fn new(look: Look) -> Self {
        Self {
            look,
            line_open: false,
            reply_begins: true,
            held: String::new(),
            thinking_open: false,
            previews: HashMap::new(),
            phase: None,
            hooks: String::new(),
        }
    }

    /// Shows thinking from now on, or no longer; gives which.
    pub(crate) fn toggle_thinking(&mut self) -> bool {
        self.look.show_thinking = !self.look.show_thinking;
        self.look.show_thinking
    }

    /// Takes an event and says what to show, in order.
    pub(crate) fn take(&mut self, event: Event) -> Vec<Shown> {
        let mut shown = Vec::new();
        match event {
            Event::TurnStarted { .. } => {}
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
                let word = if mended { " (its arguments had a fault of form, mended)" } else { "" };
                let line = visible(&format!("{name}: {summary}")).replace('\n', " ");
                let icon = match kind {
                    ToolKind::BuiltIn => "🔧",
                    ToolKind::Declared => "🧰",
                };
                shown.push(Shown::Other(format!("{icon} {line}{word}\n")));
                self.previews.insert(id, Preview::new(self.look.preview_lines));
                self.spin(Some(&name), &mut shown);
            }
            Event::ToolProgress { id, text } => {
                if let Some(preview) = self.previews.get_mut(&id) {
                    push_other(&mut shown, preview.push(&visible(&text)));
                }
            }
            Event::ToolFinished { id, ok, result, .. } => {
                let mut preview = self.previews.remove(&id);
                push_other(&mut shown, preview.as_mut().map(Preview::finish).unwrap_or_default());
                push_other(&mut shown, remarks(&result, ok));
                self.spin(None, &mut shown);
            }
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

    fn thinking(&mut self, text: &str, shown: &mut Vec<Shown>) {
        if !self.look.show_thinking {
            return self.spin(Some("Thinking"), shown);
        }
        self.end_answer(shown);
        self.thinking_open = !text.ends_with('\n');
        push_other(shown, self.dimmed(&visible(text)));
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
        if !self.look.whole_lines {
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
        let mut left: Vec<Preview> = self.previews.drain().map(|(_, preview)| preview).collect();
        left.iter_mut().for_each(|preview| push_other(shown, preview.finish()));
        push_other(shown, std::mem::take(&mut self.hooks));
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

    fn end_thinking(&mut self, shown: &mut Vec<Shown>) {
        if std::mem::take(&mut self.thinking_open) {
            shown.push(Shown::Other("\n".into()));
        }
    }

    fn end_answer(&mut self, shown: &mut Vec<Shown>) {
        if std::mem::take(&mut self.line_open) {
            shown.push(Shown::Answer(std::mem::take(&mut self.held) + "\n"));
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
