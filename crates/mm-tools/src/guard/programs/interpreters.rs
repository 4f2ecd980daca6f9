//! Shells and interpreters: what they run, where that can be seen.

use super::options::{Options, Order};
use super::{Field, Judge, Value};
use crate::guard::expand::Taint;
use crate::guard::rules::{INLINE, RUN_FETCHED};

const SHELLS: [&str; 11] =
    ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh"];
/// A name, and the options behind which a program stands.
const INTERPRETERS: [(&str, &[&str]); 12] = [
    ("awk", &[]),
    ("bun", &["-e", "--eval"]),
    ("deno", &[]),
    ("lua", &["-e"]),
    ("node", &["-e", "-p", "--eval", "--print"]),
    ("osascript", &["-e"]),
    ("perl", &["-e", "-E"]),
    ("php", &["-r"]),
    ("pwsh", &["-c", "-Command", "--command"]),
    ("python", &["-c"]),
    ("ruby", &["-e"]),
    ("Rscript", &["-e"]),
];
/// What a program of another language is known by that destroys something.
const DESTRUCTIVE: [&str; 26] = [
    "/dev/disk",
    "/dev/nvme",
    "/dev/sd",
    "fork while",
    "mkfs",
    "os.fork",
    "os.kill",
    "os.remove",
    "os.rmdir",
    "os.unlink",
    "remove_tree",
    "removeSync",
    "rimraf",
    "rm -f",
    "rm -r",
    "rmSync",
    "rm_r",
    "rmdirSync",
    "rmtree",
    "unlink(",
    "unlink ",
    "unlinkSync",
    ".unlink",
    "File.delete",
    "Dir.delete",
    "Remove-Item",
];
/// Programs whose output comes from the network.
const FETCHERS: [&str; 13] = [
    "curl", "wget", "fetch", "aria2c", "http", "https", "xh", "lynx", "nc", "ncat", "netcat", "socat", "ftp",
];
/// Programs that always decode, and those that do with an option.
const UNPACKERS: [&str; 8] = ["gunzip", "zcat", "bzcat", "xzcat", "zstdcat", "uudecode", "unxz", "bunzip2"];
const DECODERS: [&str; 12] = [
    "base64", "base32", "base58", "basenc", "openssl", "xxd", "gpg", "gzip", "xz", "zstd", "bzip2", "ascii85",
];

/// Whether a program of this name runs what it is given.
pub(super) fn is_known(name: &str) -> bool {
    SHELLS.contains(&name)
}

pub(super) fn run(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Option<Value> {
    if SHELLS.contains(&name) {
        return Some(shell(judge, args, input));
    }
    if FETCHERS.contains(&name) {
        return fetcher(judge, name, args, input);
    }
    let is_decoding = || {
        let options = Options::read(args, "", Order::Any);
        options.has(&["-d", "-D", "-r", "--decode", "--decrypt", "--decompress"])
    };
    if UNPACKERS.contains(&name) || (DECODERS.contains(&name) && is_decoding()) {
        return Some(Value::unknown(input.taint.max(Taint::Decoded)));
    }
    if matches!(name, "at" | "batch") {
        return Some(judge.text(input, &Value::default()));
    }
    let name = language(name);
    let (language, options) = INTERPRETERS.iter().find(|(row, _)| *row == name)?;
    Some(interpreter(judge, language, options, args, input))
}

/// `python` for `python3.12`, and the language of other names.
fn language(name: &str) -> &str {
    match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "nodejs" => "node",
        "gawk" | "mawk" => "awk",
        "luajit" => "lua",
        "pypy" => "python",
        name => name,
    }
}

fn shell(judge: &mut Judge<'_>, args: &[Field], input: &Value) -> Value {
    let options = Options::read(args, "-o -O +o +O --rcfile --init-file", Order::First);
    let mut rest = options.rest;
    // `bash +x script`, which is no operand.
    while let Some((first, more)) = rest.split_first()
        && first.text().starts_with('+')
    {
        rest = more;
    }
    let Some((first, more)) = rest.split_first().filter(|_| options.has(&["-c"]) || !options.has(&["-s"]))
    else {
        return judge.apart(|judge| judge.with_arguments(rest, |judge| judge.text(input, &Value::default())));
    };
    if options.has(&["-c"]) {
        // The first one behind the text is its own name.
        let arguments = more.get(1..).unwrap_or_default();
        return judge.apart(|judge| judge.with_arguments(arguments, |judge| judge.text(&first.value, input)));
    }
    script(judge, first, input)
}

