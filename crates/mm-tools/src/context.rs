//! Where a call runs and who watches it.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::{Asked, Question};

/// The surroundings of one call.
#[derive(Clone, Debug)]
pub struct ToolContext {
    /// The working directory; relative paths start here.
    pub cwd: PathBuf,
    /// The user's home directory, for `~`.
    pub home: Option<PathBuf>,
    /// Cancelled when the turn is interrupted.
    pub cancel: CancellationToken,
    /// The most characters a result may have.
    pub max_output: usize,
    /// Who watches the call.
    pub host: Arc<dyn ToolHost>,
}

impl ToolContext {
    /// A context for a call that nobody watches: 16,000 characters of output, no home.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            home: None,
            cancel: CancellationToken::new(),
            max_output: 16_000,
            host: Arc::new(NoHost),
        }
    }
}

/// What a running tool sees of its caller.
#[async_trait]
pub trait ToolHost: Debug + Send + Sync {
    /// Takes output as it comes: clean text, any number of characters. A slow host slows the tool down,
    /// so that nothing piles up in memory.
    async fn progress(&self, text: &str);

    /// Asks the user and waits for the answers. Dropping the future takes the questions away.
    async fn ask(&self, questions: &[Question]) -> Asked {
        let _ = questions;
        Asked::Nobody("nobody can answer here".to_owned())
    }
}

/// A host that looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

#[async_trait]
impl ToolHost for NoHost {
    async fn progress(&self, _text: &str) {}
}
