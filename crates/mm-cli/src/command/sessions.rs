//! `/sessions`: lists the conversations that were kept.

use std::time::SystemTime;

use mm_session::store::SessionStore;

use super::{Command, Flow};
use crate::front::line::Line;
use crate::{render, sessions};

/// As many as a screen has room for.
const MOST: usize = 20;
/// Lines that stand beside a list.
const BESIDE: usize = 8;

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
    // What was saved last stands at the top, and must not be gone from the screen when the question comes.
    let rows =
        rustix::termios::tcgetwinsize(rustix::stdio::stdout()).map_or(0, |size| usize::from(size.ws_row));
    let most = if rows > 0 { rows.saturating_sub(BESIDE).clamp(3, MOST) } else { MOST };
    show(line, most).await;
}

async fn show(line: &mut Line, most: usize) {
    let Some(store) = line.engine.store.clone() else { return };
    match store.list().await {
        Ok(listed) if listed.is_empty() => {
            line.listed.clear();
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
