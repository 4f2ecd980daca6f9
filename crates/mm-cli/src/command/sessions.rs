//! `/sessions`: lists the conversations that were kept.

use std::time::SystemTime;

use mm_session::store::SessionStore;

use super::{Command, Flow};
use crate::front::line::Line;
use crate::{render, sessions};

/// As many as a screen has room for.
const MOST: usize = 20;

pub(super) const COMMAND: Command = Command {
    names: &["sessions"],
    argument: "[all]",
    about: "list the saved conversations",
    exists: |config| config.sessions.enabled,
    run: |line, words| {
        Box::pin(async move {
            show(line, if words == "all" { usize::MAX } else { MOST }).await;
            Flow::Stay
        })
    },
};

/// Shows the newest ones; what is typed next by number is one of them.
pub(crate) async fn list(line: &mut Line) {
    show(line, MOST).await;
}

async fn show(line: &mut Line, most: usize) {
    let Some(store) = line.engine.store.clone() else { return };
    match store.list().await {
        Ok(listed) if listed.is_empty() => {
            line.output.other(format!("(no session in {})\n", store.dir().display())).await;
        }
        Ok(listed) => {
            let text = render::list(&listed, most, &line.engine.session.options().cwd, SystemTime::now());
            line.listed = sessions::ids(&listed);
            line.output.other(text).await;
        }
        Err(error) => {
            line.failed(error.to_string()).await;
        }
    }
}
