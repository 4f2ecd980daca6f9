//! Answers of a shape: `structuredOutput` from the file to stdout.

use mm_llm::testing::{Answer, ScriptedServer};
use serde_json::{Value, json};

use crate::support::{Ran, Sandbox, ended};
use crate::terminal::Terminal;

const CONFIG: &str = "bashTool: false
editTools: false
structuredOutput: |
  type City struct {
      Name string `json:\"name\"` // in English
  }
  var Cities []City
";

async fn ask(answers: &[&str], args: &[&str]) -> (Ran, Vec<Value>) {
    let server = ScriptedServer::start(answers.iter().map(|text| Answer::text(&[text]))).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), CONFIG);
    let ran = sandbox.run(&[&["-p", "Which cities?"], args].concat()).await;
    let bodies = server.requests().into_iter().filter(|request| request.method == "POST");
    (ran, bodies.map(|request| serde_json::from_str(&request.body).unwrap()).collect())
}

#[tokio::test]
async fn stdout_has_the_answer_as_written_and_nothing_else() {
    let rows = [
        (vec!["\n[{\"name\":  \"Rome\"}] \n"], "[{\"name\":  \"Rome\"}]\n", ""),
        (vec!["Here:\n```json\n[\n  {\"name\": \"Rome\"}\n]\n```\n"], "[\n  {\"name\": \"Rome\"}\n]\n", ""),
        (
            vec!["[{\"name\": 5}]", "[]"],
            "[]\n",
            "[notice: the answer does not fit its schema, and the model is asked again: /0/name: 5 is not of type \
             \"string\"]\n",
        ),
    ];
    for (answers, stdout, stderr) in rows {
        let (ran, requests) = ask(&answers, &[]).await;
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.code), (stdout, stderr, Some(0)));
        assert_eq!(requests.len(), answers.len());
        for request in requests {
            assert_eq!(request["response_format"]["json_schema"]["schema"]["type"], "array");
            assert_eq!(request.get("tools"), None);
            assert!(request["messages"][0]["content"].as_str().unwrap().contains("\n\nOUTPUT FORMAT\n"));
        }
    }
}

#[tokio::test]
async fn an_answer_that_never_fits_fails_and_leaves_stdout_empty() {
    let why = "model failed to generate output matching expected schema: this is not valid JSON: expected value at \
               line 1, column 1";
    let (ran, requests) = ask(&["Rome.", "Rome!"], &[]).await;
    assert_eq!((ran.stdout.as_str(), ran.code, requests.len()), ("", Some(2), 2));
    assert!(ran.stderr.ends_with(&format!("[error: {why}]\n")), "{}", ran.stderr);
    let (ran, _) = ask(&["Rome.", "Rome!"], &["--output", "json"]).await;
    let object: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&object["answer"], &object["partial"], &object["error"]),
        (&Value::Null, &Value::Null, &json!(why))
    );
    assert_eq!(ran.code, Some(2));
}

#[tokio::test]
async fn a_program_gets_the_answer_as_a_text() {
    let (ran, _) = ask(&["[]"], &["--output", "json"]).await;
    assert_eq!(serde_json::from_str::<Value>(&ran.stdout).unwrap()["answer"], "[]");
    let (ran, _) = ask(&["[]"], &["--output", "stream-json"]).await;
    let events = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let types: Vec<String> = events.map(|event| event["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(types, ["turn_started", "waiting", "writing_answer", "text", "turn_ended"]);
}

#[tokio::test]
async fn a_conversation_says_in_its_banner_that_answers_are_json() {
    let server = ScriptedServer::start([Answer::text(&["[]"])]).await.unwrap();
    let sandbox = Sandbox::with_config(&server.base_url(), CONFIG);
    let mut terminal = Terminal::start(&sandbox).await;
    let banner = terminal.until("> ").await;
    assert!(banner.contains("| tools: none (structured output: JSON answers)"), "{banner}");
    assert!(!banner.contains("[warning"), "{banner}");
    terminal.type_in("Which cities?\n").await;
    terminal.until("[]").await;
}

/// Rows of (question, declarations).
const SHAPES: [(&str, &str); 10] = [
    (
        "List three countries.",
        "type Language struct {
             Name     string `json:\"name\"`     // the language's name, in English
             Official bool   `json:\"official\"`
         }
         type Country struct {
             Name      string     `json:\"name\"`
             Capital   *string    `json:\"capital\"`   // null when unknown
             Languages []Language `json:\"languages\"` // at most 4
         }
         var Countries = []Country{}",
    ),
    ("How old is Ada, who was born in 1815, in 1840?", "var Age int"),
    ("Is the sky blue?", "var Yes bool"),
    ("What is pi?", "var Pi float64"),
    ("Name five colours.", "type Colours struct { Names []string `json:\"names\"` }\nvar Answer Colours"),
    ("Which animals are on the farm: 3 cows, 12 hens?", "var Count map[string]int"),
    ("Where does Bob live? Nobody knows.", "type Bob struct { Town *string; Age *int }\nvar Answer Bob"),
    (
        "Draw a family: Ada and her two children.",
        "type Person struct {
             Name     string   `json:\"name\"`
             Children []Person `json:\"children\"`
         }
         var Root Person",
    ),
    ("Count from one to twenty.", "var Numbers []int"),
    (
        "An order of two books for Bob in Rome.",
        "type Item struct { Title string; Count uint8 }
         var Order struct {
             Customer struct { Name string; Address struct { Town string } }
             Items    []Item
             Paid     bool `json:\"paid,omitempty\"`
         }",
    ),
];

/// Each shape ends in JSON that fits, or in the words for JSON that was cut.
#[tokio::test]
async fn a_real_model_keeps_to_every_shape() {
    let Some(server) = crate::real::server() else { return };
    let mut whole = 0;
    for (question, block) in SHAPES {
        let sandbox = Sandbox::new();
        let block = block.lines().map(|line| format!("  {line}\n")).collect::<String>();
        let config = format!(
            "provider: llamacpp\nmodel: m\nfallback: ''\nbashTool: false\neditTools: false\nwatchdogTimeout: 60s\n\
             sampling: {{max_tokens: 400, temperature: 0}}\nstructuredOutput: |\n{block}"
        );
        sandbox.write("agent.yaml", config);
        let mut command = sandbox.command(&["-p", question]);
        let ran = ended(command.env("AGENT_BASE_URL", &server).spawn().unwrap()).await;
        let schema = mm_schema::translate(&block).unwrap();
        let answers = mm_schema::AnswerSchema::new(schema.value()).unwrap();
        println!("{:?}  {question}  {:?}  {}", ran.code, ran.stdout.trim_end(), ran.stderr.trim_end());
        match ran.code {
            Some(0) => {
                answers.check(ran.stdout.trim_end()).unwrap();
                whole += 1;
            }
            code => {
                assert_eq!((code, ran.stdout.as_str()), (Some(2), ""), "{question}: {}", ran.stderr);
                let cut = "[error: the answer was cut off by max_tokens before its JSON was complete (400: ";
                assert!(ran.stderr.contains(cut), "{question}: {}", ran.stderr);
            }
        }
    }
    assert!(whole >= 5, "{whole} of {} answers were whole", SHAPES.len());
}
