//! Lists, pipelines and commands.

use std::cell::OnceCell;
use std::rc::Rc;

use super::words::{is_meta, is_name};
use super::{Assignment, Command, Compound, Kind, List, Parsed, Parser, Part, Pending, Pipeline};
use super::{Redirect, Script, Simple, Word, parse_quoted};

/// The words that end a list within a compound command.
const CLOSING: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "esac", "}"];
const OPENING: [&str; 10] =
    ["if", "while", "until", "for", "select", "case", "{", "[[", "function", "coproc"];
/// The signs of redirections, the longer ones first.
const REDIRECTS: [&str; 12] = ["&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"];

impl Parser {
    pub(super) fn script(&mut self) -> Script {
        let mut list = List::new();
        let mut fault = self.list_into(&mut list).err();
        if fault.is_none() && self.peek().is_some() {
            fault = Some("it closes what was not opened");
        }
        Script { list, fault }
    }

    /// Reads up to a closing sign or word, which it leaves.
    pub(super) fn list(&mut self) -> Parsed<List> {
        self.deeper(|parser| {
            let mut list = List::new();
            parser.list_into(&mut list)?;
            Ok(list)
        })
    }

    fn list_into(&mut self, list: &mut List) -> Parsed<()> {
        loop {
            self.blanks();
            match self.peek() {
                None | Some(b')') => return Ok(()),
                Some(b'\n') => self.newline()?,
                Some(b';') if self.starts(";;") || self.starts(";&") => return Ok(()),
                Some(b';') => self.at += 1,
                Some(b'&') if !self.starts("&>") => {
                    if !self.take("&&") {
                        self.at += 1;
                        if let Some(last) = list.last_mut() {
                            last.in_background = true;
                        }
                    }
                }
                Some(b'|') if self.take("||") => {}
                Some(_) if self.word_of(&CLOSING).is_some() => return Ok(()),
                Some(_) => list.push(self.pipeline()?),
            }
        }
    }

    fn pipeline(&mut self) -> Parsed<Pipeline> {
        let mut pipeline = Pipeline::default();
        loop {
            self.lines()?;
            self.prefixes();
            pipeline.commands.push(self.command()?);
            self.blanks();
            if self.starts("||") || !self.take("|") {
                return Ok(pipeline);
            }
            self.take("&");
        }
    }

    /// Passes over `!`, and over `time` where it is no program.
    fn prefixes(&mut self) {
        loop {
            self.blanks();
            let mark = self.at;
            if self.word_of(&["!"]).is_some() {
                self.at += 1;
            } else if self.word_of(&["time"]).is_some() {
                self.at += "time".len();
                self.blanks();
                if self.word_of(&["-p"]).is_some() {
                    self.at += 2;
                } else if self.peek() == Some(b'-') {
                    self.at = mark;
                    return;
                }
            } else {
                return;
            }
        }
    }

    fn command(&mut self) -> Parsed<Command> {
        match self.word_of(&OPENING) {
            Some("if") => self.block("if", "fi"),
            Some("while") => self.block("while", "done"),
            Some("until") => self.block("until", "done"),
            Some("{") => self.block("{", "}"),
            Some("for") => self.each("for"),
            Some("select") => self.each("select"),
            Some("case") => self.case(),
            Some("[[") => self.test(),
            Some("function") => {
                self.at += "function".len();
                self.blanks();
                let name = self.word()?.literal().unwrap_or_default();
                self.blanks();
                if self.take("(") {
                    self.blanks();
                    self.take(")");
                }
                self.function(name)
            }
            Some("coproc") => {
                self.at += "coproc".len();
                self.blanks();
                self.deeper(Self::command)
            }
            _ => match self.peek() {
                Some(b'(') => self.parenthesis(),
                _ => self.simple(),
            },
        }
    }

    fn function(&mut self, name: String) -> Parsed<Command> {
        self.lines()?;
        let body = Rc::new(self.deeper(Self::command)?);
        Ok(Command::Function { name, body })
    }

    /// Reads the lists between an opening and a closing word, with those at the words between.
    fn block(&mut self, open: &str, close: &str) -> Parsed<Command> {
        self.at += open.len();
        let mut compound = Compound::default();
        loop {
            compound.bodies.push(self.list()?);
            match self.word_of(&CLOSING) {
                Some(word) if word == close => self.at += word.len(),
                Some(word @ ("then" | "elif" | "else" | "do")) if close != "}" => {
                    self.at += word.len();
                    continue;
                }
                _ => return Err("a compound command is not closed"),
            }
            return self.with_redirects(compound);
        }
    }

