//! One run of a program, with the time, the work and the memory that it took.
//!
//! A process counts what its ended children used, all together. So each run is started by a process of its own, this
//! program again with the word `measure`, which has one child and tells what it counted. That one is small, too: a
//! child's peak begins with the size of the process that started it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

/// What a run took.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// From start to end.
    pub wall: Duration,
    /// User and system time, of the children it waited for as well.
    pub cpu: Duration,
    /// The most memory that it had at once, in KiB.
    pub peak: u64,
}

/// Where programs run: a home and a directory of their own, and nothing else in the environment but `PATH`.
pub struct Place {
    pub home: PathBuf,
    pub cwd: PathBuf,
}

impl Place {
    /// Runs a program to its end; gives what it took, and what it wrote to stdout.
    pub fn run(&self, program: &Path, args: &[&str], env: &[(&str, &str)]) -> (Taken, Vec<u8>) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("measure").arg(program).args(args).current_dir(&self.cwd).stdin(Stdio::null());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", &self.home);
        let output = command.envs(env.iter().copied()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} {args:?} failed: {told}", program.display());
        let counts: Vec<u64> = told.split_whitespace().map(|count| count.parse().unwrap()).collect();
        let taken = Taken {
            wall: Duration::from_nanos(counts[0]),
            cpu: Duration::from_micros(counts[1]),
            peak: counts[2],
        };
        (taken, output.stdout)
    }
}

/// The other side of [`Place::run`]: starts the program and writes the counts to stderr.
pub fn measure(mut args: impl Iterator<Item = String>) -> ExitCode {
    let mut command = Command::new(args.next().unwrap());
    command.args(args).stdin(Stdio::null()).stderr(Stdio::null());
    let begin = Instant::now();
    let status = command.status().unwrap();
    let wall = begin.elapsed();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let cpu = micros(usage.user_time()) + micros(usage.system_time());
    eprintln!("{} {cpu} {}", wall.as_nanos(), usage.max_rss());
    if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
