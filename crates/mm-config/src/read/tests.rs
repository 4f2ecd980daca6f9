use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::{Config, Environment, Overrides, weight::MAX_BYTES};

fn load(path: &Path) -> String {
    match Config::load(path, &Environment::default(), &Overrides::default()) {
        Ok(config) => config.model,
        Err(problems) => {
            let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
            lines.join("\n").replace(&path.display().to_string(), "FILE")
        }
    }
}

fn file(directory: &TempDir, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join("agent.yaml");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_file_is_text_or_its_problem_says_what_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let large = [b"# ".as_slice(), &b"\xC3\xA9".repeat(MAX_BYTES / 2)].concat();
    let utf16: Vec<u8> = "model: x".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked =
        [&[0xFE, 0xFF], "model: x".encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>().as_slice()]
            .concat();
    let rows: &[(&[u8], &str)] = &[
        (b"model: x\n", "x"),
        (b"\xEF\xBB\xBFmodel: x\r\n", "x"),
        (b"model: \xC3\xA9", "é"),
        (&utf16, "[config error: FILE: the file is UTF-16: save it as UTF-8]"),
        (&marked, "[config error: FILE: the file is UTF-16: save it as UTF-8]"),
        (b"a: 1\nb: \xFF", "[config error: FILE: line 2, column 4: this is not UTF-8 text]"),
        (
            b"\x7FELF\x02\x01\x01\0",
            "[config error: FILE: line 1, column 8: this is a binary file, not YAML text]",
        ),
        (b"model: x\0", "[config error: FILE: line 1, column 9: this is a binary file, not YAML text]"),
        (&large, "[config error: FILE: line 1, column 524290: the file is larger than 1 MiB]"),
    ];
    for (bytes, expected) in rows {
        assert_eq!(load(&file(&directory, bytes)), *expected);
    }
    assert_eq!(
        load(&file(&directory, b"")),
        Config::defaults(&Environment::default(), &Overrides::default()).unwrap().model
    );
}

#[test]
fn what_is_no_file_is_not_read() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(load(directory.path()), "[config error: FILE: this is a directory, not a file]");
    assert_eq!(load(&directory.path().join("x.yaml")), "[config error: FILE: no such file]");
    let below = file(&directory, b"").join("x.yaml");
    assert!(load(&below).starts_with("[config error: FILE: the file cannot be read: "));
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_do_not_hang() {
    let directory = tempfile::tempdir().unwrap();
    let not_regular = "[config error: FILE: this is not a regular file]";
    assert_eq!(load(Path::new("/dev/zero")), not_regular);
    let pipe = directory.path().join("pipe");
    if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        assert_eq!(load(&pipe), not_regular);
    }
}

#[test]
fn not_more_than_the_limit_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sparse.yaml");
    // Ten gigabytes, of which nothing is on the disk: reading them would take the test down.
    File::create(&path).unwrap().set_len(10 << 30).unwrap();
    assert!(load(&path).ends_with("this is a binary file, not YAML text]"));
}
