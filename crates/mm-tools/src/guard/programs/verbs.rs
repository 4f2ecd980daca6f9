//! Programs whose first word says what they do: git, package managers, containers, other machines.

use super::options::{Options, Order};
use super::{Field, Judge, Value};
use crate::guard::expand::Taint;
use crate::guard::rules::{
    CONTAINER, DELETE, DELETE_ROOT, DISCARD, PACKAGES, PUBLISH, REMOTE, Rule, STOP, UPLOAD,
};

/// Programs; what they do, in one word or two, `*` for anything; options that take a value; the rule.
type Row = (&'static [&'static str], &'static [&'static str], &'static str, &'static Rule);

const DOCKER: &str = "--context -H --host -c --config -l --log-level -f --file -p --project-name";
const KUBE: &str = "-n --namespace --context --kubeconfig --cluster -l -f";

/// The programs of [`ROWS`], in order.
const NAMES: [&str; 66] = [
    "ansible",
    "ansible-playbook",
    "apk",
    "apt",
    "apt-get",
    "aptitude",
    "aws",
    "brew",
    "bun",
    "bzr",
    "cargo",
    "dnf",
    "docker",
    "docker-compose",
    "flatpak",
    "flit",
    "ftp",
    "gem",
    "gh",
    "glab",
    "go",
    "hatch",
    "helm",
    "hg",
    "incus",
    "jj",
    "kubectl",
    "launchctl",
    "lxc",
    "microdnf",
    "mosh",
    "nerdctl",
    "nix",
    "npm",
    "oc",
    "pdm",
    "pip",
    "pip3",
    "pipx",
    "pnpm",
    "podman",
    "podman-compose",
    "poetry",
    "port",
    "pulumi",
    "rclone",
    "rlogin",
    "rsh",
    "rustup",
    "scp",
    "service",
    "sftp",
    "snap",
    "svn",
    "systemctl",
    "tdnf",
    "telnet",
    "terraform",
    "tofu",
    "twine",
    "uv",
    "vagrant",
    "virsh",
    "yarn",
    "yum",
    "zypper",
];

