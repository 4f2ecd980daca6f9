//! The rules of the house, as far as a program can check them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Who may use whom. A new arrow is a design decision.
const ARROWS: [(&str, &[&str]); 7] = [
    ("mm-schema", &[]),
    ("mm-hooks", &["mm-tools"]),
    ("mm-config", &["mm-schema"]),
    ("mm-llm", &["mm-schema"]),
    ("mm-tools", &["mm-schema"]),
    ("mm-session", &["mm-hooks", "mm-llm", "mm-schema", "mm-tools"]),
    ("mm-cli", &["mm-config", "mm-hooks", "mm-llm", "mm-schema", "mm-session", "mm-tools"]),
];
/// C builds that a simpler crate replaces, and crates known to fail.
const BANNED: [&str; 8] = [
    "aws-lc-sys",
    "openssl-sys",
    "native-tls",
    "onig_sys",
    "cmake",
    "eventsource-stream",
    "serde_yml",
    "yaml-rust",
];
/// Licences that the binary may contain; an expression with OR needs one of them.
const LICENCES: [&str; 12] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Unicode-3.0",
    "Zlib",
    "CC0-1.0",
    "MIT-0",
    "Unlicense",
    "CDLA-Permissive-2.0",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let version = std::process::Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = std::process::Command::new(cargo)
        // Of other platforms nothing was fetched.
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Every Rust file under a folder, with its text.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// The sources of each crate, tests in files of their own apart, with the code before `mod tests`.
fn library_sources() -> Vec<(String, PathBuf, String)> {
    let mut all = Vec::new();
    for (name, _) in ARROWS {
        for (path, text) in sources(&root().join("crates").join(name).join("src")) {
            let is_test = path.components().any(|part| {
                matches!(
                    part.as_os_str().to_str(),
                    Some("tests" | "tests.rs" | "cases.rs" | "testing" | "testing.rs")
                )
            });
            if !is_test {
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
                all.push((name.to_owned(), path, code));
            }
        }
    }
    assert!(all.len() > 60, "the sources are where they should be");
    all
}

#[test]
fn crates_use_each_other_only_along_the_arrows() {
    let metadata = metadata();
    let mut seen = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
            assert!(!name.starts_with("mm-"), "{name} is not in the table");
            continue;
        };
        seen.insert(name);
        for dependency in package["dependencies"].as_array().unwrap() {
            let other = dependency["name"].as_str().unwrap();
            let is_ours = other.starts_with("mm-") && other != name && dependency["kind"].is_null();
            assert!(!is_ours || allowed.contains(&other), "{name} must not use {other}");
        }
    }
    assert_eq!(seen.len(), ARROWS.len());
}

#[test]
fn licences_are_known_and_nothing_banned_is_used() {
    for package in metadata()["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        assert!(!BANNED.contains(&name), "{name} is banned");
        let licence = package["license"].as_str().unwrap_or_default().replace('/', " OR ");
        let fine = licence.split(" AND ").all(|part| {
            part.trim_matches(['(', ')', ' '])
                .split(" OR ")
                .any(|one| LICENCES.contains(&one.trim_matches(['(', ')', ' '])))
        });
        assert!(fine, "{name} has the licence {licence:?}");
    }
}

#[test]
fn files_are_short_and_say_what_they_are() {
    for (_, path, code) in library_sources() {
        let lines = code.lines().count();
        assert!(lines <= 600, "{}: {lines} lines without tests", path.display());
    }
    for folder in ["crates", "tests/it"] {
        for (path, text) in sources(&root().join(folder)) {
            let is_test_part =
                path.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests.rs" | "tests")))
                    && !path.ends_with("main.rs")
                    && folder == "crates";
            assert!(
                is_test_part || text.starts_with("//! "),
                "{} begins with a //! sentence",
                path.display()
            );
        }
    }
}

#[test]
fn only_the_program_touches_the_world_and_only_the_runner_starts_processes() {
    let world = [
        "println!",
        "print!(",
        "eprint",
        "std::env::var",
        "env::vars",
        "current_dir()",
        "std::process::exit",
        "process::exit",
    ];
    for (name, path, code) in library_sources() {
        let code: String =
            code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        if name != "mm-cli" {
            for word in world {
                assert!(!code.contains(word), "{}: {word}", path.display());
            }
        }
        let is_runner = path.starts_with(root().join("crates/mm-tools/src/process"));
        let starts = code.contains("process::Command") || code.contains("Command::new(");
        assert!(is_runner || !starts, "{} starts a process", path.display());
    }
}

#[test]
fn every_test_file_is_part_of_a_test() {
    for folder in ["tests/it", "crates"] {
        for (path, _) in sources(&root().join(folder)) {
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let dir = path.parent().unwrap();
            let is_root = ["main", "lib", "mod", "build"].contains(&stem.as_str());
            // A test that is a process of its own.
            let is_test = dir.ends_with("tests") && dir.join("../Cargo.toml").exists();
            if is_root || is_test {
                continue;
            }
            let beside =
                [dir.join("mod.rs"), dir.join("main.rs"), dir.join("lib.rs"), dir.with_extension("rs")];
            let declared = beside
                .iter()
                .filter_map(|parent| std::fs::read_to_string(parent).ok())
                .any(|text| text.contains(&format!("mod {stem};")));
            assert!(declared, "{} is not declared by any module", path.display());
        }
    }
}

#[test]
fn every_dependency_has_its_reason_and_no_commit_of_a_host() {
    let mut without = BTreeMap::new();
    for manifest in
        ["Cargo.toml", "crates/mm-llm/Cargo.toml", "crates/mm-tools/Cargo.toml", "crates/mm-cli/Cargo.toml"]
    {
        let text = std::fs::read_to_string(root().join(manifest)).unwrap();
        assert!(!text.contains("://"), "{manifest} names a host");
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let is_own =
                line.contains("workspace = true") || line.starts_with("mm-") || !line.contains(" = ");
            let has_version =
                line.contains("version = \"") || line.contains(" = \"1") || line.contains(" = \"0");
            let before = at.checked_sub(1).and_then(|n| lines.get(n)).copied().unwrap_or_default();
            if !is_own && has_version && !line.contains('#') && !before.starts_with('#') {
                without.insert(line.to_string(), manifest);
            }
        }
    }
    let design_card = [
        "tokio",
        "serde ",
        "thiserror",
        "clap",
        "insta",
        "wiremock",
        "jsonschema",
        "reqwest",
        "proptest",
        "tempfile",
        "version",
        "edition",
        "rust-version",
        "name",
    ];
    without.retain(|line, _| !design_card.iter().any(|known| line.starts_with(known)));
    assert!(without.is_empty(), "no reason beside {without:?}");
}

#[test]
fn the_example_files_load() {
    let mut count = 0;
    let entries = std::fs::read_dir(root().join("examples/agents")).unwrap().flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| path.extension() == Some("yaml".as_ref())) {
        let config = mm_config::Config::load(&path, &Default::default(), &Default::default());
        let config = config.unwrap_or_else(|problems| panic!("{problems:?}"));
        assert!(config.unknown_keys.is_empty(), "{:?}", config.unknown_keys);
        count += 1;
    }
    assert!(count > 0);
}
