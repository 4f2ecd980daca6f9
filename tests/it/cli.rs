//! The command line and the configuration, before any server is asked.

use crate::support::Sandbox;

#[tokio::test]
async fn version_and_help_go_to_stdout() {
    let sandbox = Sandbox::new();
    for flag in ["--version", "-version", "-V"] {
        let ran = sandbox.run(&[flag]).await;
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert!(ran.stdout.starts_with(concat!("mm ", env!("CARGO_PKG_VERSION"), " (")), "{}", ran.stdout);
        assert_eq!(ran.stdout.lines().count(), 1);
    }
    let ran = sandbox.run(&["--help"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(ran.stdout, @r"
    A local-first terminal agent for small models on your own machine

    Usage: mm [OPTIONS] [COMMAND]

    Commands:
      config       Check, show, describe or begin a configuration
      models       List the models that the server has
      doctor       Try the server, the window, a tool call and a JSON answer; say what works and what to do
      schema       Print the JSON Schema of Go declarations, as structuredOutput has them
      guard        Say what the guard thinks of a command: one JSON object with verdict, rule and why. Nothing is run
      completions  Print the completion script of a shell

    Options:
      -c, --config <FILE>    The configuration file (else $MM_CONFIG, ./agent.yaml, ~/.config/mm/agent.yaml)
      -p <PROMPT>            Ask one question, print the answer, exit; `-` reads the question from stdin. What is piped in is added to the question
          --stdin            Wait for piped input however long it takes (else a pipe that is silent for 3 s is left out)
          --output <FORM>    What -p prints: the answer, one JSON object, or one event a line [possible values: text, json, stream-json]
          --resume [<ID>]    Go on with a session, by its id or the beginning of it; without one, choose from a list. Needs sessions.enabled
          --continue         Go on with the newest session of this directory. Needs sessions.enabled
          --model <NAME>     The model, over file and environment
          --provider <NAME>  The server: dmr, llamacpp, llmman or ollama
          --base-url <URL>   The server's OpenAI-compatible end point, such as http://127.0.0.1:8080/v1
      -V, --version          Print the version
      -h, --help             Print this help
    ");
}

/// Rows of (arguments, the usage line that follows).
#[tokio::test]
async fn help_wins_wherever_it_stands() {
    let sandbox = Sandbox::new();
    let rows = [
        ("completions --help", "mm completions [OPTIONS] <SHELL>"),
        ("completions -h", "mm completions [OPTIONS] <SHELL>"),
        ("--help completions", "mm completions [OPTIONS] <SHELL>"),
        ("completions cmd -help", "mm completions [OPTIONS] <SHELL>"),
        ("--model config models -h", "mm models [OPTIONS]"),
        ("models --output xml -h", "mm models [OPTIONS]"),
        ("doctor --help", "mm doctor [OPTIONS]"),
        ("schema --help", "mm schema [OPTIONS] [FILE]"),
        ("guard --help", "mm guard [OPTIONS] <COMMAND>"),
        ("-p x doctor -h", "mm doctor [OPTIONS]"),
        ("doctor -h -p x", "mm doctor [OPTIONS]"),
        ("-h config", "mm config [OPTIONS] [COMMAND]"),
        ("config check a b -h", "mm config check [OPTIONS] [FILE]"),
        ("-h config show", "mm config show [OPTIONS] [FILE]"),
        ("config schema -h", "mm config schema [OPTIONS]"),
        ("config -h init", "mm config init [OPTIONS] [FILE]"),
        ("--stdin -h", "mm [OPTIONS] [COMMAND]"),
        ("--colour -h", "mm [OPTIONS] [COMMAND]"),
    ];
    for (line, usage) in rows {
        let ran = sandbox.run(&line.split(' ').collect::<Vec<_>>()).await;
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{line}");
        assert!(ran.stdout.contains(&format!("\nUsage: {usage}\n")), "{line}: {}", ran.stdout);
    }
    let ran = sandbox.run(&["completions", "-h"]).await;
    assert!(ran.stdout.contains("[possible values: bash, elvish, fish, powershell, zsh]"), "{}", ran.stdout);
}

#[tokio::test]
async fn a_question_beside_a_helper_is_told_whichever_stands_first() {
    let sandbox = Sandbox::new();
    for (line, helper) in [
        ("-p hi doctor", "doctor"),
        ("doctor -p hi", "doctor"),
        ("models -p=hi", "models"),
        ("completions -p hi", "completions"),
        ("completions bash -phi", "completions"),
        ("schema -p hi", "schema"),
        ("config check a.yaml -p hi", "config"),
        ("--model doctor config -p hi", "config"),
    ] {
        let ran = sandbox.run(&line.split(' ').collect::<Vec<_>>()).await;
        let expected = format!("[usage: -p asks a question, {helper} does not: give one of them]\n");
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(1), "", &*expected), "{line}");
    }
}

/// Rows of (arguments, the line on stderr): all with exit code 1 and nothing on stdout.
#[tokio::test]
async fn what_is_wrong_at_the_start_is_one_line_and_exit_code_1() {
    let sandbox = Sandbox::new();
    sandbox.write("broken.yaml", "model: [a\n");
    sandbox.write("two.yaml", "maxTurns: 0\nyolo: yes\npreviewLines: -1\n");
    sandbox.write("binary.yaml", [0xFFu8, 0xFE, 0, 1, 2]);
    sandbox.write("vendor.yaml", "provider: openai\n");
    sandbox.write("url.yaml", "provider: ollama\nbaseUrl: localhost:11434\n");
    std::fs::create_dir(sandbox.path().join("dir.yaml")).unwrap();
    let rows: [(&[&str], &str); 10] = [
        (&["--colour"], "[usage: unexpected argument '--colour' found (mm --help lists the flags)]\n"),
        (
            &["-p", "-x"],
            "[usage: unexpected argument '-x' found (mm --help lists the flags; a value that begins with a dash needs =, as in -p=-x)]\n",
        ),
        (&["-p", "x", "-c", "missing.yaml"], "[config error: missing.yaml: "),
        (&["-p", "x", "-c", "dir.yaml"], "[config error: dir.yaml: "),
        (&["-p", "x", "-c", "binary.yaml"], "[config error: binary.yaml: "),
        (&["-p", "x", "-c", "broken.yaml"], "[config error: broken.yaml: line "),
        (&["-c", "missing.yaml"], "[config error: missing.yaml: "),
        (
            &["-p", "x", "-c", "two.yaml"],
            "[config error: two.yaml: maxTurns must be > 0]\n\
             [config error: two.yaml: line 2, column 7: yolo must be true or false, not \"yes\" (which is text in YAML 1.2: write true)]\n\
             [config error: two.yaml: previewLines must be >= 0]\n",
        ),
        (
            &["-p", "x", "-c", "vendor.yaml"],
            "[engine error: unknown provider \"openai\" (known: dmr, llamacpp, llmman, ollama)]\n",
        ),
        (
            &["-p", "x", "-c", "url.yaml"],
            "[engine error: localhost:11434 cannot be used as an end point: it must begin with http:// or https://]\n",
        ),
    ];
    for (args, expected) in rows {
        let ran = sandbox.run(args).await;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{args:?}: {}", ran.stderr);
        if expected.ends_with('\n') {
            assert_eq!(ran.stderr, expected, "{args:?}");
        } else {
            assert!(
                ran.stderr.starts_with(expected) && ran.stderr.ends_with("]\n"),
                "{args:?}: {}",
                ran.stderr
            );
            assert_eq!(ran.stderr.lines().count(), 1, "{args:?}: {}", ran.stderr);
        }
    }
}

#[tokio::test]
async fn a_bad_variable_is_a_config_error() {
    let sandbox = Sandbox::new();
    let output = sandbox.command(&["-p", "x"]).env("AGENT_YOLO", "maybe").output().await.unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(stderr, "[config error: <defaults>: AGENT_YOLO=\"maybe\": must be true or false]\n");
    assert_eq!(output.status.code(), Some(1));
}

#[tokio::test]
async fn escapes_in_settings_do_not_reach_the_terminal() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["-p", "x", "--provider", "\u{1b}[31m\nx"]).await;
    let expected =
        "[engine error: unknown provider \"\\u{1b}[31m x\" (known: dmr, llamacpp, llmman, ollama)]\n";
    assert_eq!((ran.stderr.as_str(), ran.code), (expected, Some(1)));
}