    fn each(&mut self, keyword: &str) -> Parsed<Command> {
        self.at += keyword.len();
        self.blanks();
        let mut words = Vec::new();
        let mut name = String::new();
        if self.starts("((") {
            self.arithmetic_command(&mut words)?;
        } else {
            name = self.word()?.literal().unwrap_or_default();
            self.lines()?;
            if self.word_of(&["in"]).is_some() {
                self.at += 2;
                self.blanks();
                while self.peek().is_some_and(|byte| !is_meta(byte)) || self.starts_process() {
                    words.push(self.word()?);
                    self.blanks();
                }
            }
        }
        self.lines()?;
        self.take(";");
        self.lines()?;
        let command = match self.word_of(&["do", "{"]) {
            Some("do") => self.block("do", "done")?,
            Some("{") => self.block("{", "}")?,
            _ => return Err("a loop has no body"),
        };
        let Command::Compound(mut compound) = command else { return Ok(command) };
        compound.kind = if words.is_empty() { Kind::Plain } else { Kind::Each(name) };
        compound.words = words;
        Ok(Command::Compound(compound))
    }

    fn case(&mut self) -> Parsed<Command> {
        self.at += "case".len();
        self.blanks();
        let mut compound = Compound { words: vec![self.word()?], ..Compound::default() };
        self.lines()?;
        if self.word_of(&["in"]).is_none() {
            return Err("a case has no in");
        }
        self.at += 2;
        loop {
            self.lines()?;
            if self.word_of(&["esac"]).is_some() {
                self.at += "esac".len();
                return self.with_redirects(compound);
            }
            self.take("(");
            loop {
                self.blanks();
                let before = self.at;
                compound.words.push(self.word()?);
                self.blanks();
                if !self.take("|") && (self.starts(")") || self.at == before) {
                    break;
                }
            }
            if !self.take(")") {
                return Err("a pattern of a case is not closed");
            }
            compound.bodies.push(self.list()?);
            let _ = self.take(";;&") || self.take(";;") || self.take(";&");
            if self.peek().is_none() {
                return Err("a compound command is not closed");
            }
        }
    }

    /// Reads `[[ … ]]`, where most signs are operators of their own.
    fn test(&mut self) -> Parsed<Command> {
        self.at += 2;
        let mut compound = Compound::default();
        loop {
            self.lines()?;
            match self.peek() {
                None => return Err("a test is not closed"),
                Some(b']') if self.word_of(&["]]"]).is_some() => {
                    self.at += 2;
                    return self.with_redirects(compound);
                }
                Some(byte) if is_meta(byte) && !self.starts_process() => self.at += 1,
                Some(_) => compound.words.push(self.word()?),
            }
        }
    }

    /// Reads `((…))`, else a subshell.
    fn parenthesis(&mut self) -> Parsed<Command> {
        let mut compound = Compound::default();
        if self.starts("((") && self.arithmetic_end().is_some() {
            self.arithmetic_command(&mut compound.words)?;
            return self.with_redirects(compound);
        }
        self.at += 1;
        compound.kind = Kind::Subshell;
        compound.bodies.push(self.list()?);
        if !self.take(")") {
            return Err("a bracket is not closed");
        }
        self.with_redirects(compound)
    }

    fn arithmetic_command(&mut self, words: &mut Vec<Word>) -> Parsed<()> {
        let end = self.arithmetic_end().ok_or("a bracket is not closed")?;
        let depth = self.depth + 1;
        let word = self.deeper(|parser| parse_quoted(parser.slice(parser.at + 2..end), depth))?;
        words.push(Word { parts: vec![Part::Arithmetic(word)] });
        self.at = end + 2;
        Ok(())
    }

