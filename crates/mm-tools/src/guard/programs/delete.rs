//! Programs that delete.

use super::options::{Options, Order};
use super::{Field, Judge, Value};
use crate::guard::expand::Taint;
use crate::guard::place::Spot;
use crate::guard::rules::{DELETE, DELETE_ABOVE, DELETE_HOME, DELETE_ROOT, SUDO_DELETE};

pub(super) const NAMES: [&str; 6] = ["rm", "rmdir", "shred", "srm", "wipe", "unlink"];

/// The tests of `find` that leave something out.
const NARROWING: [&str; 23] = [
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-ctime",
    "-empty",
    "-group",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-lname",
    "-maxdepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-nouser",
    "-path",
    "-perm",
    "-regex",
    "-size",
    "-user",
];

pub(super) fn run(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Option<Value> {
    if !NAMES.contains(&name) && !matches!(name, "mv" | "rsync" | "find" | "fd") {
        return None;
    }
    let options = Options::read(args, "", Order::Any);
    match name {
        "rm" | "srm" | "wipe" => {
            let is_recursive = options.has(&["-r", "-R", "--recursive"]);
            let is_forced = options.has(&["-f", "--force"]) || name != "rm";
            // What is not known may be an option.
            let is_open = options.operands.iter().any(|field| field.text() == "\0");
            for target in &options.operands {
                delete(judge, target, is_recursive, is_forced);
            }
            if is_open && (is_recursive || is_forced) {
                judge.find(&DELETE);
            }
        }
        "rmdir" | "unlink" => {
            for target in &options.operands {
                delete(judge, target, false, false);
            }
        }
        "shred" => {
            for target in &options.operands {
                judge.write(target.text());
            }
            judge.find(&DELETE);
        }
        "mv" => {
            let sources = options.operands.split_last().map(|(_, sources)| sources).unwrap_or_default();
            for source in sources {
                critical(judge, source);
            }
        }
        "rsync" => {
            super::verbs::upload(judge, name, args);
            let given = Options::read(args, "-e --rsh --exclude --include --filter -f", Order::Any);
            if let Some(target) = given.operands.last().filter(|_| args.iter().any(is_mirroring)) {
                critical(judge, target);
                judge.find(&DELETE);
            }
        }
        "find" | "fd" => find(judge, args, input),
        _ => return None,
    }
    Some(if name == "find" { Value::unknown(Taint::None) } else { Value::default() })
}

fn is_mirroring(arg: &Field) -> bool {
    arg.text().starts_with("--del") || arg.text() == "--remove-source-files"
}

fn delete(judge: &mut Judge<'_>, target: &Field, is_recursive: bool, is_forced: bool) {
    let spot = critical(judge, target);
    if is_recursive && judge.is_privileged && spot == Spot::Elsewhere {
        judge.find(&SUDO_DELETE);
    }
    if is_recursive || is_forced {
        judge.find(&DELETE);
    }
}

/// Finds a rule for what no deletion may hit.
fn critical(judge: &mut Judge<'_>, target: &Field) -> Spot {
    let spot = judge.place.spot(target.text(), judge.cwd.as_deref(), target.is_pattern);
    match spot {
        Spot::Root => judge.find(&DELETE_ROOT),
        Spot::Home => judge.find(&DELETE_HOME),
        Spot::Above => judge.find(&DELETE_ABOVE),
        Spot::Project | Spot::Elsewhere | Spot::Unknown => {}
    }
    spot
}

fn find(judge: &mut Judge<'_>, args: &[Field], input: &Value) {
    let is_test = |arg: &&Field| arg.text().starts_with('-') || matches!(arg.text(), "(" | "!");
    let is_global = |arg: &&Field| matches!(arg.text(), "-H" | "-L" | "-P");
    let globals = args.iter().take_while(is_global).count();
    let args = args.get(globals..).unwrap_or_default();
    let count = args.iter().take_while(|arg| !is_test(arg)).count();
    let (mut starts, tests) = (args.get(..count).unwrap_or_default().to_vec(), args.get(count..));
    let tests = tests.unwrap_or_default();
    if starts.is_empty() {
        starts.push(Field::known("."));
    }
    let is_narrow = tests.windows(2).any(|pair| {
        let [test, value] = pair else { return false };
        NARROWING.contains(&test.text()) && value.text() != "*"
    });
    if tests.iter().any(|test| test.text() == "-delete") {
        for start in &starts {
            if !is_narrow {
                delete(judge, start, true, false);
            }
        }
        if judge.is_privileged {
            let is_elsewhere = |start: &Field| {
                let spot = judge.place.spot(start.text(), judge.cwd.as_deref(), start.is_pattern);
                !matches!(spot, Spot::Project | Spot::Unknown)
            };
            if starts.iter().any(is_elsewhere) {
                judge.find(&SUDO_DELETE);
            }
        }
        judge.find(&DELETE);
    }
    let found = if is_narrow { vec![Field::unknown(Taint::None)] } else { starts };
    let mut at = 0;
    while let Some(test) = tests.get(at) {
        at += 1;
        if !matches!(test.text(), "-exec" | "-execdir" | "-ok" | "-okdir") {
            continue;
        }
        let rest = tests.get(at..).unwrap_or_default();
        let length = rest.iter().position(|arg| matches!(arg.text(), ";" | "+")).unwrap_or(rest.len());
        let command = rest.get(..length).unwrap_or_default();
        for path in &found {
            judge.spend_on(command);
            if judge.fault.is_some() {
                return;
            }
            let put = |arg: &Field| if arg.text() == "{}" { path.clone() } else { within(arg, path) };
            let argv: Vec<Field> = command.iter().map(put).collect();
            judge.apart(|judge| judge.run(&argv, input));
        }
        at += length;
    }
}

/// The argument with a path in its `{}`.
fn within(arg: &Field, path: &Field) -> Field {
    let mut arg = arg.clone();
    if arg.text().contains("{}") {
        arg.value.text = arg.value.text.replace("{}", path.text());
    }
    arg
}
