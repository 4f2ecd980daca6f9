//! Programs that start the program among their arguments.

use super::options::{Options, Order};
use super::{Field, Judge, Value};
use crate::guard::expand::Taint;
use crate::guard::judge::joined;
use crate::guard::place::absolute;
use crate::guard::rules::{REMOTE, SUDO};

/// A name; its options that take a value; how many operands stand before the program.
type Row = (&'static str, &'static str, usize);

/// In the order of their names.
const ROWS: [Row; 31] = [
    ("builtin", "", 0),
    ("busybox", "", 0),
    ("caffeinate", "-t -w", 0),
    ("catchsegv", "", 0),
    ("chroot", "", 1),
    ("chrt", "-T -P -D", 1),
    ("command", "", 0),
    ("dbus-run-session", "--config-file", 0),
    ("exec", "-a", 0),
    ("fakeroot", "-i -s -l -f", 0),
    ("faketime", "-f", 1),
    ("firejail", "", 0),
    ("flock", "-w -E --timeout --conflict-exit-code -c --command", 1),
    ("ionice", "-c -n -p -P -u --class --classdata", 0),
    ("linux32", "", 0),
    ("linux64", "", 0),
    ("ltrace", "-o -e -n -s -u -p -l", 0),
    ("nice", "-n --adjustment", 0),
    ("nohup", "", 0),
    ("nsenter", "-t -S -G -r --target", 0),
    ("rlwrap", "", 0),
    ("setpriv", "--reuid --regid --groups", 0),
    ("setsid", "", 0),
    ("stdbuf", "-i -o -e --input --output --error", 0),
    ("strace", "-o -e -s -p -u -E -a -b -I -O -P -S", 0),
    ("systemd-run", "-u -p -E -H -M --unit --property --setenv", 0),
    ("taskset", "", 1),
    ("time", "-f -o --format --output", 0),
    ("timeout", "-k -s --kill-after --signal", 1),
    ("toybox", "", 0),
    ("unshare", "-R -w -S -G --root --wd", 0),
];
/// Those that act with another user's rights.
const PRIVILEGED: [&str; 6] = ["doas", "pkexec", "run0", "runuser", "su", "sudo"];

/// The options of those that take a value.
const OF_SU: &str = "-u -g -G -c -s -w --user --group --command --shell";
const OF_SUDO: &str =
    "-u -g -p -C -h -D -R -r -t -T -U --user --group --chdir --host --prompt --role --type --other-user";

/// Whether a program of this name starts others with more rights.
pub(super) fn is_known(name: &str) -> bool {
    PRIVILEGED.contains(&name) || matches!(name, "find" | "xargs" | "ssh")
}

