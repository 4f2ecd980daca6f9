//! No text makes the loader panic, and what it says of a text holds together.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mm_config::{Config, Environment, Overrides, Report};

fuzz_target!(|text: &str| {
    // The first line may set a variable: MM_BASH_TIMEOUT=x.
    let first = text.lines().next().unwrap_or_default();
    let variable = first.strip_prefix("# ").and_then(|line| line.split_once('='));
    let env = Environment::from_iter(variable);
    let flags = Overrides::default();
    let loaded = Config::from_yaml(text, "f", &env, &flags);
    let report = Report::of_yaml(text, "f", &env, &flags);
    match loaded {
        Err(problems) => {
            assert!(!problems.is_empty() && report.config.is_none());
            let places: Vec<_> = problems.iter().map(|p| (p.line.is_none(), p.line, p.column)).collect();
            assert!(places.is_sorted(), "in file order: {problems:?}");
            for problem in &problems {
                assert!(!problem.to_string().contains(['\n', '\r']), "one line: {problem}");
            }
        }
        // What is shown means the same.
        Ok(config) => {
            let shown = report.effective().unwrap().to_yaml();
            if shown.len() < 1 << 19 {
                let mut again = Config::from_yaml(&shown, "f", &Environment::default(), &flags)
                    .unwrap_or_else(|problems| panic!("{shown}\n{problems:?}"));
                again.warnings.clone_from(&config.warnings);
                again.unknown_keys.clone_from(&config.unknown_keys);
                assert_eq!(again, config, "{shown}");
            }
        }
    }
});
