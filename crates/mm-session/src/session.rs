//! A conversation and what it works with.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mm_hooks::{HookRunner, NoHooks};
use mm_llm::{Limit, Provider, Reply, Usage, WaitLimits};
use mm_schema::ToolSpec;
use mm_tools::ToolSet;
use mm_tools::plan::{Plan, PlanBoard};
use serde_json::{Map, Value};

use crate::compact::{CompactOptions, Counted};
use crate::keep::Kept;
use crate::stats::Statistics;
use crate::store::{self, SessionStore};
use crate::tools::{Answers, Archive};
use crate::{AnswerFormat, Frontend, Gate, History, Instructions, Limits, prompt};

/// A conversation with a model that may use tools.
///
/// The methods that ask are in [`turn`](Session::turn); everything here is state between two questions.
#[derive(Debug)]
pub struct Session {
    /// What hooks and the store know the conversation by.
    pub(crate) id: String,
    pub(crate) parts: SessionParts,
    pub(crate) options: SessionOptions,
    pub(crate) history: History,
    pub(crate) gate: Gate,
    /// The tools as they are declared, the same in every request.
    pub(crate) specs: Vec<ToolSpec>,
    /// The reply that is coming in, kept here so that an interruption does not lose it.
    pub(crate) draft: Reply,
    /// Counts of the turn that is running.
    pub(crate) usage: Usage,
    pub(crate) tool_calls: usize,
    /// How many questions entered the history.
    pub(crate) questions: usize,
    /// What the server counted last.
    pub(crate) counted: Counted,
    /// The tokens that a conversation must have before it is compressed by itself again.
    pub(crate) hold_until: u64,
    /// Whether it was told that no compression brings it below the threshold.
    pub(crate) told_full: bool,
    /// Whether it was compressed in this turn since it did not fit.
    pub(crate) compacted_to_fit: bool,
    pub(crate) stats: Statistics,
    /// What of the conversation is kept beside its history.
    pub(crate) kept: Kept,
    /// How long the commands of this round have taken, which counts as silence of the model. Calls have a shared
    /// reference; held to add or to look.
    pub(crate) silence: Mutex<Duration>,
}

/// What a session works with.
#[derive(Clone, Debug)]
pub struct SessionParts {
    /// Who answers.
    pub provider: Arc<dyn Provider>,
    /// What the model may call.
    pub tools: ToolSet,
    /// Who may inform, rewrite or refuse.
    pub hooks: Arc<dyn HookRunner>,
    /// Where the conversation is kept after each turn, if anywhere.
    pub store: Option<Arc<dyn SessionStore>>,
    /// The answers so far, shared with the tools that need them.
    pub answers: Answers,
    /// The plan, shared with the tool that keeps it.
    pub plan: PlanBoard,
    /// What compressions took out, shared with the tools that bring it back.
    pub archive: Archive,
}

impl SessionParts {
    /// A provider, no tools, no hooks, no store.
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        Self {
            provider,
            tools: ToolSet::new(),
            hooks: Arc::new(NoHooks),
            store: None,
            answers: Answers::default(),
            plan: PlanBoard::default(),
            archive: Archive::default(),
        }
    }
}

/// The settings of a session.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The model in the server's own naming.
    pub model: String,
    /// Further keys of every request.
    pub sampling: Map<String, Value>,
    /// The first message; the built-in one when `None`, none at all when empty.
    pub system: Option<String>,
    /// What the project says, put behind the system message; not beside a `format`.
    pub instructions: Option<Instructions>,
    /// The shape that every answer must have; `None` for answers in words. No tool is declared beside it.
    pub format: Option<Arc<AnswerFormat>>,
    /// Calls of the model in one turn.
    pub max_turns: u32,
    /// The same call with the same result this often in a row ends the turn; 0 for never.
    pub max_repeated_calls: u32,
    /// The most characters of a tool result.
    pub max_output: usize,
    /// When and how the conversation is compressed.
    pub compact: CompactOptions,
    /// How long the server may be silent.
    pub waits: WaitLimits,
    /// Tokens of the context window, where known.
    pub window: Option<u64>,
    /// Whether tools run without asking.
    pub yolo: bool,
    /// Whether risky calls are asked about even so.
    pub ask_risky: bool,
    /// The name that this agent goes by, for hooks.
    pub agent: String,
    /// The configuration file, for whoever looks at a saved conversation.
    pub config: Option<PathBuf>,
    /// Where tools work.
    pub cwd: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
}