pub(super) fn run(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Option<Value> {
    if PRIVILEGED.contains(&name) {
        return Some(privileged(judge, name, args, input));
    }
    Some(match name {
        "command" if args.first().is_some_and(|arg| matches!(arg.text(), "-v" | "-V")) => {
            args.get(1).map(|arg| arg.value.clone()).unwrap_or_default()
        }
        "env" => env(judge, args, input),
        "xargs" => xargs(judge, args, input),
        "parallel" => parallel(judge, args, input),
        "watch" => {
            let options = Options::read(args, "-n --interval", Order::First);
            judge.text(&joined(options.rest), input)
        }
        "script" => {
            let options = Options::read(args, "-c --command -E -I -O -B -T -o", Order::Any);
            let text = options.value(&["-c", "--command"]).map(|field| field.value.clone());
            judge.text(&text.unwrap_or_default(), input)
        }
        "nix-shell" => {
            let options = Options::read(args, "--run --command -p -A", Order::Any);
            let text = options.value(&["--run", "--command"]).map(|field| field.value.clone());
            judge.text(&text.unwrap_or_default(), input)
        }
        "ssh" => ssh(judge, args),
        "poetry" | "pipenv" | "uv" | "pdm" | "rye" | "hatch"
            if args.first().is_some_and(|arg| arg.text() == "run") =>
        {
            let rest = args.get(1..).unwrap_or_default();
            let options = Options::read(rest, "--with --python -p --extra --group", Order::First);
            judge.run(options.rest, input)
        }
        "bundle" | "direnv" | "mise" | "npm" | "pnpm" | "yarn"
            if args.first().is_some_and(|arg| arg.text() == "exec") =>
        {
            let skipped = if name == "direnv" { 2 } else { 1 };
            let options = Options::read(args.get(skipped..).unwrap_or_default(), "", Order::First);
            judge.run(options.rest, input)
        }
        name => {
            let at = ROWS.binary_search_by(|(row, ..)| row.cmp(&name)).ok()?;
            let (_, with_value, before) = ROWS.get(at)?;
            let options = Options::read(args, with_value, Order::First);
            let anywhere = Options::read(args, with_value, Order::Any);
            if let Some(text) = anywhere.value(&["-c", "--command"]).filter(|_| name == "flock") {
                let text = text.value.clone();
                return Some(judge.apart(|judge| judge.text(&text, input)));
            }
            judge.run(options.rest.get(*before..).unwrap_or_default(), input)
        }
    })
}

fn env(judge: &mut Judge<'_>, args: &[Field], input: &Value) -> Value {
    let options = Options::read(args, "-u -C -S --unset --chdir --split-string", Order::First);
    if let Some(text) = options.value(&["-S", "--split-string"]) {
        let mut text = text.value.clone();
        text.append(&Value::known(" "));
        text.append(&joined(options.rest));
        return judge.apart(|judge| judge.text(&text, input));
    }
    let folder = options.value(&["-C", "--chdir"]).map(|folder| folder.value.text.clone());
    judge.apart(|judge| {
        if let Some(folder) = folder {
            judge.cwd = absolute(&folder, judge.cwd.as_deref()).map(Into::into);
        }
        judge.run(behind_assignments(options.rest), input)
    })
}

fn behind_assignments(args: &[Field]) -> &[Field] {
    let count = args.iter().take_while(|arg| arg.text().contains('=')).count();
    args.get(count..).unwrap_or_default()
}

fn privileged(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Value {
    judge.find(&SUDO);
    let is_su = matches!(name, "su" | "runuser");
    let with_value = if is_su { OF_SU } else { OF_SUDO };
    let options = Options::read(args, with_value, Order::First);
    let outer = std::mem::replace(&mut judge.is_privileged, true);
    let output = judge.apart(|judge| {
        // `su` takes its options behind the user too.
        let anywhere = Options::read(args, with_value, Order::Any);
        let text = anywhere.value(&["-c", "--command"]).filter(|_| is_su);
        match (text, behind_assignments(options.rest)) {
            (Some(text), _) => judge.text(&text.value, input),
            // A shell that reads what comes in.
            (None, []) => judge.text(input, &Value::default()),
            (None, _) if name == "su" => judge.text(input, &Value::default()),
            (None, argv) => judge.run(argv, input),
        }
    });
    judge.is_privileged = outer;
    output
}

fn xargs(judge: &mut Judge<'_>, args: &[Field], input: &Value) -> Value {
    let with_value = "-I -n -L -P -s -E -d -a --max-args --max-procs --delimiter --replace --arg-file";
    let options = Options::read(args, with_value, Order::First);
    let place = options.value(&["-I", "--replace"]).map(|field| field.value.text.clone());
    let mut words: Vec<Field> = input.text.split_whitespace().map(Field::known).collect();
    if words.is_empty() || !input.is_known() {
        words = vec![Field::unknown(input.taint)];
    }
    for word in &mut words {
        word.value.taint = input.taint;
    }
    appended(judge, options.rest, place.as_deref(), &words)
}

/// Runs a program with words in the place that is named for them, else behind its arguments.
fn appended(judge: &mut Judge<'_>, argv: &[Field], place: Option<&str>, words: &[Field]) -> Value {
    judge.spend_on(argv);
    let mut argv = argv.to_vec();
    let Some(place) = place.filter(|place| !place.is_empty()) else {
        argv.extend_from_slice(words);
        return judge.apart(|judge| judge.run(&argv, &Value::default()));
    };
    let all = joined(words);
    for arg in &mut argv {
        if arg.text().contains(place) {
            arg.value.text = arg.value.text.replace(place, &all.text);
            arg.value.taint = arg.value.taint.max(all.taint);
        }
    }
    judge.apart(|judge| judge.run(&argv, &Value::default()))
}

fn parallel(judge: &mut Judge<'_>, args: &[Field], input: &Value) -> Value {
    let options = Options::read(args, "-j -n -N -L --jobs --colsep --delay --timeout --joblog", Order::First);
    let cut = options.rest.iter().position(|arg| arg.text().starts_with(":::"));
    let (argv, words) = options.rest.split_at(cut.unwrap_or(options.rest.len()));
    let words = match words.get(1..) {
        Some(words) => words.to_vec(),
        None => vec![Field::unknown(input.taint)],
    };
    if argv.is_empty() {
        return judge.text(input, &Value::default());
    }
    let has_place = argv.iter().any(|arg| arg.text().contains("{}"));
    // One argument may be a whole line.
    if let [line] = argv {
        let mut text = line.value.clone();
        let all = joined(&words);
        if has_place {
            text.text = text.text.replace("{}", &all.text);
            text.taint = text.taint.max(all.taint);
        } else {
            text.append(&Value::known(" "));
            text.append(&all);
        }
        return judge.apart(|judge| judge.text(&text, &Value::default()));
    }
    appended(judge, argv, has_place.then_some("{}"), &words)
}

/// A command on another machine: as bad there as here.
fn ssh(judge: &mut Judge<'_>, args: &[Field]) -> Value {
    let with_value = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w";
    let options = Options::read(args, with_value, Order::First);
    if options.has(&["-V"]) {
        return Value::default();
    }
    judge.find(&REMOTE);
    let command = joined(options.rest.get(1..).unwrap_or_default());
    judge.apart(|judge| {
        judge.cwd = None;
        judge.text(&command, &Value::default());
    });
    Value::unknown(Taint::Fetched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_in_order() {
        assert!(ROWS.is_sorted_by_key(|row| row.0));
    }
}
