//! Programs that act on the machine: disks, power, processes, rights.

use super::options::{Options, Order};
use super::{Field, Judge, Value};
use crate::guard::place::Spot;
use crate::guard::rules::{COPY_BLOCKS, DISK, INLINE, KILL_ALL, OPEN_ROOT, POWER, RIGHTS, Rule, STOP};

/// Programs that format, partition or erase, but for those that begin with `mkfs`.
const DISKS: [&str; 20] = [
    "badblocks",
    "blkdiscard",
    "cfdisk",
    "cryptsetup",
    "diskutil",
    "fdisk",
    "gdisk",
    "hdparm",
    "lvremove",
    "mke2fs",
    "mkswap",
    "newfs",
    "nvme",
    "parted",
    "pvremove",
    "sfdisk",
    "sgdisk",
    "vgremove",
    "wipefs",
    "zpool",
];
/// What makes of these a harmless question.
const ASKING: [&str; 15] = [
    "-l",
    "--list",
    "-n",
    "--no-act",
    "-p",
    "--print",
    "print",
    "list",
    "status",
    "info",
    "-I",
    "-i",
    "show",
    "get",
    "smart-log",
];
/// What makes of these, which mostly ask, more than a question.
const ERASING: [&str; 16] = [
    "-w",
    "--security-erase",
    "eraseDisk",
    "eraseVolume",
    "erase",
    "format",
    "luksFormat",
    "luksErase",
    "partitionDisk",
    "secureErase",
    "zeroDisk",
    "sanitize",
    "destroy",
    "labelclear",
    "remove",
    "--user-master",
];
/// Those that need one of [`ERASING`].
const MOSTLY_ASKING: [&str; 6] = ["badblocks", "cryptsetup", "diskutil", "hdparm", "nvme", "zpool"];
const POWERS: [&str; 5] = ["halt", "poweroff", "pm-hibernate", "reboot", "shutdown"];
const STOPS: [&str; 7] = ["fuser", "kill", "killall", "killall5", "pkill", "skill", "xkill"];
/// The names of disks, without what follows.
const DEVICES: [&str; 22] = [
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "mapper/", "md", "nbd", "zd", "sr",
    "loop", "mem", "kmem", "port", "block/", "mtd", "pmem", "ram",
];

/// Whether a program of this name is one of these.
pub(super) fn is_known(name: &str) -> bool {
    is_formatter(name)
        || POWERS.contains(&name)
        || STOPS.contains(&name)
        || matches!(name, "dd" | "chmod" | "chown" | "chgrp" | "chattr")
}

fn is_formatter(name: &str) -> bool {
    DISKS.contains(&name) || name == "mkfs" || name.starts_with("mkfs.") || name.starts_with("newfs_")
}

/// Whether a path is a disk, or the memory.
pub(in crate::guard) fn is_disk(path: &str) -> bool {
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    DEVICES.iter().any(|device| name.starts_with(device))
}

pub(super) fn run(judge: &mut Judge<'_>, name: &str, args: &[Field], _input: &Value) -> Option<Value> {
    if is_formatter(name) {
        let has = |words: &[&str]| args.iter().any(|arg| words.contains(&arg.text()));
        let asks =
            args.is_empty() || if MOSTLY_ASKING.contains(&name) { !has(&ERASING) } else { has(&ASKING) };
        if !asks {
            judge.find(&DISK);
        }
        return Some(Value::default());
    }
    let found = match name {
        "dd" => {
            for target in args.iter().filter_map(|arg| arg.text().strip_prefix("of=")) {
                judge.write(target);
            }
            Some(&COPY_BLOCKS)
        }
        "cp" | "install" => {
            if let Some(target) = Options::read(args, "-t -m -o -g", Order::Any).operands.last() {
                judge.write(target.text());
            }
            None
        }
        "sed" => args.iter().any(runs_commands).then_some(&INLINE),
        "chmod" | "chown" | "chgrp" | "chattr" => rights(judge, name, args),
        name if STOPS.contains(&name) => stops(name, args),
        name => power(name, args),
    };
    found.map(|rule| {
        judge.find(rule);
        Value::default()
    })
}

/// A script of `sed` whose `e` runs a command, as it is mostly written.
fn runs_commands(arg: &Field) -> bool {
    let text = arg.text();
    text.starts_with("1e ") || text.starts_with("e ")
}

fn power(name: &str, args: &[Field]) -> Option<&'static Rule> {
    let has = |words: &[&str]| args.iter().any(|arg| words.contains(&arg.text()));
    let stops = match name {
        "shutdown" => !has(&["-c", "-k", "--help"]),
        "init" | "telinit" => has(&["0", "1", "6"]),
        "kexec" => has(&["-e", "--exec"]),
        "systemctl" | "loginctl" => has(&[
            "poweroff",
            "reboot",
            "halt",
            "kexec",
            "suspend",
            "hibernate",
            "hybrid-sleep",
            "rescue",
            "emergency",
            "isolate",
            "soft-reboot",
        ]),
        name => POWERS.contains(&name),
    };
    stops.then_some(&POWER)
}

fn stops(name: &str, args: &[Field]) -> Option<&'static Rule> {
    let has = |words: &[&str]| args.iter().any(|arg| words.contains(&arg.text()));
    if name == "fuser" && !has(&["-k", "--kill", "-km", "-mk"]) {
        return None;
    }
    if name == "kill" && has(&["-l", "-L", "-0", "--list", "--table"]) {
        return None;
    }
    // A first argument with a dash is the signal.
    let is_signal = |arg: &Field| arg.text().starts_with('-') && arg.text() != "--";
    let targets = match args {
        [option, _, rest @ ..] if name == "kill" && matches!(option.text(), "-s" | "-n" | "--signal") => rest,
        [first, rest @ ..] if is_signal(first) => rest,
        all => all,
    };
    let options = Options::read(args, "-u -U -g -G -t -s --signal --euid --uid", Order::Any);
    let is_all = match name {
        "kill" => targets.iter().any(|target| target.text() == "-1"),
        "killall5" => true,
        "pkill" | "killall" | "skill" => {
            let takes_all = |target: &&Field| matches!(target.text(), "" | "." | ".*" | "^");
            options.operands.iter().any(takes_all)
                || (options.operands.is_empty() && options.has(&["-u", "-U", "--euid", "--uid", "--user"]))
        }
        _ => false,
    };
    Some(if is_all { &KILL_ALL } else { &STOP })
}

fn rights(judge: &mut Judge<'_>, name: &str, args: &[Field]) -> Option<&'static Rule> {
    let options = Options::read(args, "--reference --from", Order::Any);
    let is_recursive = options.has(&["-R", "--recursive"]);
    // Modes such as -x look like options.
    let mode = options.operand(0);
    let skipped = usize::from(!options.has(&["--reference"]));
    for target in options.operands.iter().skip(skipped).filter(|_| is_recursive) {
        if judge.place.spot(target.text(), judge.cwd.as_deref(), target.is_pattern) == Spot::Root {
            judge.find(&OPEN_ROOT);
        }
    }
    let is_numeric = !mode.is_empty() && mode.chars().all(|c| c.is_digit(8));
    (name != "chmod" || is_numeric || judge.is_privileged).then_some(&RIGHTS)
}
