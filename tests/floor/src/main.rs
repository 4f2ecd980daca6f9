//! `floor BASE_URL QUESTION`: the least that a client of a model server can do, for the bench to compare mm with.
//!
//! It asks for the models, sends the question, and copies the answer to stdout as it comes. With `FLOOR_BASH` in the
//! environment it runs what the model calls and asks again. No TLS, no configuration, nothing checked, nothing mended:
//! a failure is its end.

mod http;

use std::io::{self, BufWriter, Write};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

use http::Connection;

#[derive(Deserialize)]
struct Chunk {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Delta,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    arguments: String,
}

/// A call of bash: there is one at most.
struct Call {
    id: String,
    arguments: String,
}

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let (base, question) = (args.next().unwrap_or_default(), args.next().unwrap_or_default());
    let runs = std::env::var_os("FLOOR_BASH").is_some();
    let mut connection = Connection::open(&base)?;
    connection.get("/models", |_| Ok(()))?;
    let mut messages = vec![json!({"role": "user", "content": question})];
    let mut out = BufWriter::new(io::stdout().lock());
    while let Some(call) = ask(&mut connection, &messages, &mut out)?.filter(|_| runs) {
        let result = run(&call.arguments)?;
        let function = json!({"name": "bash", "arguments": call.arguments});
        let calls = json!([{"id": call.id, "type": "function", "function": function}]);
        messages.push(json!({"role": "assistant", "content": "", "tool_calls": calls}));
        messages.push(json!({"role": "tool", "tool_call_id": call.id, "content": result}));
    }
    out.write_all(b"\n")?;
    out.flush()
}

/// Asks once; copies the text of the answer, and gives the call in it.
fn ask(
    connection: &mut Connection,
    messages: &[Value],
    out: &mut BufWriter<impl Write>,
) -> io::Result<Option<Call>> {
    let body = serde_json::to_vec(&json!({"model": "m", "messages": messages, "stream": true}))?;
    let mut call: Option<Call> = None;
    connection.post("/chat/completions", &body, |event| {
        let Some(line) = event else { return out.flush() };
        let Some(data) = line.strip_prefix(b"data: ").filter(|data| *data != b"[DONE]") else {
            return Ok(());
        };
        let chunk: Chunk = serde_json::from_slice(data)?;
        let delta = chunk.choices.into_iter().next().map(|choice| choice.delta).unwrap_or_default();
        for piece in delta.tool_calls.into_iter().flatten() {
            let call =
                call.get_or_insert(Call { id: piece.id.unwrap_or_default(), arguments: String::new() });
            call.arguments.push_str(&piece.function.arguments);
        }
        out.write_all(delta.content.unwrap_or_default().as_bytes())
    })?;
    Ok(call)
}

fn run(arguments: &str) -> io::Result<String> {
    let arguments: Value = serde_json::from_str(arguments)?;
    let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
    let output = Command::new("bash").args(["-c", command]).stdin(Stdio::null()).output()?;
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}