    fn with_redirects(&mut self, mut compound: Compound) -> Parsed<Command> {
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => compound.redirects.extend(redirect),
                None => return Ok(Command::Compound(compound)),
            }
        }
    }

    fn simple(&mut self) -> Parsed<Command> {
        let begin = self.at;
        let source = Rc::clone(&self.source);
        let (assignments, words, redirects) = (Vec::new(), Vec::new(), Vec::new());
        let mut simple = Simple { assignments, words, redirects, source, span: begin..begin };
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                simple.redirects.extend(redirect);
                continue;
            }
            if self.peek().is_none_or(|byte| is_meta(byte) && !self.starts_process()) {
                break;
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
            } else {
                simple.words.push(self.word()?);
            }
            simple.span.end = self.at;
            if let [name] = simple.words.as_slice()
                && simple.assignments.is_empty()
                && self.takes_empty_brackets()
            {
                let name = name.literal().unwrap_or_default();
                return self.function(name);
            }
        }
        if self.at == begin {
            return Err("a command is missing");
        }
        Ok(Command::Simple(simple))
    }

    /// Takes the `()` behind the name of a function.
    fn takes_empty_brackets(&mut self) -> bool {
        let mark = self.at;
        self.blanks();
        if self.take("(") {
            self.blanks();
            if self.take(")") {
                return true;
            }
        }
        self.at = mark;
        false
    }

    fn assignment(&mut self) -> Parsed<Option<Assignment>> {
        let mark = self.at;
        let name = self.name();
        let mut is_one = !name.is_empty();
        if is_one && self.peek() == Some(b'[') {
            let rest = self.source.get(self.at..).unwrap_or_default();
            // An index with blanks or brackets of its own is not looked for.
            let end = rest.find(|c: char| c == ']' || c.is_whitespace());
            self.at += end.map_or(0, |end| end + 1);
        }
        let appends = is_one && self.take("+=");
        is_one = is_one && (appends || self.take("="));
        if !is_one {
            self.at = mark;
            return Ok(None);
        }
        let mut assignment = Assignment { name, appends, value: Word::default(), elements: Vec::new() };
        if self.take("(") {
            self.lines()?;
            while !self.take(")") {
                if self.peek().is_none_or(|byte| is_meta(byte) && !self.starts_process()) {
                    return Err("a list of values is not closed");
                }
                assignment.elements.push(self.word()?);
                self.lines()?;
            }
        } else {
            assignment.value = self.word()?;
        }
        Ok(Some(assignment))
    }

    /// Takes a redirection; the inner `None` is one that changes nothing here, such as `2>&1`.
    fn redirect(&mut self) -> Parsed<Option<Option<Redirect>>> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'<' | b'>' | b'&')) {
            return Ok(None);
        }
        let digits = (0..).take_while(|n| self.byte(*n).is_some_and(|byte| byte.is_ascii_digit())).count();
        let mark = self.at;
        self.at += digits;
        let is_process = digits == 0 && self.starts_process();
        let sign = REDIRECTS.iter().find(|sign| !is_process && self.starts(sign));
        let Some(sign) = sign.filter(|sign| digits == 0 || !sign.starts_with('&')) else {
            self.at = mark;
            return Ok(None);
        };
        let number = self.slice(mark..self.at).to_owned();
        let is_input = digits == 0 || number == "0";
        self.at += sign.len();
        self.blanks();
        let begin = self.at;
        let target = self.word()?;
        if target.parts.is_empty() {
            return Err("a redirection has no target");
        }
        Ok(Some(match *sign {
            "<<" | "<<-" => {
                let raw = self.slice(begin..self.at).to_owned();
                Some(self.document(&raw, *sign == "<<-")).filter(|_| is_input)
            }
            "<<<" => Some(Redirect::Text(target)).filter(|_| is_input),
            "<" => Some(Redirect::Read(target)).filter(|_| is_input),
            "<&" => None,
            ">&" if target.literal().is_some_and(|name| is_descriptor(&name)) => None,
            _ => Some(Redirect::Write { target, is_output: digits == 0 || number == "1" }),
        }))
    }

    fn document(&mut self, raw: &str, strips_tabs: bool) -> Redirect {
        let is_quote = |c: char| matches!(c, '\'' | '"' | '\\');
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending {
            end: raw.replace(is_quote, ""),
            is_literal: raw.contains(is_quote),
            strips_tabs,
            body: Rc::clone(&body),
        });
        Redirect::Document(body)
    }

    /// Takes a line end and the here-documents behind it.
    fn newline(&mut self) -> Parsed<()> {
        self.at += 1;
        for pending in std::mem::take(&mut self.pending) {
            let mut text = String::new();
            while self.at < self.source.len() {
                let rest = self.source.get(self.at..).unwrap_or_default();
                let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
                let after = (self.at + line.len() + 1).min(self.source.len());
                let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
                let is_end = line == pending.end;
                if !is_end {
                    text.push_str(line);
                    text.push('\n');
                }
                self.at = after;
                if is_end {
                    break;
                }
            }
            let depth = self.depth + 1;
            let word = if pending.is_literal {
                Word { parts: vec![Part::Text { text, quoted: true }] }
            } else {
                self.deeper(|_| parse_quoted(&text, depth))?
            };
            let _ = pending.body.set(word);
        }
        Ok(())
    }

    /// Passes over blanks, continued lines and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.byte(1) == Some(b'\n') => self.at += 2,
                Some(b'#') => {
                    let rest = self.source.get(self.at..).unwrap_or_default();
                    self.at += rest.find('\n').unwrap_or(rest.len());
                    return;
                }
                _ => return,
            }
        }
    }

    /// Passes over blanks and line ends.
    fn lines(&mut self) -> Parsed<()> {
        self.blanks();
        while self.peek() == Some(b'\n') {
            self.newline()?;
            self.blanks();
        }
        Ok(())
    }

    /// The one of some reserved words that stands here, left where it is.
    fn word_of(&self, words: &[&'static str]) -> Option<&'static str> {
        let is_here = |word: &&&str| self.starts(word) && self.byte(word.len()).is_none_or(is_meta);
        words.iter().find(is_here).copied()
    }

    /// A name of letters, digits and `_`, taken.
    pub(super) fn name(&mut self) -> String {
        let begin = self.at;
        if self.peek().is_some_and(|byte| is_name(byte) && !byte.is_ascii_digit()) {
            while self.peek().is_some_and(is_name) {
                self.at += 1;
            }
        }
        self.slice(begin..self.at).to_owned()
    }
}

/// What stands behind `>&` when no file is meant.
fn is_descriptor(name: &str) -> bool {
    name == "-" || name.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit())
}
