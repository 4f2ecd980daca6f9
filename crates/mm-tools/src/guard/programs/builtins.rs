//! What the shell does itself, and programs that only pass text on.

use super::options::{Options, Order};
use super::{Field, Judge, Value};
use crate::guard::expand::Taint;
use crate::guard::judge::joined;
use crate::guard::place::absolute;
use crate::guard::rules::{EVAL, RUN_FETCHED};
use crate::guard::shell::unescaped;

pub(super) fn run(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Option<Value> {
    setting(judge, name, args, input)
        .or_else(|| running(judge, name, args, input))
        .or_else(|| writing(judge, name, args, input))
}

/// What changes the state of the shell.
fn setting(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Option<Value> {
    let nothing = Value::default();
    Some(match name {
        "cd" | "pushd" => {
            let target = args.iter().find(|arg| !arg.text().starts_with('-') || arg.text() == "-");
            judge.cwd = match target {
                None => Some(judge.place.home().into()),
                Some(target) if target.text() == "-" => None,
                Some(target) => absolute(target.text(), judge.cwd.as_deref()).map(Into::into),
            };
            nothing
        }
        "popd" => {
            judge.cwd = None;
            nothing
        }
        "pwd" => judge.cwd.as_deref().map_or_else(|| Value::unknown(Taint::None), Value::known),
        "export" | "declare" | "typeset" | "local" | "readonly" => {
            for arg in args {
                if let Some((name, text)) = arg.text().split_once('=') {
                    judge.set(name, Value { text: text.to_owned(), taint: arg.value.taint });
                }
            }
            nothing
        }
        "read" | "mapfile" | "readarray" => {
            let is_one_line = args.iter().filter(|arg| !arg.text().starts_with('-')).count() == 1
                && !input.text.trim_end().contains('\n');
            for arg in args.iter().filter(|arg| !arg.text().starts_with('-')) {
                let text = Value { text: input.text.trim().to_owned(), taint: input.taint };
                let is_known = is_one_line && name == "read" && !text.text.is_empty();
                let value = if is_known { text } else { Value::unknown(input.taint) };
                judge.set(arg.text(), value);
            }
            nothing
        }
        "set" => {
            if let Some(at) = args.iter().position(|arg| arg.text() == "--") {
                judge.set_arguments(args.get(at + 1..).unwrap_or_default());
            }
            nothing
        }
        _ => return None,
    })
}

/// What runs a text or a file in this shell.
fn running(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Option<Value> {
    let nothing = Value::default();
    Some(match name {
        "eval" => {
            judge.find(&EVAL);
            judge.text(&joined(args), input)
        }
        "source" | "." => {
            judge.find(&EVAL);
            if let Some(file) = args.first() {
                if matches!(file.text(), "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0") {
                    return Some(judge.text(input, &Value::default()));
                }
                if file.value.taint > Taint::None {
                    judge.find_unresolved(file.value.taint);
                }
                if judge.has_fetched(file.text()) {
                    judge.find(&RUN_FETCHED);
                }
            }
            Value::unknown(Taint::None)
        }
        "trap" => {
            let action = args.iter().find(|arg| !arg.text().starts_with('-'));
            if let Some(action) = action.filter(|_| args.len() > 1) {
                let action = action.value.clone();
                judge.apart(|judge| judge.text(&action, &Value::default()));
            }
            nothing
        }
        "alias" => {
            for arg in args {
                if let Some((_, text)) = arg.text().split_once('=') {
                    let value = Value { text: text.to_owned(), taint: arg.value.taint };
                    judge.apart(|judge| judge.text(&value, &Value::default()));
                }
            }
            nothing
        }
        _ => return None,
    })
}

/// What writes text that can be known.
fn writing(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Option<Value> {
    Some(match name {
        "echo" => echo(args),
        "printf" => printf(args),
        "cat" => cat(judge, args, input),
        "tee" => {
            for arg in args {
                judge.write(arg.text());
                if input.taint == Taint::Fetched {
                    judge.fetch(arg.text());
                }
            }
            input.clone()
        }
        "which" | "type" | "whereis" => match args {
            [only] if only.is_known() => Value::known(only.text()),
            _ => Value::unknown(Taint::None),
        },
        _ => return None,
    })
}

fn echo(args: &[Field]) -> Value {
    let is_option = |arg: &&Field| {
        let letters = arg.text().strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|c| "neE".contains(c))
    };
    let options = args.iter().take_while(is_option).count();
    let escapes = args.iter().take(options).any(|arg| arg.text().contains('e'));
    let mut text = joined(args.get(options..).unwrap_or_default());
    if escapes {
        text.text = unescaped(&text.text);
    }
    text.append(&Value::known("\n"));
    text
}

/// The text of `printf`, with its arguments in their places.
fn printf(args: &[Field]) -> Value {
    let Some((format, args)) = args.split_first() else { return Value::default() };
    let format_text = unescaped(format.text());
    let mut text = Value { text: String::new(), taint: format.value.taint };
    let mut args = args.iter();
    loop {
        let before = args.len();
        let mut pieces = format_text.split('%');
        text.append(&Value::known(pieces.next().unwrap_or_default()));
        while let Some(piece) = pieces.next() {
            if piece.is_empty() {
                text.append(&Value::known("%"));
                text.append(&Value::known(pieces.next().unwrap_or_default()));
                continue;
            }
            let end = piece.find(|c: char| c.is_ascii_alphabetic()).map_or(piece.len(), |at| at + 1);
            if let Some(arg) = args.next() {
                text.append(&arg.value);
            }
            text.append(&Value::known(piece.get(end..).unwrap_or_default()));
        }
        // The format is used again for what is left.
        if args.len() == 0 || args.len() == before {
            return text;
        }
    }
}

fn cat(judge: &Judge<'_>, args: &[Field], input: &Value) -> Value {
    let options = Options::read(args, "", Order::Any);
    let mut text = Value::default();
    for file in &options.operands {
        if matches!(file.text(), "-" | "/dev/stdin") {
            text.append(input);
        } else {
            let is_fetched = judge.has_fetched(file.text());
            text.append(&Value::unknown(if is_fetched { Taint::Fetched } else { file.value.taint }));
        }
    }
    if options.operands.is_empty() { input.clone() } else { text }
}
