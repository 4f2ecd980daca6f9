//! Goes through a command line as a shell would and keeps the worst that it finds.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::expand::{Field, Taint, Value};
use super::place::{Place, absolute};
use super::rules::{FORK_BOMB, POWER, REMOTE, RUN_DECODED, RUN_FETCHED, Rule, UNRESOLVED};
use super::shell::{
    self, Command, Compound, Excerpt, Fault, Kind, Pipeline, Redirect, Simple, UNKNOWN, Word,
};
use super::{Pattern, programs};

/// How deep lists and programs that start programs may be nested.
const DEEPEST: usize = 2 * shell::DEEPEST;
/// The words of a loop that are tried one by one.
const TRIED: usize = 8;
/// The most characters of a command that a reason quotes.
const QUOTED: usize = 80;

/// A rule that applies, and to what.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) rule: &'static Rule,
    pub(super) command: String,
}

/// What is known while a command line is gone through.
#[derive(Debug)]
pub(super) struct Judge<'g> {
    pub(super) place: &'g Place,
    allow: &'g [Pattern],
    /// The worst so far.
    pub(super) worst: Option<Finding>,
    /// Why some of it could not be followed.
    pub(super) fault: Option<Fault>,
    /// The working directory, while it is known.
    pub(super) cwd: Option<Rc<str>>,
    /// Whether the command at hand runs with another user's rights.
    pub(super) is_privileged: bool,
    /// The command at hand.
    current: Excerpt,
    /// Whether a pattern of the user's allows the command at hand.
    is_allowed: bool,
    /// Where the text at hand came from, for what it leaves unknown.
    taint: Taint,
    variables: HashMap<String, Value>,
    /// What variables were, for the end of a subshell.
    undo: Vec<(String, Option<Value>)>,
    positional: Vec<Value>,
    functions: HashMap<String, Rc<Command>>,
    /// The functions that run: none is followed into itself.
    calls: Vec<String>,
    /// The files that the line has downloaded.
    fetched: HashSet<String>,
    depth: usize,
    /// The work that is left, in bytes looked at.
    budget: usize,
}

impl<'g> Judge<'g> {
    pub(super) fn new(place: &'g Place, allow: &'g [Pattern], budget: usize) -> Self {
        let mut judge = Self {
            place,
            allow,
            worst: None,
            fault: None,
            cwd: Some(place.project().into()),
            is_privileged: false,
            current: Excerpt::whole(""),
            is_allowed: false,
            taint: Taint::None,
            variables: HashMap::new(),
            undo: Vec::new(),
            positional: Vec::new(),
            functions: HashMap::new(),
            calls: Vec::new(),
            fetched: HashSet::new(),
            depth: 0,
            budget,
        };
        judge.variables.insert("HOME".to_owned(), Value::known(place.home()));
        judge.variables.insert("IFS".to_owned(), Value::known(" \t\n"));
        judge
    }

    /// Notes that a rule applies to the command at hand.
    pub(super) fn find(&mut self, rule: &'static Rule) {
        let is_worse = self.worst.as_ref().is_none_or(|worst| worst.rule.level < rule.level);
        if is_worse && !self.is_allowed {
            self.worst = Some(Finding { rule, command: short(self.current.as_str()) });
        }
    }

    /// Notes that something runs which is not known, but perhaps where it comes from.
    pub(super) fn find_unresolved(&mut self, taint: Taint) {
        self.find(match taint {
            Taint::None => &UNRESOLVED,
            Taint::Decoded => &RUN_DECODED,
            Taint::Fetched => &RUN_FETCHED,
        });
    }

    /// Counts work; what is too much is not followed.
    pub(super) fn spend(&mut self, bytes: usize) {
        self.budget = self.budget.saturating_sub(bytes + 1);
        if self.budget == 0 {
            self.fault.get_or_insert("it is too long to be followed");
        }
    }

