//! What the guard knows to be dangerous: one row a rule.

use crate::RiskLevel::{self, Catastrophic, Risky};

/// A rule of the guard.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// What it is known by, such as `delete-root`.
    pub id: &'static str,
    /// How bad a command is to which it applies.
    pub level: RiskLevel,
    /// What such a command does.
    pub does: &'static str,
    /// What to do instead, for the model; empty where the user decides.
    pub instead: &'static str,
}

const fn rule(id: &'static str, level: RiskLevel, does: &'static str, instead: &'static str) -> Rule {
    Rule { id, level, does, instead }
}

macro_rules! rules {
    ($($name:ident: $id:literal, $level:ident, $does:literal, $instead:literal;)*) => {
        $(pub(super) static $name: Rule = rule($id, $level, $does, $instead);)*

        /// Every rule, the catastrophic ones first.
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    DELETE_ROOT: "delete-root", Catastrophic, "deletes the root or a directory of the system",
        "name what is to go inside the project";
    DELETE_HOME: "delete-home", Catastrophic, "deletes the home directory or one above it",
        "name what is to go inside the project";
    DELETE_ABOVE: "delete-above", Catastrophic, "deletes a directory that holds the project",
        "name what is to go inside the project";
    SUDO_DELETE: "sudo-delete", Catastrophic, "deletes outside the project with another user's rights",
        "leave it to the user";
    DISK: "disk", Catastrophic, "writes to a disk or formats it", "write to a file";
    POWER: "power", Catastrophic, "stops or restarts the machine", "leave it to the user";
    FORK_BOMB: "fork-bomb", Catastrophic, "starts copies of itself without end", "write a loop that ends";
    RUN_FETCHED: "run-fetched", Catastrophic, "runs text from the network that nobody has read",
        "download it to a file, read it, and say what it does";
    RUN_DECODED: "run-decoded", Catastrophic, "runs text that nobody can read as it stands",
        "write the commands as they are";
    KILL_ALL: "kill-all", Catastrophic, "stops every process", "stop one process by its number";
    OPEN_ROOT: "open-root", Catastrophic, "changes owner or rights of the root or of a directory of the system",
        "name files inside the project";
    UNREADABLE: "unreadable", Catastrophic, "cannot be read as shell and names a dangerous program",
        "close the quotes and brackets, or write it in simpler commands";
    DENY_PATTERNS: "denyPatterns", Catastrophic, "is denied by the user's configuration", "leave it to the user";
    DELETE: "delete", Risky, "deletes recursively or by force", "";
    DISCARD: "discard", Risky, "discards work that git keeps or has not kept yet", "";
    PUBLISH: "publish", Risky, "publishes work", "";
    STOP: "stop", Risky, "stops processes or services", "";
    RIGHTS: "rights", Risky, "changes the owner or the rights of files", "";
    SUDO: "sudo", Risky, "acts with another user's rights", "";
    COPY_BLOCKS: "copy-blocks", Risky, "copies block by block", "";
    PACKAGES: "packages", Risky, "changes packages of the system or of the user", "";
    CONTAINER: "container", Risky, "starts, changes or stops containers", "";
    REMOTE: "remote", Risky, "acts on another machine", "";
    UPLOAD: "upload", Risky, "uploads files", "";
    EVAL: "eval", Risky, "runs text or a script in this shell", "";
    INLINE: "inline", Risky, "holds a program of another language that destroys something", "";
    UNRESOLVED: "unresolved", Risky, "runs something that is only known when it runs", "";
}
