//! `mm config init`: a commented file to begin with.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

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
pub(super) fn run(cwd: &Path, target: Option<PathBuf>, provider: Option<&str>) -> Result<String, CliError> {
    let provider = provider.unwrap_or("dmr");
    let Some((_, starter)) = STARTERS.iter().find(|(name, _)| *name == provider) else {
        let known: Vec<&str> = STARTERS.iter().map(|(name, _)| *name).collect();
        let message = format!("unknown provider \"{provider}\" (known: {})", known.join(", "));
        return Err(CliError::Engine(message));
    };
    let target = target.unwrap_or_else(|| PathBuf::from("agent.yaml"));
    let (file, shown) = (cwd.join(&target), target.display());
    create(&file, starter).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => CliError::Engine(format!(
            "{shown} is there already, and nothing is overwritten — name another file"
        )),
        _ => CliError::Engine(format!("cannot write {shown}: {error}")),
    })?;
    let beside = target.with_file_name(SCHEMA);
    let described = match create(&cwd.join(&beside), &schema::text()) {
        Ok(()) => format!("{} describes it to your editor", beside.display()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            format!("{} is there already and stays as it is", beside.display())
        }
        Err(error) => return Err(CliError::Engine(format!("cannot write {}: {error}", beside.display()))),
    };
    Ok(format!("{shown} written for {provider}; {described}\n"))
}

/// Writes a new file whole or not at all; one that is there stays, even if it comes meanwhile.
fn create(path: &Path, text: &str) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    // What the umask leaves of this, as for any new file.
    let everybody = Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().prefix(".mm-").permissions(everybody).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map(drop).map_err(|error| error.error)
}
