//! `mm guard`: what the command guard thinks of a command, by the configuration in force.

use std::io::{self, BufRead};
use std::process::ExitCode;

use mm_config::Config;
use mm_tools::RiskLevel;
use mm_tools::guard::Guard;
use serde_json::json;

use crate::app::print;
use crate::assemble::{Surroundings, tools};
use crate::error::CliError;

/// Prints a line for the command, or for each line of stdin when it is `-`.
pub(crate) fn run(command: &str, config: &Config, around: &Surroundings) -> Result<ExitCode, CliError> {
    let guard = tools::guard(config)?;
    if command != "-" {
        return print(&line(&guard, command, around));
    }
    let mut stdin = io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = stdin.read_until(b'\n', &mut bytes);
        let count = read.map_err(|error| CliError::Engine(format!("cannot read stdin: {error}")))?;
        if count == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        let command = String::from_utf8_lossy(&bytes);
        print(&line(&guard, command.trim_end_matches(['\n', '\r']), around))?;
    }
}

fn line(guard: &Guard, command: &str, around: &Surroundings) -> String {
    let risk = guard.judge(command, &around.cwd, around.home.as_deref());
    let verdict = match risk.level {
        RiskLevel::Plain => "plain",
        RiskLevel::Risky => "risky",
        RiskLevel::Catastrophic => "catastrophic",
    };
    // A plain command has neither.
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    format!("{}\n", json!({ "verdict": verdict, "rule": some(risk.rule), "why": some(&risk.why) }))
}