    /// Counts a copy of arguments, which programs that start each other would multiply.
    pub(super) fn spend_on(&mut self, argv: &[Field]) {
        self.spend(argv.iter().map(|field| field.text().len() + size_of::<Field>()).sum());
    }

    /// Judges a text that a further shell is given.
    pub(super) fn text(&mut self, value: &Value, input: &Value) -> Value {
        self.spend(value.text.len());
        if self.fault.is_some() {
            return Value::default();
        }
        let script = shell::parse(&value.text, self.depth.min(shell::DEEPEST));
        let outer = std::mem::replace(&mut self.taint, value.taint);
        let output = self.list(&script.list, input);
        self.taint = outer;
        if script.fault.is_some() && !value.is_known() {
            // What is missing may be the quote that closes it.
            self.find_unresolved(value.taint);
        } else {
            self.fault = self.fault.or(script.fault);
        }
        output
    }

    /// Does something of which only findings and functions last, as in a subshell.
    pub(super) fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let (mark, cwd) = (self.undo.len(), self.cwd.clone());
        let result = work(self);
        while self.undo.len() > mark
            && let Some((name, value)) = self.undo.pop()
        {
            match value {
                Some(value) => self.variables.insert(name, value),
                None => self.variables.remove(&name),
            };
        }
        self.cwd = cwd;
        result
    }

    /// Does something with other `$1`, `$2` ….
    pub(super) fn with_arguments<T>(&mut self, arguments: &[Field], work: impl FnOnce(&mut Self) -> T) -> T {
        let arguments = arguments.iter().map(|field| field.value.clone()).collect();
        let outer = std::mem::replace(&mut self.positional, arguments);
        let result = work(self);
        self.positional = outer;
        result
    }

    pub(super) fn set_arguments(&mut self, arguments: &[Field]) {
        self.positional = arguments.iter().map(|field| field.value.clone()).collect();
    }

    pub(super) fn positional(&self) -> &[Value] {
        &self.positional
    }

    pub(super) fn variable(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.variables.get(name) {
            return Some(value.clone());
        }
        match name {
            "PWD" => self.cwd.as_deref().map(Value::known),
            "@" | "*" => {
                let mut all = Value::default();
                for (at, value) in self.positional.iter().enumerate() {
                    all.append(&Value::known(if at == 0 { "" } else { " " }));
                    all.append(value);
                }
                Some(all)
            }
            name => {
                let at = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1))?;
                Some(self.positional.get(at).cloned().unwrap_or_default())
            }
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        let before = self.variables.insert(name.to_owned(), value);
        self.undo.push((name.to_owned(), before));
    }

    /// Remembers that a file came from the network.
    pub(super) fn fetch(&mut self, path: &str) {
        self.fetched.extend(absolute(path, self.cwd.as_deref()));
    }

    /// Whether this line has downloaded a file.
    pub(super) fn has_fetched(&self, path: &str) -> bool {
        !self.fetched.is_empty()
            && absolute(path, self.cwd.as_deref()).is_some_and(|path| self.fetched.contains(&path))
    }

    /// Goes through commands that read `input`; gives what they write, as far as it is known.
    pub(super) fn list(&mut self, list: &[Pipeline], input: &Value) -> Value {
        if self.depth >= DEEPEST {
            self.fault.get_or_insert("it is nested too deep");
        }
        self.depth += 1;
        let mut output = Value::default();
        for pipeline in list {
            if self.fault.is_some() {
                break;
            }
            let written = self.pipeline(pipeline, input);
            output.append(&written);
        }
        self.depth -= 1;
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline, input: &Value) -> Value {
        if let [command] = pipeline.commands.as_slice() {
            return self.command(command, input);
        }
        pipeline
            .commands
            .iter()
            .fold(input.clone(), |flow, command| self.apart(|judge| judge.command(command, &flow)))
    }

    fn command(&mut self, command: &Command, input: &Value) -> Value {
        self.spend(0);
        match command {
            Command::Simple(simple) => self.simple(simple, input),
            Command::Compound(compound) => self.compound(compound, input),
            Command::Function { name, body } => {
                if is_bomb(name, body) {
                    self.current = Excerpt::whole(&format!("{name}()"));
                    self.find(&FORK_BOMB);
                }
                self.functions.insert(name.clone(), Rc::clone(body));
                // Judged without its arguments, whether it is called or not.
                let unknown = [Field::unknown(Taint::None)];
                self.calls.push(name.clone());
                self.apart(|judge| {
                    judge.with_arguments(&unknown, |judge| judge.command_below(body, &Value::default()))
                });
                self.calls.pop();
                Value::default()
            }
        }
    }

    fn command_below(&mut self, command: &Command, input: &Value) -> Value {
        if self.depth >= DEEPEST {
            self.fault.get_or_insert("it is nested too deep");
            return Value::default();
        }
        self.depth += 1;
        let output = self.command(command, input);
        self.depth -= 1;
        output
    }

    fn compound(&mut self, compound: &Compound, input: &Value) -> Value {
        let (input, is_kept) = self.redirects(&compound.redirects, input);
        let bodies = |judge: &mut Self| {
            let mut output = Value::default();
            for body in &compound.bodies {
                let written = judge.list(body, &input);
                output.append(&written);
            }
            output
        };
        let words = self.fields(&compound.words);
        let output = match &compound.kind {
            Kind::Plain => bodies(self),
            Kind::Subshell => self.apart(bodies),
            Kind::Each(name) => {
                let mut output = Value::default();
                // Loops in loops would multiply: further in, and for many words, one round stands for all.
                let is_tried =
                    words.len() <= TRIED && self.depth < 4 && words.iter().all(|word| !word.is_pattern);
                let unknown = [Field::unknown(Taint::None)];
                for word in if is_tried { words.as_slice() } else { unknown.as_slice() } {
                    self.set(name, word.value.clone());
                    output = bodies(self);
                }
                output
            }
        };
        if is_kept { output } else { Value::default() }
    }

    fn simple(&mut self, simple: &Simple, input: &Value) -> Value {
        let text = simple.text();
        let outer = (std::mem::replace(&mut self.current, text.clone()), self.is_allowed);
        self.is_allowed = false;
        let fields = self.fields(&simple.words);
        let values: Vec<_> = simple
            .assignments
            .iter()
            .map(|assignment| {
                let mut value = Value::default();
                if assignment.appends {
                    value = self.variable(&assignment.name).unwrap_or_default();
                }
                let new = if assignment.elements.is_empty() {
                    self.value(&assignment.value)
                } else {
                    joined(&self.fields(&assignment.elements))
                };
                value.append(&new);
                (assignment.name.as_str(), value)
            })
            .collect();
        let (input, is_kept) = self.redirects(&simple.redirects, input);
        self.is_allowed = self.allow.iter().any(|pattern| pattern.fits(text.as_str()));
        let run = |judge: &mut Self| {
            for (name, value) in values {
                judge.set(name, value);
            }
            judge.run(&fields, &input)
        };
        let is_brief = !simple.assignments.is_empty() && !fields.is_empty();
        let output = if is_brief { self.apart(run) } else { run(self) };
        if output.taint == Taint::Fetched && !is_kept {
            self.fetch_into(&simple.redirects);
        }
        (self.current, self.is_allowed) = outer;
        if is_kept { output } else { Value::default() }
    }

    /// Judges a program with its arguments; gives what it writes.
    pub(super) fn run(&mut self, argv: &[Field], input: &Value) -> Value {
        let Some((program, args)) = argv.split_first() else { return Value::default() };
        let path = program.text();
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_pattern = program.is_pattern && (name.contains(['*', '?']) || name.contains(']'));
        if self.depth >= DEEPEST {
            self.fault.get_or_insert("it is nested too deep");
        }
        if self.fault.is_some() {
            return Value::default();
        }
        if name.contains(UNKNOWN) || is_pattern {
            self.find_unresolved(program.value.taint.max(self.taint));
            return Value::unknown(Taint::None);
        }
        if self.has_fetched(path) {
            self.find(&RUN_FETCHED);
        }
        self.depth += 1;
        let output = match self.functions.get(name).cloned() {
            Some(body) if !self.calls.iter().any(|call| call == name) => {
                self.calls.push(name.to_owned());
                let output = self.with_arguments(args, |judge| judge.command_below(&body, input));
                self.calls.pop();
                output
            }
            _ => programs::run(self, name, args, input),
        };
        self.depth -= 1;
        output
    }

    /// Looks at redirections; gives the input that holds then, and whether the output still goes on.
    fn redirects(&mut self, redirects: &[Redirect], input: &Value) -> (Value, bool) {
        let (mut input, mut is_kept) = (input.clone(), true);
        for redirect in redirects {
            match redirect {
                Redirect::Write { target, is_output } => {
                    let file = self.file(target);
                    self.write(file.text());
                    is_kept &= !is_output || file.text() == "/dev/stdout";
                }
                Redirect::Read(word) => {
                    let file = self.file(word);
                    let is_remote = is_socket(file.text());
                    if is_remote {
                        self.find(&REMOTE);
                    }
                    let is_fetched = is_remote || self.has_fetched(file.text());
                    let taint = if is_fetched { Taint::Fetched } else { file.value.taint };
                    input = if file.text() == "/dev/null" { Value::default() } else { Value::unknown(taint) };
                }
                Redirect::Document(body) => {
                    input = body.get().map(|word| self.value(word)).unwrap_or_default();
                }
                Redirect::Text(word) => input = self.value(word),
            }
        }
        (input, is_kept)
    }

    fn file(&mut self, word: &Word) -> Field {
        let fields = self.fields(std::slice::from_ref(word));
        fields.into_iter().next().unwrap_or_default()
    }

    fn fetch_into(&mut self, redirects: &[Redirect]) {
        for redirect in redirects {
            if let Redirect::Write { target, is_output: true } = redirect
                && let Some(path) = target.literal()
            {
                self.fetch(&path);
            }
        }
    }

    /// Looks at a file that is written to.
    pub(super) fn write(&mut self, path: &str) {
        let Some(whole) = absolute(path, self.cwd.as_deref()) else { return };
        if programs::is_disk(&whole) {
            self.find(&super::rules::DISK);
        } else if whole == "/proc/sysrq-trigger" || whole == "/sys/power/state" {
            self.find(&POWER);
        } else if is_socket(&whole) {
            self.find(&REMOTE);
        }
    }
}