/// A script in a file, of which only the name is looked at.
fn script(judge: &mut Judge<'_>, file: &Field, input: &Value) -> Value {
    if matches!(file.text(), "-" | "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0") {
        return judge.apart(|judge| judge.text(input, &Value::default()));
    }
    if file.value.taint > Taint::None || file.text().starts_with("/dev/fd/") {
        judge.find_unresolved(file.value.taint);
    } else if judge.has_fetched(file.text()) {
        judge.find(&RUN_FETCHED);
    }
    Value::unknown(Taint::None)
}

fn interpreter(
    judge: &mut Judge<'_>,
    language: &str,
    programs: &[&str],
    args: &[Field],
    input: &Value,
) -> Value {
    let with_value = format!("{} -m -W -X -I -M -r -F -v -f --require --import", programs.join(" "));
    let options = Options::read(args, &with_value, Order::First);
    let mut inline: Vec<Value> = options.values(programs).map(|field| field.value.clone()).collect();
    if let Some(module) = options.value(&["-m"]).filter(|_| language == "python") {
        let mut argv = vec![module.clone()];
        argv.extend_from_slice(behind(args, module));
        return judge.run(&argv, input);
    }
    if language == "awk" && options.value(&["-f"]).is_none() {
        inline.extend(options.rest.first().map(|field| field.value.clone()));
    }
    if language == "deno" && options.operand(0) == "eval" {
        inline.extend(options.rest.get(1).map(|field| field.value.clone()));
    }
    match options.rest.first() {
        _ if !inline.is_empty() => {}
        Some(file) if !matches!(file.text(), "-" | "/dev/stdin") => return script(judge, file, input),
        _ if !input.text.is_empty() && language != "awk" => inline.push(input.clone()),
        _ => {}
    }
    for text in inline {
        if DESTRUCTIVE.iter().any(|word| text.text.contains(word)) {
            judge.find(&INLINE);
        }
        // A program that came from elsewhere as a whole; a value put into one is not a program.
        if text.text.starts_with(crate::guard::shell::UNKNOWN) {
            judge.find_unresolved(text.taint);
        }
    }
    Value::unknown(input.taint)
}

/// The arguments behind the one of `-m`.
fn behind<'f>(args: &'f [Field], module: &Field) -> &'f [Field] {
    let at = args.iter().position(|arg| arg.text().trim_start_matches("-m") == module.text());
    at.and_then(|at| args.get(at + 1..)).unwrap_or_default()
}

/// Notes where a download goes.
fn fetcher(judge: &mut Judge<'_>, name: &str, args: &[Field], input: &Value) -> Option<Value> {
    super::verbs::upload(judge, name, args);
    let with_value =
        "-o -O --output --output-document -H -d -X -u -A -e -F -T --header --data --request --user";
    // `-O` of curl has no value: the name comes from the address.
    let with_value = if name == "wget" { with_value } else { &with_value.replace("-O ", "") };
    let options = Options::read(args, with_value, Order::Any);
    let named = options.value(&["-o", "--output", "-O", "--output-document"]);
    let by_address = name == "wget" || options.has(&["-O", "--remote-name"]);
    match named.map(Field::text) {
        Some("-" | "/dev/stdout") => {}
        Some(file) => {
            judge.write(file);
            judge.fetch(file);
            return Some(Value::default());
        }
        None if by_address && !options.has(&["--spider"]) => {
            for address in &options.operands {
                let path = address.text().split(['?', '#']).next().unwrap_or_default();
                judge.fetch(path.rsplit('/').next().unwrap_or_default());
            }
            return Some(Value::default());
        }
        None => {}
    }
    let _ = input;
    Some(Value::unknown(Taint::Fetched))
}
