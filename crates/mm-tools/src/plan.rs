//! The plan of a conversation: its data, the place where it is kept, and the tool that keeps it.

#[cfg(feature = "builtin")]
mod tool;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(feature = "builtin")]
pub use tool::PlanTool;

/// A task in steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What it is about, one line.
    pub title: String,
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is to be done, one line.
    pub text: String,
    /// How far it is.
    pub status: Status,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Not begun.
    #[default]
    Todo,
    /// At hand.
    Doing,
    /// Done.
    Done,
    /// Left out.
    Skipped,
}

impl Status {
    /// The name that the model and a session file have for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Todo => "todo",
            Self::Doing => "doing",
            Self::Done => "done",
            Self::Skipped => "skipped",
        }
    }

    /// The status of that name.
    pub fn of(name: &str) -> Option<Self> {
        [Self::Todo, Self::Doing, Self::Done, Self::Skipped].into_iter().find(|status| status.name() == name)
    }
}

impl Plan {
    /// Takes steps by their text or number: those that are there get the status given, others come behind.
    pub fn update(&mut self, steps: Vec<(String, Option<Status>)>) {
        for (text, status) in steps {
            let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let by_text = self.steps.iter().position(|step| step.text.eq_ignore_ascii_case(&text));
            let at = by_text.or(number.filter(|at| *at < self.steps.len()));
            match at.and_then(|at| self.steps.get_mut(at)) {
                Some(step) => step.status = status.unwrap_or(step.status),
                None => self.steps.push(Step { text, status: status.unwrap_or_default() }),
            }
        }
    }

    /// Ends what is at hand and begins the first step that is not begun.
    pub fn advance(&mut self) {
        let at_hand = self.steps.iter_mut().filter(|step| step.status == Status::Doing);
        at_hand.for_each(|step| step.status = Status::Done);
        if let Some(next) = self.steps.iter_mut().find(|step| step.status == Status::Todo) {
            next.status = Status::Doing;
        }
    }
}

/// A check list: the title with how much is done, and a line a step.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped = self.steps.iter().filter(|step| step.status == Status::Skipped).count();
        let done = self.steps.iter().filter(|step| step.status == Status::Done).count();
        write!(f, "{} ({done} of {} done)", self.title, self.steps.len() - skipped)?;
        for (at, step) in self.steps.iter().enumerate() {
            let mark = match step.status {
                Status::Todo => ' ',
                Status::Doing => '>',
                Status::Done => 'x',
                Status::Skipped => '-',
            };
            write!(f, "\n[{mark}] {}. {}", at + 1, step.text)?;
        }
        Ok(())
    }
}

/// Where the plan of a conversation is kept. Clones are of the same place.
#[derive(Clone, Debug, Default)]
pub struct PlanBoard {
    // The tool writes it, a session and whoever shows it read it; held only for that.
    state: Arc<Mutex<(Option<Plan>, u64)>>,
}

impl PlanBoard {
    /// The plan, if there is one.
    pub fn get(&self) -> Option<Plan> {
        self.state().0.clone()
    }

    /// Puts another plan in its place, or none.
    pub fn set(&self, plan: Option<Plan>) {
        let mut state = self.state();
        if state.0 != plan {
            state.0 = plan;
            state.1 += 1;
        }
    }

    /// Counts the changes so far.
    pub fn changes(&self) -> u64 {
        self.state().1
    }

    fn state(&self) -> MutexGuard<'_, (Option<Plan>, u64)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