/// The words as one text.
pub(super) fn joined(fields: &[Field]) -> Value {
    let mut text = Value::default();
    for (at, field) in fields.iter().enumerate() {
        text.append(&Value::known(if at == 0 { "" } else { " " }));
        text.append(&field.value);
    }
    text
}

/// The devices with which bash itself connects.
fn is_socket(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Whether a function starts itself twice at once, or in the background.
fn is_bomb(name: &str, body: &Command) -> bool {
    let starts = |pipeline: &Pipeline| {
        let count = pipeline.commands.iter().filter(|command| calls(command, name)).count();
        count > 1 || (count == 1 && pipeline.in_background)
    };
    let Command::Compound(compound) = body else { return false };
    compound.bodies.iter().flatten().any(starts)
}

fn calls(command: &Command, name: &str) -> bool {
    match command {
        Command::Simple(simple) => {
            simple.words.first().and_then(Word::literal).is_some_and(|word| word == name)
        }
        Command::Compound(compound) => compound
            .bodies
            .iter()
            .flatten()
            .any(|pipeline| pipeline.commands.iter().any(|command| calls(command, name))),
        Command::Function { .. } => false,
    }
}

/// A command on one line, cut for a message.
fn short(text: &str) -> String {
    let mut line = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == QUOTED {
            line.push('…');
            break;
        }
        line.push(match c {
            UNKNOWN => '…',
            c if c.is_whitespace() => ' ',
            c => c,
        });
    }
    line
}
