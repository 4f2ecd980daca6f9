//! Which conversation to go on with.

use mm_config::Config;
use mm_schema::nearest;
use mm_session::Resumed;
use mm_session::store::{Listed, SessionStore};

use crate::assemble::{self, Engine};
use crate::error::CliError;

/// Ids that are told when several fit.
const FITTING: usize = 5;

/// What the command line says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The newest one of this directory.
    Newest,
    /// The one of this id, beginning of an id, or number.
    Of(String),
    /// The one that the user chooses.
    Choose,
}

/// Whether somebody can choose from a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chooser {
    Somebody,
    Nobody,
}

impl Wish {
    fn flag(&self) -> &'static str {
        match self {
            Self::Newest => "--continue",
            Self::Of(_) | Self::Choose => "--resume",
        }
    }

    /// Without sessions there is nothing to go on with.
    pub(crate) fn check(&self, config: &Config) -> Result<(), CliError> {
        let needs = || format!("{} needs sessions: set sessions.enabled to true", self.flag());
        if config.sessions.enabled { Ok(()) } else { Err(CliError::Usage(needs())) }
    }
}

/// Goes on with a conversation before anything is asked. True when the user has yet to choose one.
pub(crate) async fn begin(engine: &mut Engine, wish: Wish, chooser: Chooser) -> Result<bool, CliError> {
    let Some(store) = engine.store.clone() else { return Ok(false) };
    let dir = store.dir().display().to_string();
    let listed = store.list().await.map_err(|error| CliError::Engine(error.to_string()))?;
    let id = match wish {
        Wish::Choose if chooser == Chooser::Nobody => {
            let words = "--resume needs an id here, where nobody can choose from a list (--continue takes the \
                         newest session of this directory)";
            return Err(CliError::Usage(words.to_owned()));
        }
        Wish::Choose if listed.is_empty() => {
            return Err(CliError::Engine(format!("there is no session in {dir}")));
        }
        Wish::Choose => return Ok(true),
        Wish::Of(typed) => find(&listed, &ids(&listed), &typed)
            .map_err(|words| CliError::Engine(format!("{words} (sessions are in {dir})")))?,
        Wish::Newest => {
            let cwd = &engine.session.options().cwd;
            // One whose questions were all taken back is nothing to go on with.
            let here = |row: &&Listed| {
                row.head.as_ref().is_ok_and(|head| head.cwd == *cwd && !head.title.is_empty())
            };
            let none = || {
                CliError::Engine(format!(
                    "there is no session of this directory in {dir}: leave --continue out to begin one"
                ))
            };
            listed.iter().find(here).map(|row| row.id.clone()).ok_or_else(none)?
        }
    };
    // The instructions were read just now.
    let resumed = engine.session.resume(&id).await.map_err(|error| CliError::Engine(error.to_string()))?;
    engine.warnings.extend(warnings(&resumed));
    engine.resumed = Some(resumed);
    Ok(false)
}

/// Goes on with a conversation in place of the one that runs.
pub(crate) async fn switch(engine: &mut Engine, numbered: &[String], typed: &str) -> Result<Resumed, String> {
    let Some(store) = engine.store.clone() else { return Err("there are no sessions".to_owned()) };
    let listed = store.list().await.map_err(|error| error.to_string())?;
    let numbered = if numbered.is_empty() { ids(&listed) } else { numbered.to_vec() };
    let id = find(&listed, &numbered, typed)?;
    if id == engine.session.id() {
        return Err(format!("the session {id} is the one that you are in"));
    }
    let resumed = assemble::resume(engine, &id).await.map_err(|error| error.to_string())?;
    engine.warnings.extend(warnings(&resumed));
    Ok(resumed)
}

/// The ids of a list, in its order.
pub(crate) fn ids(listed: &[Listed]) -> Vec<String> {
    listed.iter().map(|row| row.id.clone()).collect()
}

/// Finds the id that somebody means: a whole one, a number of the list that was shown, or the beginning of one.
fn find(listed: &[Listed], numbered: &[String], typed: &str) -> Result<String, String> {
    let all = || listed.iter().map(|row| row.id.as_str());
    if all().any(|id| id == typed) {
        return Ok(typed.to_owned());
    }
    let number = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    if let Some(id) = number.and_then(|at| numbered.get(at)) {
        return Ok(id.clone());
    }
    let fitting: Vec<&str> = all().filter(|id| id.starts_with(typed)).collect();
    match fitting.as_slice() {
        [id] => Ok((*id).to_owned()),
        [] => {
            let near = nearest(typed, all()).map_or(String::new(), |near| format!(", did you mean {near}?"));
            Err(format!("there is no session {typed}{near}"))
        }
        [..] => {
            let shown = fitting.iter().take(FITTING).copied().collect::<Vec<_>>().join(", ");
            let more = if fitting.len() > FITTING { ", …" } else { "" };
            Err(format!("{} sessions begin with {typed}: {shown}{more}", fitting.len()))
        }
    }
}

/// What the user should know of what was gone on with.
fn warnings(resumed: &Resumed) -> Vec<String> {
    let copy = resumed.copy_of.as_ref().map(|other| {
        format!("another mm has the session {other} open: this conversation goes on as {}", resumed.id)
    });
    let places = if resumed.mended == 1 { "place" } else { "places" };
    let mended = (resumed.mended > 0).then(|| {
        format!(
            "the session was not whole: {} {places} mended, as after a call without its result",
            resumed.mended
        )
    });
    copy.into_iter().chain(mended).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm_session::store::Fault;

    #[test]
    fn ids_are_found_by_number_and_beginning() {
        let row = |id: &&str| Listed {
            id: (*id).into(),
            size: 0,
            updated: std::time::UNIX_EPOCH,
            head: Err(Fault::Empty),
        };
        let listed: Vec<Listed> = ["2026-a", "2026-b", "2025-x", "3"].iter().map(row).collect();
        let shown = ["2025-x".to_owned(), "2026-a".to_owned(), "gone".to_owned()];
        let rows = [
            ("2026-a", "2026-a"),
            ("1", "2025-x"),
            ("2", "2026-a"),
            // A whole id counts more than a number.
            ("3", "3"),
            ("4", "!there is no session 4"),
            ("0", "!there is no session 0"),
            ("2025", "2025-x"),
            ("2026", "!2 sessions begin with 2026: 2026-a, 2026-b"),
            ("2026-c", "!there is no session 2026-c, did you mean 2026-b?"),
            ("zzzzzz", "!there is no session zzzzzz"),
        ];
        for (typed, expected) in rows {
            let found = find(&listed, &shown, typed).unwrap_or_else(|words| format!("!{words}"));
            assert_eq!(found, expected, "{typed}");
        }
    }
}