static ROWS: &[Row] = &[
    (
        &["apt", "apt-get", "aptitude"],
        &[
            "install",
            "remove",
            "purge",
            "upgrade",
            "full-upgrade",
            "dist-upgrade",
            "autoremove",
            "build-dep",
            "reinstall",
        ],
        "-o -c -t",
        &PACKAGES,
    ),
    (
        &["dnf", "yum", "microdnf", "zypper", "tdnf"],
        &[
            "install",
            "in",
            "remove",
            "rm",
            "erase",
            "update",
            "up",
            "upgrade",
            "dup",
            "dist-upgrade",
            "downgrade",
            "reinstall",
            "autoremove",
            "swap",
            "groupinstall",
        ],
        "-c",
        &PACKAGES,
    ),
    (&["apk"], &["add", "del", "upgrade", "fix"], "-p --root -X", &PACKAGES),
    (
        &["brew", "port"],
        &[
            "install",
            "uninstall",
            "upgrade",
            "reinstall",
            "remove",
            "rm",
            "link",
            "unlink",
            "autoremove",
            "tap",
            "untap",
        ],
        "",
        &PACKAGES,
    ),
    (&["snap"], &["install", "remove", "refresh", "revert", "disable", "enable"], "", &PACKAGES),
    (&["flatpak"], &["install", "uninstall", "remove", "update"], "", &PACKAGES),
    (
        &["pip", "pip3", "pipx"],
        &["install", "uninstall", "upgrade", "inject"],
        "--proxy --log --python",
        &PACKAGES,
    ),
    (&["gem"], &["install", "uninstall", "update", "cleanup"], "", &PACKAGES),
    (&["cargo"], &["install", "uninstall"], "--config -C --color -Z", &PACKAGES),
    (
        &["rustup"],
        &[
            "update",
            "install",
            "uninstall",
            "default",
            "toolchain install",
            "toolchain uninstall",
            "self update",
            "self uninstall",
        ],
        "",
        &PACKAGES,
    ),
    (&["go"], &["install"], "-C", &PACKAGES),
    (
        &["uv"],
        &["tool install", "tool uninstall", "python install", "python uninstall", "self update"],
        "",
        &PACKAGES,
    ),
    (&["yarn"], &["global"], "", &PACKAGES),
    (&["nix"], &["profile install", "profile remove", "profile add", "profile upgrade"], "", &PACKAGES),
    (
        &["npm", "pnpm", "yarn", "bun"],
        &["publish", "unpublish", "deprecate"],
        "--prefix --registry",
        &PUBLISH,
    ),
    (&["cargo"], &["publish", "yank"], "--config -C --color -Z", &PUBLISH),
    (&["gem"], &["push", "yank"], "", &PUBLISH),
    (&["twine"], &["upload"], "", &PUBLISH),
    (&["uv", "poetry", "flit", "hatch", "pdm"], &["publish"], "", &PUBLISH),
    (&["hg", "jj", "svn", "bzr"], &["push", "commit", "ci", "git push"], "", &PUBLISH),
    (
        &["gh", "glab"],
        &[
            "pr create",
            "pr merge",
            "pr close",
            "mr create",
            "mr merge",
            "repo create",
            "repo delete",
            "repo archive",
            "repo edit",
            "release create",
            "release delete",
            "release upload",
            "issue create",
            "issue close",
            "issue delete",
            "gist create",
            "secret set",
            "workflow run",
        ],
        "-R --repo",
        &PUBLISH,
    ),
    (&["docker", "podman", "nerdctl"], &["push", "image push"], DOCKER, &UPLOAD),
    (
        &["docker", "podman", "nerdctl"],
        &[
            "run",
            "exec",
            "start",
            "restart",
            "stop",
            "kill",
            "rm",
            "rmi",
            "create",
            "update",
            "pause",
            "swarm",
            "service",
            "stack",
            "container run",
            "container exec",
            "container start",
            "container restart",
            "container stop",
            "container kill",
            "container rm",
            "container prune",
            "image rm",
            "image prune",
            "system prune",
            "system reset",
            "volume rm",
            "volume prune",
            "network rm",
            "network prune",
            "builder prune",
            "compose up",
            "compose down",
            "compose run",
            "compose exec",
            "compose start",
            "compose restart",
            "compose stop",
            "compose kill",
            "compose rm",
        ],
        DOCKER,
        &CONTAINER,
    ),
    (
        &["docker-compose", "podman-compose"],
        &["up", "down", "run", "exec", "start", "restart", "stop", "kill", "rm"],
        DOCKER,
        &CONTAINER,
    ),
    (&["lxc", "incus"], &["launch", "exec", "start", "stop", "delete", "restart"], "", &CONTAINER),
    (
        &["vagrant", "virsh"],
        &["up", "destroy", "halt", "ssh", "start", "shutdown", "undefine", "reboot"],
        "",
        &CONTAINER,
    ),
    (
        &["kubectl", "oc", "helm"],
        &[
            "apply",
            "create",
            "delete",
            "exec",
            "drain",
            "edit",
            "patch",
            "replace",
            "scale",
            "rollout",
            "run",
            "cp",
            "install",
            "uninstall",
            "upgrade",
            "rollback",
        ],
        KUBE,
        &REMOTE,
    ),
    (&["terraform", "tofu", "pulumi"], &["apply", "destroy", "up", "import"], "-chdir", &REMOTE),
    (&["aws"], &["s3 cp", "s3 mv", "s3 rm", "s3 sync", "s3 rb"], "--profile --region", &REMOTE),
    (
        &["scp", "sftp", "mosh", "telnet", "rlogin", "rsh", "ftp", "ansible", "ansible-playbook", "rclone"],
        &["*"],
        "",
        &REMOTE,
    ),
    (
        &["systemctl", "service", "launchctl"],
        &["stop", "restart", "disable", "mask", "kill", "bootout", "unload"],
        "-H -M",
        &STOP,
    ),
];

/// Package managers that are told what to do by their options.
const SPECIAL: [&str; 13] = [
    "bun", "conda", "dpkg", "emerge", "mamba", "nix-env", "npm", "pacman", "paru", "pnpm", "rpm", "uv", "yay",
];

/// Whether a program of this name is one of these.
pub(super) fn is_known(name: &str) -> bool {
    name == "git" || SPECIAL.contains(&name) || NAMES.binary_search(&name).is_ok()
}

