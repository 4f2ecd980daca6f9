//! `mm config init`: a commented file to begin with.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mm_config::Overrides;

use super::schema;
use crate::error::CliError;

/// The starter file of each provider: those that are shipped.
const STARTERS: [(&str, &str); 4] = [
    ("dmr", include_str!("../../../../../examples/agents/agent.dmr.yaml")),
    ("llamacpp", include_str!("../../../../../examples/agents/agent.llamacpp.yaml")),
    ("llmman", include_str!("../../../../../examples/agents/agent.llmman.yaml")),
    ("ollama", include_str!("../../../../../examples/agents/agent.ollama.yaml")),
];
/// The name of the schema, as the first line of each starter file has it.
const SCHEMA: &str = "agent.schema.json";

/// Writes the file and, where there is none, its schema beside it; says what was written.
pub(super) fn run(cwd: &Path, target: Option<PathBuf>, flags: &Overrides) -> Result<String, CliError> {
    let provider = flags.provider.as_deref().unwrap_or("dmr");
    let Some((_, starter)) = STARTERS.iter().find(|(name, _)| *name == provider) else {
        let known: Vec<&str> = STARTERS.iter().map(|(name, _)| *name).collect();
        let message = format!("unknown provider \"{provider}\" (known: {})", known.join(", "));
        return Err(CliError::Engine(message));
    };
    let target = target.unwrap_or_else(|| PathBuf::from("agent.yaml"));
    let beside = target.with_file_name(SCHEMA);
    if target == beside {
        let message = format!("{SCHEMA} is the name of the schema — name another file");
        return Err(CliError::Engine(message));
    }
    let (shown, shown_beside) = (shown(&target), shown(&beside));
    let text = with((*starter).to_owned(), "model", flags.model.as_ref());
    let text = with(text, "baseUrl", flags.base_url.as_ref());
    create(&cwd.join(&target), &text).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => CliError::Engine(format!(
            "{shown} is there already, and nothing is overwritten — name another file"
        )),
        _ => CliError::Engine(format!("cannot write {shown}: {}", why(&error))),
    })?;
    let described = match create(&cwd.join(&beside), &schema::text()) {
        Ok(()) => format!("{shown_beside} describes it to your editor"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            format!("{shown_beside} is there already and stays as it is")
        }
        // What was asked for is there; what helps the editor can come later.
        Err(error) => format!(
            "{shown_beside} could not be written: {} (mm config schema > {SCHEMA} does it later)",
            why(&error)
        ),
    };
    Ok(format!("{shown} written for {provider}; {described}\n"))
}

/// A path on one line that cannot play with the terminal.
fn shown(path: &Path) -> String {
    path.display().to_string().escape_debug().to_string()
}

/// Puts a flag's value into the line of its key, which may be commented out.
fn with(text: String, key: &str, value: Option<&String>) -> String {
    let Some(value) = value else {
        return text;
    };
    let is_line = |line: &str| {
        let line = line.strip_prefix('#').unwrap_or(line);
        line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'))
    };
    // JSON is YAML, whatever the value holds.
    let set = format!("{key}: {}", serde_json::Value::from(value.as_str()));
    let line = |line: &str| if is_line(line) { set.clone() } else { line.to_owned() };
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// The system's word for a failure, without the name of a file that nobody asked for.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::Other => error.to_string(),
        kind => kind.to_string(),
    }
}

/// Writes a new file whole or not at all; one that is there stays, even if it comes meanwhile.
fn create(path: &Path, text: &str) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
        // A file has the name of the directory.
        io::ErrorKind::AlreadyExists => io::ErrorKind::NotADirectory.into(),
        _ => error,
    })?;
    if let Some(file) = nameless(folder) {
        fill(&file, text)?;
        return link(&file, path);
    }
    // What the umask leaves of this, as for any new file.
    let everybody = Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().prefix(".mm-").permissions(everybody).tempfile_in(folder)?;
    fill(file.as_file(), text)?;
    file.persist_noclobber(path).map(drop).map_err(|error| error.error)
}

fn fill(mut file: &File, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// A file that has no name yet, so that nothing is left of it whatever ends the program.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    open(folder, flags, Mode::from_raw_mode(0o666)).ok().map(File::from)
}

/// Gives a nameless file its name, unless something has it.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_folder: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn link(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
