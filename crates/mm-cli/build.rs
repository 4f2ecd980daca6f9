//! Writes the commit and the target into `mm --version`.

use std::process::Command;

fn main() {
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo:rustc-env=MM_TARGET={target}");
    println!("cargo:rustc-env=MM_COMMIT={}", commit().unwrap_or_else(|| "unknown commit".into()));
    println!("cargo:rerun-if-changed=../../.git/HEAD");
    println!("cargo:rerun-if-changed=../../.git/logs/HEAD");
}

fn commit() -> Option<String> {
    let output = Command::new("git").args(["rev-parse", "--short=9", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !commit.is_empty()).then_some(commit)
}