impl SessionOptions {
    /// The defaults of `mm`: 10 turns, 5 repeated calls, 16,000 characters of output, 3 minutes for the
    /// first token and 20 seconds between two, no questions asked.
    pub fn new(model: impl Into<String>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            model: model.into(),
            sampling: Map::new(),
            system: None,
            instructions: None,
            format: None,
            max_turns: 10,
            max_repeated_calls: 5,
            max_output: 16_000,
            compact: CompactOptions::default(),
            waits: WaitLimits {
                first: Limit { text: "3m".into(), ..Limit::seconds(180) },
                between: Limit::seconds(20),
            },
            window: None,
            yolo: true,
            ask_risky: false,
            agent: "mm".into(),
            config: None,
            cwd: cwd.into(),
            home: None,
        }
    }
}

/// What a turn gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The answer's text.
    pub text: String,
    /// Token counts, summed over the calls of the model.
    pub usage: Usage,
    /// How many tools were called.
    pub tool_calls: usize,
}

impl Session {
    /// Begins a conversation.
    pub fn new(parts: SessionParts, options: SessionOptions) -> Self {
        let specs = if options.format.is_some() { Vec::new() } else { parts.tools.definitions() };
        let history = History::new(system(&parts, &options));
        let gate = Gate::new(options.yolo).asking_risky(options.ask_risky);
        Self {
            id: store::new_id(),
            parts,
            options,
            history,
            gate,
            specs,
            draft: Reply::default(),
            usage: Usage::default(),
            tool_calls: 0,
            questions: 0,
            counted: Counted::default(),
            hold_until: 0,
            told_full: false,
            compacted_to_fit: false,
            stats: Statistics::default(),
            kept: Kept::default(),
            silence: Mutex::default(),
        }
    }

    /// Begins anew: the history, the plan, the permissions given for the session and the store's entry of it are
    /// left behind.
    pub fn restart(&mut self) {
        self.parts.answers.clear();
        self.parts.plan.set(None);
        self.parts.archive.set(Vec::new());
        *self = Self::new(self.parts.clone(), self.options.clone());
    }

    /// What hooks and the store know the conversation by; another one after [`restart`](Self::restart) and
    /// [`resume`](Self::resume).
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The conversation so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The settings.
    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// The tools that the model may call.
    pub fn tools(&self) -> &ToolSet {
        &self.parts.tools
    }

    /// The answers so far.
    pub fn answers(&self) -> &Answers {
        &self.parts.answers
    }

    /// What compressions took out of the conversation.
    pub fn archive(&self) -> &Archive {
        &self.parts.archive
    }

    /// How many questions entered the history since the conversation began here. One that a hook refused, or that was
    /// interrupted before the model was asked, did not.
    pub fn questions(&self) -> usize {
        self.questions
    }

    /// What it took, for the last answer and in all.
    pub fn stats(&self) -> &Statistics {
        &self.stats
    }

    /// Takes another model for the requests to come.
    pub fn set_model(&mut self, model: impl Into<String>) {
        self.options.model = model.into();
        self.counted = Counted::default();
    }

    /// Whether tools run without asking, from now on; what was answered for the session counts no more.
    pub fn set_yolo(&mut self, yolo: bool) {
        self.options.yolo = yolo;
        self.gate.set_yolo(yolo);
    }

    /// Takes the last question back with everything that came of it, and gives it. What the store has is as before then.
    pub async fn take_back(&mut self, ui: &dyn Frontend) -> Option<String> {
        let (question, answers) = self.history.take_back()?;
        self.parts.answers.drop_last(answers);
        self.counted.forget();
        self.hold_until = 0;
        self.save_as_it_is("", ui).await;
        Some(question)
    }

    /// The plan that the model keeps, if it does.
    pub fn plan(&self) -> Option<Plan> {
        self.parts.plan.get()
    }

    /// Puts a plan in the place of the one that is kept, as when a question is taken back.
    pub fn set_plan(&mut self, plan: Option<Plan>) {
        self.parts.plan.set(plan);
    }

    /// Takes the tokens of the window, once they are known.
    pub fn set_window(&mut self, window: Option<u64>) {
        self.options.window = window;
    }

    /// Takes the project's instructions for the next conversation; this one stays as it began.
    pub fn set_instructions(&mut self, instructions: Option<Instructions>) {
        self.options.instructions = instructions;
    }

    pub(crate) fn limits(&self) -> Limits {
        let tokens = |key: &str| self.options.sampling.get(key).and_then(Value::as_u64);
        Limits {
            max_turns: self.options.max_turns,
            max_repeated_calls: self.options.max_repeated_calls,
            max_tokens: tokens("max_tokens").or(tokens("max_completion_tokens")),
            window: self.options.window,
        }
    }
}

pub(crate) fn system(parts: &SessionParts, options: &SessionOptions) -> String {
    let system = match (&options.system, &options.format) {
        (Some(system), None) => system.clone(),
        (None, None) => prompt::built_in(&parts.tools, &options.cwd),
        (system, Some(format)) => return prompt::with_format(system.as_deref(), format),
    };
    match &options.instructions {
        None => system,
        Some(instructions) => prompt::behind(&system, &instructions.paragraph()),
    }
}
