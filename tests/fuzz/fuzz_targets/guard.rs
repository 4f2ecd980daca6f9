//! No text makes the guard panic, run out of stack or hang; a verdict that is not plain has its rule and its reason, on
//! one line; a command stays catastrophic whatever stands on the line before it.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use mm_tools::RiskLevel;
use mm_tools::guard::Guard;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let guard = Guard::default();
    let judge = |text: &str| guard.judge(text, Path::new("/home/me/project"), Some(Path::new("/home/me")));
    let risk = judge(&text);
    assert_eq!(risk.level == RiskLevel::Plain, risk.rule.is_empty());
    assert_eq!(risk.rule.is_empty(), risk.why.is_empty());
    assert!(!risk.why.contains('\n'), "{}", risk.why);
    let before = judge(&format!("rm -rf /\n{text}"));
    assert_eq!(before.level, RiskLevel::Catastrophic, "{before:?}");
});
