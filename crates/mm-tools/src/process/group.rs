//! The processes that belong to one command.

use std::collections::BTreeSet;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::time::Instant;

/// Between two looks at whether a group is gone.
const STEP: Duration = Duration::from_millis(20);

/// The session that a started process leads: its group, and the groups that job control made in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    /// The leader's pid, which is the number of its group and session as well.
    leader: u32,
    /// When the leader started, to tell it from a later process of the same pid.
    started: Option<u64>,
}

/// A process that is alive.
#[derive(Clone, Copy, Debug)]
struct Member {
    pid: u32,
    group: u32,
}

impl Group {
    /// The group of a process that was started as the leader of a session and was not reaped yet.
    pub(super) fn led_by(pid: u32) -> Option<Self> {
        number(pid).filter(|pid| !pid.is_init())?;
        Some(Self { leader: pid, started: scan::started(pid) })
    }

    /// The processes alive, in ascending order; none if the number belongs to somebody else by now.
    pub(super) fn pids(self) -> BTreeSet<u32> {
        self.members().iter().map(|member| member.pid).collect()
    }

    /// Sends a signal to each process of the session. A process may end meanwhile, which is no error.
    pub(super) fn signal(self, signal: Signal) {
        let groups: BTreeSet<u32> = self.members().iter().map(|member| member.group).collect();
        for group in groups.into_iter().filter_map(number) {
            let _ = kill_process_group(group, signal);
        }
    }

    /// Sends TERM, and KILL when something is left after `grace`. Ends once all are gone; a process that
    /// even KILL does not end (one that hangs in the kernel) is given up after as long again.
    pub(super) async fn end(self, grace: Duration) {
        self.signal(Signal::TERM);
        let begun = Instant::now();
        while begun.elapsed() < 2 * grace {
            if self.members().is_empty() {
                return;
            }
            if begun.elapsed() >= grace {
                // Again at each step, for those that were born meanwhile.
                self.signal(Signal::KILL);
            }
            tokio::time::sleep(STEP).await;
        }
    }

    /// Looks again for a moment at those that were just about to end.
    pub(super) async fn settled(self) -> Vec<u32> {
        let mut left = self.pids();
        for _ in 0..3 {
            if left.is_empty() {
                break;
            }
            tokio::time::sleep(STEP).await;
            left = self.pids();
        }
        left.into_iter().collect()
    }

    fn members(self) -> Vec<Member> {
        match self.started {
            Some(started) => scan::members(self.leader, started),
            None => self.as_one(),
        }
    }

    /// Asks about the group as a whole, where there is nothing to look through: it counts as one member.
    fn as_one(self) -> Vec<Member> {
        let alive = number(self.leader).is_some_and(|group| test_kill_process_group(group).is_ok());
        alive.then_some(Member { pid: self.leader, group: self.leader }).into_iter().collect()
    }
}

fn number(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

#[cfg(target_os = "linux")]
mod scan {
    //! Looks through `/proc`.

    use super::Member;

    /// What the kernel tells about a process.
    struct Stat {
        state: String,
        group: u32,
        session: u32,
        started: u64,
    }

    pub(super) fn started(pid: u32) -> Option<u64> {
        stat(pid).map(|stat| stat.started)
    }

    /// The living members of a session. The kernel does not give a number to a new process while it is
    /// that of a session with members: if there is another leader, then our session is gone.
    pub(super) fn members(leader: u32, started: u64) -> Vec<Member> {
        if stat(leader).is_some_and(|now| now.started != started) {
            return Vec::new();
        }
        let Ok(entries) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter_map(|pid| {
            // One call tells of nearly all that they are strangers; their files would take most of the time.
            if session(pid).is_some_and(|session| session != leader) {
                return None;
            }
            let stat = stat(pid)?;
            let dead = matches!(stat.state.as_str(), "Z" | "X");
            (stat.session == leader && !dead).then_some(Member { pid, group: stat.group })
        })
        .collect()
    }

    /// The session of a process, if the system tells.
    fn session(pid: u32) -> Option<u32> {
        let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).ok()?);
        u32::try_from(nix::unistd::getsid(Some(pid)).ok()?.as_raw()).ok()
    }

    fn stat(pid: u32) -> Option<Stat> {
        let line = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse(&String::from_utf8_lossy(&line))
    }

    /// The second field, the name, is in parentheses and may hold anything, more of them as well.
    fn parse(line: &str) -> Option<Stat> {
        let (_, fields) = line.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        Some(Stat {
            state: (*fields.first()?).to_owned(),
            group: fields.get(2)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
            let line = "42 (a) b (c)) S 1 40 39 0 -1 4194560 100 0 0 0 0 0 0 0 20 0 1 0 987654 2 3";
            let stat = parse(line).unwrap();
            assert_eq!((stat.state.as_str(), stat.group, stat.session, stat.started), ("S", 40, 39, 987_654));
        }

        #[test]
        fn a_later_process_with_the_number_of_a_leader_is_left_alone() {
            let me = std::process::id();
            let session = stat(me).unwrap().session;
            let leader = started(session).unwrap_or(0);
            assert!(members(session, leader).iter().any(|member| member.pid == me));
            if leader > 0 {
                assert!(members(session, leader + 1).is_empty());
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod scan {
    //! Nothing to look through.

    use super::Member;

    pub(super) fn started(_pid: u32) -> Option<u64> {
        None
    }

    pub(super) fn members(_leader: u32, _started: u64) -> Vec<Member> {
        Vec::new()
    }
}
