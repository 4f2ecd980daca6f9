//! Tools that give what a journal says.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use mm_schema::ToolSpec;
use mm_tools::{Preview, Tool, ToolContext, ToolOutput, ToolSet};
use serde_json::Value;

use super::{Canned, JournalError, Place, ToolForm};

/// The results of a journal, shared by its tools and by the user, who sees which call is taken up.
#[derive(Debug, Default)]
pub(super) struct Results {
    // Held only to look, to add or to take.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    left: Vec<(Option<String>, ToolOutput)>,
    /// Calls that were taken up and have not run: id and tool. A tool is not told the id of its call.
    open: Vec<(String, String)>,
    missing: Vec<String>,
}

impl Results {
    pub(super) fn new(results: &[Canned], place: &Place) -> Result<Self, JournalError> {
        let mut left = Vec::new();
        for canned in results {
            let output = match (&canned.ok, &canned.error) {
                (Some(text), None) => ToolOutput::ok(place.fill(text)),
                (None, Some(text)) => ToolOutput { text: place.fill(text), ok: false },
                _ => return Err(JournalError::unsound("a result has either ok or error")),
            };
            left.push((canned.id.clone(), output));
        }
        Ok(Self { state: Mutex::new(State { left, ..State::default() }) })
    }

    /// A call was taken up.
    pub(super) fn started(&self, id: &str, tool: &str) {
        self.state().open.push((id.to_owned(), tool.to_owned()));
    }

    /// A call is done with, whether it ran or not.
    pub(super) fn finished(&self, id: &str) {
        self.state().open.retain(|(open, _)| open != id);
    }

    /// The result of the next call of a tool.
    fn take(&self, tool: &str) -> ToolOutput {
        let mut state = self.state();
        let at = state.open.iter().position(|(_, open)| open == tool);
        let id = at.map(|at| state.open.remove(at).0).unwrap_or_default();
        let own = state.left.iter().position(|(of, _)| of.as_ref() == Some(&id));
        match own.or_else(|| state.left.iter().position(|(of, _)| of.is_none())) {
            Some(at) => state.left.remove(at).1,
            None => {
                state.missing.push(format!("{tool} ({id})"));
                ToolOutput::error("the journal has no result for this call")
            }
        }
    }

    /// Says what was missing, or left over.
    pub(super) fn check(&self) -> Result<(), JournalError> {
        let state = self.state();
        if !state.missing.is_empty() {
            return Err(JournalError::unsound(format!(
                "there is no result for {}",
                state.missing.join(", ")
            )));
        }
        match state.left.len() {
            0 => Ok(()),
            n => Err(JournalError::unsound(format!("{n} of the results were not needed"))),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Declares the tools.
pub(super) fn tools(
    forms: &[ToolForm],
    results: &Arc<Results>,
    place: &Place,
) -> Result<ToolSet, JournalError> {
    let mut tools = ToolSet::new();
    for form in forms {
        let definition = ToolSpec {
            name: form.name.clone(),
            description: place.fill(&form.description),
            parameters: form.parameters.clone(),
        };
        let tool = CannedTool { definition, mutating: form.mutating, results: results.clone() };
        tools.add(Arc::new(tool)).map_err(|error| JournalError::unsound(error.to_string()))?;
    }
    Ok(tools)
}

#[derive(Debug)]
struct CannedTool {
    definition: ToolSpec,
    mutating: bool,
    results: Arc<Results>,
}

#[async_trait]
impl Tool for CannedTool {
    fn definition(&self) -> &ToolSpec {
        &self.definition
    }

    fn preview(&self, args: &Value, _cx: &ToolContext) -> Preview {
        // The arguments as the tool gets them, mended and of the right types.
        let summary = args.to_string();
        if self.mutating { Preview::mutating(summary) } else { Preview::reading(summary) }
    }

    async fn run(&self, _args: &Value, _cx: &ToolContext) -> ToolOutput {
        self.results.take(&self.definition.name)
    }
}