pub(super) fn run(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Option<Value> {
    if name == "git" {
        return Some(git(judge, args, input));
    }
    if let Some(rule) = special(name, args) {
        judge.find(rule);
        return Some(Value::default());
    }
    // A program of a virtual environment changes that alone; its path is gone here.
    let name = if is_pip(name) { "pip" } else { name };
    let is_one =
        |(programs, verbs, with_value, _): &&Row| programs.contains(&name) && does(args, verbs, with_value);
    let (programs, .., rule) = ROWS.iter().find(is_one)?;
    judge.find(rule);
    if programs.contains(&"docker") {
        mounts(judge, args);
    }
    Some(Value::unknown(Taint::None))
}

fn is_pip(name: &str) -> bool {
    name.strip_prefix("pip").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// Whether the first operand, or the first two, are among some words.
fn does(args: &[Field], verbs: &[&str], with_value: &str) -> bool {
    let options = Options::read(args, with_value, Order::Any);
    let (first, second) = (options.operand(0), options.operand(1));
    verbs.iter().any(|verb| match verb.split_once(' ') {
        Some((one, two)) => one == first && two == second,
        None => *verb == first || (*verb == "*" && !first.is_empty()),
    })
}

/// Programs that are told what to do by their options.
fn special(name: &str, args: &[Field]) -> Option<&'static Rule> {
    if SPECIAL.binary_search(&name).is_err() {
        return None;
    }
    let options = Options::read(args, "", Order::Any);
    let verb = options.operand(0);
    let changes = match name {
        "npm" | "pnpm" | "bun" => {
            let is_global = options.has(&["-g", "--global", "--location"]);
            is_global && !matches!(verb, "list" | "ls" | "root" | "prefix" | "config" | "view" | "outdated")
        }
        "dpkg" => options.has(&["-i", "-r", "-P", "--install", "--remove", "--purge", "--unpack"]),
        "rpm" => {
            !options.has(&["-q", "--query"])
                && options.has(&["-i", "-e", "-U", "-F", "--install", "--erase", "--upgrade"])
        }
        "pacman" | "yay" | "paru" => {
            let asks = options.has(&["-s", "-i", "-l", "-g", "--search", "--info", "--list", "-p"]);
            options.has(&["-R", "-U", "--remove", "--upgrade"]) || (options.has(&["-S", "--sync"]) && !asks)
        }
        "nix-env" => options.has(&["-i", "-e", "-u", "--install", "--uninstall", "--upgrade"]),
        "emerge" => !options.has(&["-p", "-s", "--pretend", "--search"]) && !args.is_empty(),
        "conda" | "mamba" => matches!(verb, "install" | "remove" | "update" | "upgrade"),
        "uv" => verb == "pip" && options.has(&["--system"]),
        _ => false,
    };
    changes.then_some(&PACKAGES)
}

/// A container that is given the root, or the home, and a command that deletes.
fn mounts(judge: &mut Judge<'_>, args: &[Field]) {
    let options = Options::read(args, "-v --volume --mount", Order::Any);
    let is_root = |field: &Field| {
        let text = field.text();
        text.starts_with("/:") || text.split(',').any(|part| matches!(part, "source=/" | "src=/"))
    };
    let deletes = |arg: &Field| {
        let is_eraser = |word: &str| matches!(word.rsplit('/').next(), Some("rm" | "shred" | "mkfs" | "dd"));
        arg.text().split_whitespace().next().is_some_and(is_eraser)
    };
    if options.values(&["-v", "--volume", "--mount"]).any(is_root) && args.iter().any(deletes) {
        judge.find(&DELETE_ROOT);
    }
}

/// Finds out whether a program that mostly downloads sends files, other than to this machine.
pub(super) fn upload(judge: &mut Judge<'_>, name: &str, args: &[Field]) {
    let is_local = |arg: &Field| {
        let address = arg.text().split_once("://").map_or(arg.text(), |(_, rest)| rest);
        ["localhost", "127.", "[::1]"].iter().any(|local| address.starts_with(local))
    };
    let options = Options::read(
        args,
        "-T --upload-file -F --form -d --data --data-binary --data-ascii --data-urlencode -H --header -X --request -o --output -u --user -A -e --post-file --body-file",
        Order::Any,
    );
    let from_file = |field: &Field| field.text().starts_with('@') && field.text() != "@-";
    let in_form = |field: &Field| field.text().contains("=@") || field.text().contains("=<");
    let sends = match name {
        "curl" => {
            options.has(&["-T", "--upload-file"])
                || options.values(&["-F", "--form"]).any(in_form)
                || options
                    .values(&["-d", "--data", "--data-binary", "--data-ascii", "--data-urlencode"])
                    .any(from_file)
        }
        "wget" => options.has(&["--post-file", "--body-file"]),
        "rsync" => {
            let is_remote = |target: &&Field| target.text().contains(':');
            options.operands.last().is_some_and(is_remote)
        }
        "nc" | "ncat" | "netcat" | "socat" => {
            let listens = options.has(&["-l", "-z", "-h"]);
            if !listens && !args.is_empty() && !args.iter().any(is_local) {
                judge.find(&REMOTE);
            }
            return;
        }
        _ => false,
    };
    if sends && !args.iter().any(is_local) {
        judge.find(&UPLOAD);
    }
}

fn git(judge: &mut Judge<'_>, args: &[Field], input: &Value) -> Value {
    let globals = Options::read(args, "-C -c --git-dir --work-tree --namespace --exec-path", Order::First);
    // An alias that begins with `!` is a command line.
    for setting in globals.values(&["-c"]) {
        if let Some((_, text)) = setting.text().split_once("=!") {
            let text = Value { text: text.to_owned(), taint: setting.value.taint };
            judge.apart(|judge| judge.text(&text, input));
        }
    }
    let Some((verb, args)) = globals.rest.split_first() else { return Value::default() };
    let options = Options::read(args, "-m --message -b -B -C -x --exec -s --source", Order::Any);
    let first = options.operand(0);
    let command = match (verb.text(), first) {
        ("submodule", "foreach") => {
            options.operands.iter().skip(1).map(|field| field.value.clone()).collect()
        }
        ("bisect", "run") => {
            let argv: Vec<Field> = options.operands.iter().skip(1).map(|field| (*field).clone()).collect();
            judge.apart(|judge| judge.run(&argv, input));
            Vec::new()
        }
        ("rebase", _) => options.values(&["-x", "--exec"]).map(|field| field.value.clone()).collect(),
        ("config", _) => {
            let aliases = options.operands.iter().filter_map(|field| field.text().strip_prefix('!'));
            aliases.map(Value::known).collect()
        }
        _ => Vec::new(),
    };
    for text in command {
        judge.apart(|judge| judge.text(&text, input));
    }
    if let Some(rule) = loses(verb.text(), args, &options) {
        judge.find(rule);
    }
    Value::unknown(Taint::None)
}

/// What a command of git takes away or gives away.
fn loses(verb: &str, args: &[Field], options: &Options<'_>) -> Option<&'static Rule> {
    let has = |names: &[&str]| options.has(names);
    let first = options.operand(0);
    let is_dry = has(&["-n", "--dry-run"]);
    let has_dashes = args.iter().any(|arg| arg.text() == "--");
    let discards = match verb {
        "push" if !is_dry => return Some(&PUBLISH),
        "send-email" => return Some(&PUBLISH),
        "svn" if first == "dcommit" => return Some(&PUBLISH),
        "reset" => has(&["--hard", "--merge", "--keep"]),
        "clean" => !is_dry && has(&["-f", "--force"]),
        "checkout" => {
            has_dashes || has(&["-f", "--force"]) || options.operands.iter().any(|field| field.text() == ".")
        }
        "restore" => !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]),
        "switch" => has(&["-f", "--force", "--discard-changes"]),
        "branch" => has(&["-D"]) || (has(&["-d", "--delete"]) && has(&["-f", "--force"])),
        "tag" => has(&["-d", "--delete"]),
        "stash" => matches!(first, "drop" | "clear"),
        "reflog" => matches!(first, "expire" | "delete"),
        "gc" => has(&["--prune"]),
        "prune" | "filter-branch" | "filter-repo" => !is_dry,
        "update-ref" => has(&["-d"]),
        "worktree" => first == "remove" && has(&["-f", "--force"]),
        "rm" => !is_dry && !has(&["--cached"]) && has(&["-f", "--force", "-r"]),
        _ => false,
    };
    let rule = if verb == "rm" { &DELETE } else { &DISCARD };
    discards.then_some(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_rows() {
        let rows: std::collections::BTreeSet<&str> = ROWS.iter().flat_map(|row| row.0).copied().collect();
        assert_eq!(rows.into_iter().collect::<Vec<_>>(), NAMES);
        assert!(SPECIAL.is_sorted());
    }
}
