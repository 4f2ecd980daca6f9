//! Editing at the prompt, in terminals of several sizes.

use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use mm_llm::testing::{Answer, ScriptedServer};
use rustix::process::{Signal, kill_process};
use serde_json::Value;

use crate::support::Sandbox;
use crate::terminal::Terminal;

async fn server(answers: &[&str]) -> ScriptedServer {
    ScriptedServer::start(answers.iter().map(|answer| Answer::text(&[answer]))).await.unwrap()
}

/// The last question of each request.
fn questions(server: &ScriptedServer) -> Vec<String> {
    let last = |body: Value| body["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    server.bodies().into_iter().map(|body| last(body).as_str().unwrap().to_owned()).collect()
}

fn pasted(text: &str) -> String {
    format!("\x1b[200~{text}\x1b[201~")
}

/// The file that the questions of the sandbox are kept in.
fn history(sandbox: &Sandbox) -> Option<std::path::PathBuf> {
    let dir = sandbox.path().join(".local/state/mm/history");
    Some(std::fs::read_dir(dir).ok()?.next()?.unwrap().path())
}

#[tokio::test]
async fn what_was_asked_is_there_at_the_next_start() {
    let server = server(&["uno", "due", "tre", "quattro"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut first = Terminal::start(&sandbox).await;
    first.until("> ").await;
    assert_eq!(history(&sandbox), None, "nothing is written before something is typed");
    for question in ["alpha\r", "beta\r", " secret\r"] {
        first.type_in(question).await;
        first.until("\r\n\r\n").await;
        first.until("> ").await;
    }
    first.type_in("\x04").await;
    assert_eq!(first.ended().await, Some(0));
    assert_eq!(history(&sandbox).unwrap().metadata().unwrap().mode() & 0o777, 0o600);

    let mut second = Terminal::start(&sandbox).await;
    second.until("> ").await;
    // Up twice; then the search finds the other one.
    second.type_in("\x1b[A\x1b[A").await;
    second.shows("the older one", |screen| screen.ends_with("> alpha")).await;
    second.type_in("\x1b[B").await;
    second.shows("the newer one", |screen| screen.ends_with("> beta")).await;
    second.type_in("\x03\x12alp").await;
    second.shows("what was searched for", |screen| screen.ends_with("`alp': alpha")).await;
    second.type_in("\x05!\r").await;
    second.until("quattro").await;
    assert_eq!(questions(&server), ["alpha", "beta", "secret", "alpha!"]);
}

#[tokio::test]
async fn a_history_that_cannot_be_kept_is_told_once_and_nothing_else_suffers() {
    let server = server(&["uno", "due"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    sandbox.write(".local", "a file where a directory should be");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("[warning: the history is not kept: ").await;
    terminal.until("> ").await;
    terminal.type_in("first\r").await;
    terminal.until("uno").await;
    terminal.until("> ").await;
    terminal.type_in("\x1b[A again\r").await;
    let rest = terminal.until("due").await;
    assert!(!rest.contains("warning"), "{rest}");
    assert_eq!(questions(&server), ["first", "first again"]);
}

#[tokio::test]
async fn keys_move_by_words_and_cut_what_is_not_wanted() {
    let server = server(&["uno"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    // A word back and in front of it; the start; cut to the end and yank; the arrow keys.
    terminal.type_in("two four\x1bbthree \x01one \x05 fyve\x1b[D\x1b[D\x1b[3~i\x17five\x0b").await;
    terminal.shows("the line", |screen| screen.ends_with("> one two three four five")).await;
    terminal.type_in("\r").await;
    terminal.until("uno").await;
    assert_eq!(questions(&server), ["one two three four five"]);
}

#[tokio::test]
async fn several_lines_are_one_question() {
    let server = server(&["uno", "due", "tre", "quattro", "cinque"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("one\x1b\rtwo\r").await;
    terminal.until("uno").await;
    terminal.until("> ").await;
    terminal.type_in("\"\"\"\r/help me\r  with this\r\"\"\"\r").await;
    terminal.until("due").await;
    terminal.until("> ").await;
    terminal.type_in(&pasted("a\rb\r\nc\nd")).await;
    terminal.type_in(" and more\r").await;
    terminal.until("tre").await;
    terminal.until("> ").await;
    // Up gives the last one whole.
    terminal.type_in("\x1b[A\r").await;
    terminal.until("quattro").await;
    terminal.until("> ").await;
    // A terminal that does not mark what is pasted: two questions, nothing lost.
    terminal.type_in("first\rsecond").await;
    terminal.until("cinque").await;
    terminal.shows("the rest", |screen| screen.ends_with("> second")).await;
    let long = "a\nb\nc\nd and more";
    assert_eq!(questions(&server), ["one\ntwo", "/help me\n  with this", long, long, "first"]);
}

#[tokio::test]
async fn a_paste_of_a_megabyte_is_sent_as_it_is() {
    let server = server(&["got it"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    let line = "fn main() { println!(\"häßlich\"); } // a line of sixty-odd characters";
    let text: String = (0..15_000).map(|n| format!("{n:05} {line}\n")).collect();
    assert!(text.len() > 1_000_000);
    let begun = Instant::now();
    terminal.type_in(&format!("look: {} - what is it?", pasted(&text))).await;
    terminal
        .shows("what stands for it", |screen| screen.ends_with("> look: [pasted 15,000 lines] - what is it?"))
        .await;
    terminal.type_in("\r").await;
    terminal.until("got it").await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(questions(&server), [format!("look: {text} - what is it?")]);
    // What is that long is not kept for another start.
    assert_eq!(history(&sandbox), None);
}

#[tokio::test]
async fn a_long_line_of_a_terminal_that_marks_nothing_is_sent_as_it_is() {
    let server = server(&["got it"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    let text: String = (0..50_000).map(|n| format!("{n} ")).collect();
    let typing = format!("{text}end");
    let begun = Instant::now();
    terminal.type_all(&typing).await;
    terminal.shows("what stands for it", |screen| screen.contains("characters")).await;
    terminal.type_in("\r").await;
    terminal.until("got it").await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(questions(&server), [typing]);
}

#[tokio::test]
async fn tab_completes_commands_files_and_sessions() {
    let server = server(&["uno", "due"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "sessions: {enabled: true}\n");
    sandbox.write("notes.txt", "milk\nbread\n");
    sandbox.write("my list.txt", "tea\n");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("/hel\t").await;
    terminal.shows("the command", |screen| screen.ends_with("> /help")).await;
    terminal.type_in("\x15/\t").await;
    terminal.shows("all commands", |screen| screen.contains("/exit") && screen.contains("/resume")).await;
    terminal.type_in("\x15What is in @no\tand @my\t?\r").await;
    terminal.until("(added notes.txt: 2 lines)").await;
    terminal.until("(added my list.txt: 1 line)").await;
    terminal.until("uno").await;
    terminal.until("> ").await;
    terminal.type_in("/resume 20\t").await;
    terminal.shows("the session", |screen| screen.lines().last().is_some_and(|line| line.len() > 15)).await;
    let expected = "What is in notes.txt and \"my list.txt\" ?\n\n[notes.txt]\n1\tmilk\n2\tbread\n\n[my list.txt]\n1\ttea";
    assert_eq!(questions(&server), [expected]);
}

#[tokio::test]
async fn a_pipe_mentions_no_files() {
    let server = server(&["uno", "due"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    sandbox.write("notes.txt", "milk\n");
    sandbox.run_with(&[], "see @notes.txt\n").await;
    sandbox.run(&["-p", "see @notes.txt"]).await;
    assert_eq!(questions(&server), ["see @notes.txt", "see @notes.txt"]);
}

#[tokio::test]
async fn what_is_typed_while_an_answer_comes_is_the_next_question() {
    let slow = Answer::text(&["slow"]);
    let slow = Answer { wait: Duration::from_millis(800), ..slow };
    let server = ScriptedServer::start([slow, Answer::text(&["next"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\r").await;
    terminal.until("Waiting for the model").await;
    terminal.type_in("and th").await;
    let shown = terminal.until("slow").await;
    assert!(!shown.contains("and"), "it is not shown amid the answer: {shown:?}");
    terminal.shows("it at the prompt", |screen| screen.ends_with("> and th")).await;
    terminal.type_in("en?\r").await;
    terminal.until("next").await;
    assert_eq!(questions(&server), ["go", "and then?"]);
}

#[tokio::test]
async fn typed_ahead_keys_answer_no_request_and_are_not_lost() {
    let call = Answer { wait: Duration::from_millis(800), ..Answer::bash("touch made") };
    let server =
        ScriptedServer::start([call, Answer::text(&["done"]), Answer::text(&["more"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), "yolo: false\n");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("go\r").await;
    terminal.until("Waiting for the model").await;
    terminal.type_in(&format!("yes\r{}", pasted("y\ry\r"))).await;
    terminal.until("Run it?").await;
    terminal.shows("an empty answer", |screen| screen.ends_with("ne[v]er:")).await;
    assert!(!sandbox.path().join("made").exists());
    // Of two lines that come at once one is the answer.
    terminal.type_in("y\rlater").await;
    terminal.until("done").await;
    terminal.until("more").await;
    assert!(sandbox.path().join("made").exists());
    assert_eq!(questions(&server).last().unwrap(), "yes");
    terminal.shows("the rest", |screen| screen.contains("> y\n") && screen.ends_with("later")).await;
}

#[tokio::test]
async fn ctrl_c_takes_a_line_away_and_ctrl_d_leaves_on_an_empty_one() {
    let server = server(&["uno"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::start(&sandbox).await;
    terminal.until("> ").await;
    terminal.type_in("not this\x03").await;
    terminal.shows("a new prompt", |screen| screen.ends_with("> not this\n>")).await;
    // Ctrl-D in a line deletes.
    terminal.type_in("xab\x01\x04\r").await;
    terminal.until("uno").await;
    terminal.until("> ").await;
    terminal.type_in("\x04").await;
    assert_eq!(terminal.ended().await, Some(0));
    assert_eq!(questions(&server), ["ab"]);
}

#[tokio::test]
async fn however_it_ends_the_terminal_is_as_it_was() {
    let server = server(&[]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    for (signal, keys) in [
        (Some(Signal::TERM), ""),
        (Some(Signal::HUP), "typed"),
        (None, "\x03\x03"),
        (None, "\x1c"),
        (None, "\x04"),
    ] {
        let mut terminal = Terminal::start(&sandbox).await;
        terminal.until("\x1b[?2004h").await;
        terminal.until("> ").await;
        assert!(!terminal.edits_itself());
        terminal.type_in(keys).await;
        match signal {
            Some(signal) => kill_process(terminal.pid(), signal).unwrap(),
            None => terminal.until("\n").await.truncate(0),
        }
        terminal.until("\x1b[?2004l").await;
        let code = terminal.ended().await;
        assert_eq!(code, Some(if keys == "\x04" { 0 } else { 130 }), "{signal:?} {keys:?}");
        assert!(terminal.edits_itself(), "{signal:?} {keys:?}");
    }
}

#[tokio::test]
async fn ctrl_z_gives_the_terminal_back_and_fg_goes_on() {
    let server = server(&["fine"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let shell = pty_process::Command::new("bash").args(["--noprofile", "--norc", "-i"]);
    let mut terminal = Terminal::of(&sandbox, shell, (24, 80));
    terminal.until("bash").await;
    terminal.type_in("PS1='$ '; clear\r").await;
    terminal.until("\n").await;
    terminal.until("$ ").await;
    terminal.type_in("\"$MM\"\r").await;
    terminal.until("leaves").await;
    terminal.until("> ").await;
    terminal.type_in("half a que").await;
    terminal.until("que").await;
    terminal.type_in("\x1a").await;
    terminal.until("Stopped").await;
    terminal.until("$ ").await;
    terminal.type_in("stty -a | grep -o ' icanon'; echo o''k\r").await;
    let modes = terminal.until("\nok").await;
    assert!(modes.contains("\r icanon"), "{modes:?}");
    terminal.type_in("fg\r").await;
    terminal.shows("the line again", |screen| screen.ends_with("> half a que")).await;
    terminal.type_in("stion\r").await;
    terminal.until("fine").await;
    assert_eq!(questions(&server), ["half a question"]);
    terminal.until("> ").await;
    terminal.type_in("\x04").await;
    terminal.until("$ ").await;
}

/// `/edit`: the editor has the terminal to itself, keys and modes.
#[tokio::test]
async fn an_editor_gets_the_terminal_and_gives_it_back() {
    let server = server(&["uno", "due"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let editor = sandbox.write(
        "editor",
        "#!/bin/sh\nstty -a | grep -o ' icanon'\nprintf 'text: '\nread text\nprintf %s \"$text\" > \"$1\"\n",
    );
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let shell = pty_process::Command::new("sh").args(["-c", "EDITOR=./editor \"$MM\""]);
    let mut terminal = Terminal::of(&sandbox, shell, (24, 80));
    terminal.until("> ").await;
    terminal.type_in("/edit\r").await;
    terminal.until(" icanon").await;
    terminal.until("text: ").await;
    terminal.type_in("written elsewhere\r").await;
    terminal.until("uno").await;
    terminal.until("> ").await;
    terminal.type_in("typed here\r").await;
    terminal.until("due").await;
    assert_eq!(questions(&server), ["written elsewhere", "typed here"]);
}

#[tokio::test]
async fn a_small_terminal_and_wide_characters_show_what_is_typed() {
    for (rows, columns) in [(24, 80), (24, 40), (5, 20)] {
        let call = Answer::bash("touch made");
        let server = ScriptedServer::start([call, Answer::text(&["fertig"])]).await.unwrap();
        let sandbox = Sandbox::with_config(&server.base_url(), "yolo: false\n");
        let mut terminal = Terminal::sized(&sandbox, (rows, columns));
        terminal.until("\x1b[?2004h").await;
        terminal.type_in("日本語の文字は幅が広い🙂e\u{301}").await;
        let typed = "> 日本語の文字は幅が広い🙂e\u{301}";
        terminal.shows("the line", |screen| screen.replace('\n', "").ends_with(typed)).await;
        // One character back each time: a wide one, and one of two code points.
        terminal.type_in("\x7f\x7f").await;
        let typed = "> 日本語の文字は幅が広い";
        terminal.shows("the shorter line", |screen| screen.replace('\n', "").ends_with(typed)).await;
        terminal.type_in("\r").await;
        terminal.until("Run it?").await;
        terminal.type_in("y").await;
        terminal.shows("the answer", |screen| screen.ends_with(" y")).await;
        terminal.type_in("\r").await;
        terminal.until("fertig").await;
        assert_eq!(questions(&server)[0], "日本語の文字は幅が広い");
        assert!(sandbox.path().join("made").exists());
    }
}

#[tokio::test]
async fn a_smaller_window_shows_the_line_anew() {
    let server = server(&["uno"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let mut terminal = Terminal::sized(&sandbox, (24, 80));
    terminal.until("> ").await;
    terminal.type_in("one two three four five six").await;
    terminal.until("six").await;
    terminal.resize(24, 20);
    terminal.until("\x1b[K").await;
    terminal.type_in(" seven\r").await;
    terminal.until("uno").await;
    assert_eq!(questions(&server), ["one two three four five six seven"]);
}

/// `mm | tee log`: the prompt and what is typed do not go into the pipe, and the terminal edits by itself.
#[tokio::test]
async fn into_a_pipe_goes_the_answer_alone() {
    let server = server(&["the answer"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let shell = pty_process::Command::new("sh").args(["-c", "\"$MM\" | cat > log"]);
    let mut terminal = Terminal::of(&sandbox, shell, (24, 80));
    terminal.until("> ").await;
    terminal.type_in("go\n").await;
    terminal.until("go\r\n").await;
    terminal.until("> ").await;
    terminal.type_in("\x04").await;
    assert_eq!(terminal.ended().await, Some(0));
    assert_eq!(std::fs::read_to_string(sandbox.path().join("log")).unwrap(), "the answer\n");
}

#[tokio::test]
async fn a_dumb_terminal_gets_plain_lines() {
    let server = server(&["plain"]).await;
    let sandbox = Sandbox::with_config(&server.base_url(), "");
    let command = pty_process::Command::new(env!("CARGO_BIN_EXE_mm"));
    let mut terminal = Terminal::with_term(&sandbox, command, (24, 80), "dumb");
    let mut all = terminal.until("> ").await;
    assert!(terminal.edits_itself());
    terminal.type_in("go\n").await;
    all += &terminal.until("plain").await;
    let begin = all.find("go\r\n").unwrap();
    assert!(!all[..begin].contains('\x1b'), "{all:?}");
    terminal.until("> ").await;
    terminal.type_in("\x04").await;
    assert_eq!(terminal.ended().await, Some(0));
}
