//! The tools of one agent, by name.

use std::sync::Arc;

use mm_schema::ToolSpec;

use crate::Tool;

/// Tools in the order they are declared to the model. The order never changes, since a server's prompt
/// cache hangs on it.
#[derive(Clone, Debug, Default)]
pub struct ToolSet {
    tools: Vec<Arc<dyn Tool>>,
}

/// Another tool already has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("another tool is already called \"{0}\"")]
pub struct DuplicateTool(pub String);

impl ToolSet {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool at the end.
    ///
    /// # Errors
    /// Refuses a second tool of the same name.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), DuplicateTool> {
        let name = &tool.definition().name;
        if self.get(name).is_some() {
            return Err(DuplicateTool(name.clone()));
        }
        self.tools.push(tool);
        Ok(())
    }

    /// Finds a tool by its exact name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.definition().name == name)
    }

    /// The tools in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter()
    }

    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.definition().name.as_str())
    }

    /// The definitions in order, for a request.
    pub fn definitions(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.definition().clone()).collect()
    }

    /// Whether there is no tool at all.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}
