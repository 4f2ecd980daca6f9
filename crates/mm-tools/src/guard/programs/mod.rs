//! What programs do with their arguments, a file a family.

mod builtins;
mod delete;
mod interpreters;
mod options;
mod system;
mod verbs;
mod wrappers;

pub(super) use system::is_disk;

use super::expand::{Field, Value};
use super::judge::Judge;

/// Judges a program by its base name; gives what it writes, as far as it is known.
pub(super) fn run(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Value {
    if let [only] = args
        && matches!(only.text(), "--help" | "--version")
    {
        return Value::default();
    }
    let families = [builtins::run, wrappers::run, interpreters::run, delete::run, system::run, verbs::run];
    let written = families.iter().find_map(|family| family(judge, name, args, input));
    // Whatever else it does with text from the network, it may pass it on.
    written.unwrap_or_else(|| Value::unknown(input.taint))
}

/// Whether this is a program that a rule is about, for a text that cannot be read.
pub(super) fn is_known(name: &str) -> bool {
    delete::NAMES.contains(&name)
        || system::is_known(name)
        || interpreters::is_known(name)
        || verbs::is_known(name)
        || wrappers::is_known(name)
        || matches!(name, "eval" | "source")
}
