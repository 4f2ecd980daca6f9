//! `mm completions`: what a shell needs to complete the command line.

use clap::ValueHint;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use mm_llm::PRESETS;

/// Gives the script for a shell.
pub(crate) fn text(shell: Shell) -> String {
    // Any name may be typed: what is wrong with it is told with where it comes from, which is not always a flag.
    let names = PossibleValuesParser::new(PRESETS.iter().map(|preset| preset.name));
    let mut command = crate::args::command().mut_arg("provider", |arg| arg.value_parser(names));
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "mm", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Bash { with_files(&script, &command) } else { script }
}

/// The script for bash, which has flags alone where a file may stand.
fn with_files(script: &str, command: &clap::Command) -> String {
    let mut cases = Vec::new();
    collect(command, "mm", &mut cases);
    let mut takes_file = false;
    let mut result = String::new();
    for line in script.lines() {
        let text = line.trim();
        if let Some(case) = text.strip_suffix(')').filter(|case| case.starts_with("mm")) {
            takes_file = cases.iter().any(|name| name == case);
        }
        if takes_file && text.starts_with("if [[ ${cur} == -* || ${COMP_CWORD} -eq ") {
            result += "            if [[ ${cur} == -* ]] ; then";
        } else if takes_file && line == WORDS {
            result += FILES;
        } else {
            result += line;
        }
        result.push('\n');
    }
    result
}

/// What clap gives behind a helper's name when no flag waits for its value.
const WORDS: &str = r#"            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )"#;

const FILES: &str = r#"            local IFS=$'\n'
            COMPREPLY=( $(compgen -f -- "${cur}") )
            if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                compopt -o filenames
            fi"#;

/// The names, in the script, of the helpers that take a file.
fn collect(command: &clap::Command, name: &str, cases: &mut Vec<String>) {
    let is_file = |arg: &clap::Arg| arg.get_value_hint() == ValueHint::FilePath;
    if command.get_positionals().any(is_file) {
        cases.push(name.to_owned());
    }
    for helper in command.get_subcommands() {
        collect(helper, &format!("{name}__subcmd__{}", helper.get_name()), cases);
    }
}
