//! The seam between the turn and what a model may do.

use std::fmt::Debug;

use async_trait::async_trait;
use mm_schema::ToolSpec;
use serde_json::Value;

use crate::ToolContext;

/// Something the model can call.
///
/// `args` have already been checked against the [`definition`](Tool::definition)'s schema when the turn
/// calls `preview` or `run`; a tool that is called directly answers bad ones with an error text.
#[async_trait]
pub trait Tool: Debug + Send + Sync {
    /// Gives name, description and parameters; the same value on every call.
    fn definition(&self) -> &ToolSpec;

    /// Says where the tool comes from, for whoever shows its calls.
    fn kind(&self) -> ToolKind {
        ToolKind::BuiltIn
    }

    /// Gives a sentence about the tool for the built-in system message, if it needs one.
    fn advice(&self) -> Option<&str> {
        None
    }

    /// Whether the time of a call counts against the turn's watchdog, as a silence of the model would. For commands, which
    /// can hang; a tool with a limit of its own has no need of it.
    fn is_watched(&self) -> bool {
        false
    }

    /// Brings what weak models write instead into the form that the definition asks for; the result is then checked
    /// against it. Most tools take nothing else than what they declare.
    fn tolerate(&self, args: Value) -> Value {
        args
    }

    /// Says what a call would do, without doing any of it, and at once.
    fn preview(&self, args: &Value, cx: &ToolContext) -> Preview;

    /// Gives the change that a call would make as a unified diff, for the user to see before allowing it. `None` when
    /// it changes no text, would fail, or when the diff is too long to be shown whole.
    async fn diff(&self, args: &Value, cx: &ToolContext) -> Option<String> {
        let _ = (args, cx);
        None
    }

    /// Runs the call. It fails by its text (`[error: …]`), never otherwise.
    ///
    /// Dropping the future ends whatever the call started; a cancelled `cx.cancel` does the same, and the
    /// output then says so.
    async fn run(&self, args: &Value, cx: &ToolContext) -> ToolOutput;
}

/// Where a tool comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolKind {
    /// From the program.
    #[default]
    BuiltIn,
    /// From the user, who declared a program of theirs.
    Declared,
}

/// What the permission gate and a permission request know of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// One line for the user, such as `ls -la`.
    pub summary: String,
    /// Whether the call changes anything.
    pub mutating: bool,
    /// Whether the call may run beside its neighbours.
    pub overlaps: bool,
    /// How dangerous it looks.
    pub risk: Risk,
}

/// How dangerous a call looks, by which rule and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Risk {
    /// How dangerous.
    pub level: RiskLevel,
    /// The rule that applies; empty for a plain call.
    pub rule: &'static str,
    /// What the call would do and, if it may not run, what to do instead; empty for a plain call.
    pub why: String,
}

/// The levels of danger, the worse the greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RiskLevel {
    /// Nothing is known against it.
    #[default]
    Plain,
    /// The user may want to be asked, whatever was allowed.
    Risky,
    /// It never runs.
    Catastrophic,
}

impl Preview {
    /// Describes a call that may change something: asked about, and run alone.
    pub fn mutating(summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), mutating: true, overlaps: false, risk: Risk::default() }
    }

    /// Describes a call that only reads: never asked about, may overlap.
    pub fn reading(summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), mutating: false, overlaps: true, risk: Risk::default() }
    }
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// The text for the model.
    pub text: String,
    /// Whether the call did what it was asked to; a command that ended with another exit code than 0, or
    /// by a signal, did not.
    pub ok: bool,
}

impl ToolOutput {
    /// A call that succeeded.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { text: text.into(), ok: true }
    }

    /// A call that failed, told to the model as `[error: …]`.
    pub fn error(why: impl std::fmt::Display) -> Self {
        Self { text: format!("[error: {why}]"), ok: false }
    }
}
