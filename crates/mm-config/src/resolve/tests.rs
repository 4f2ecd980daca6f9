mod keys;
mod layers;
mod rules;
mod types;
mod yaml;

use super::*;
use crate::problem::Problem;

fn with(text: &str, env: &[(&str, &str)], overrides: &Overrides) -> Result<Config, Vec<Problem>> {
    Config::from_yaml(text, "f", &env.iter().copied().collect(), overrides)
}

fn config(text: &str) -> Config {
    with(text, &[], &Overrides::default()).unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
}

/// The messages of a text that has problems.
fn problems(text: &str) -> Vec<String> {
    problems_with(text, &[])
}

fn problems_with(text: &str, env: &[(&str, &str)]) -> Vec<String> {
    let problems = with(text, env, &Overrides::default()).expect_err(text);
    let line = |problem: Problem| problem.to_string();
    let inner =
        |line: String| line.strip_prefix("[config error: f: ").unwrap().strip_suffix(']').unwrap().to_owned();
    problems.into_iter().map(line).map(inner).collect()
}
