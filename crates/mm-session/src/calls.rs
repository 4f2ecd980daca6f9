//! The only road to a tool: look up, check, hooks, permission, run, hooks.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join_all;
use mm_hooks::{Decision, HookEvent};
use mm_schema::arguments::Decoded;
use mm_schema::{ArgumentError, ToolCall, arguments, nearest};
use mm_tools::{Asked, Preview, Question, Tool, ToolContext, ToolHost, ToolOutput, output};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::history::MAX_NAME;
use crate::steps::with_context;
use crate::{ConfirmRequest, Event, Frontend, Permit, Referee, Session, TurnError};

/// Told to the model about a faulty call in a reply that was cut off.
const NOT_MENDED: &str = "[error: the arguments are not valid JSON, and the reply was cut off by its limit of tokens: send this call again]";

/// The result of a call whose last hook failed and must not: it may have been there to cut something out.
const KEPT_BACK: &str = "[the call ran, and its result is kept back: a hook failed]";

/// Tools that a model may know of and that are not declared for a reason.
const ABSENT: [(&str, &str); 1] = [(
    "ask_user",
    "nobody can answer questions here: go on without an answer, or say in your answer what you need to know",
)];

/// A limit of many years is cut to one, which a clock can hold.
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// A call that waits for its permission.
#[derive(Debug)]
struct Asking<'a> {
    tool: &'a dyn Tool,
    preview: &'a Preview,
    arguments: &'a Value,
    cx: &'a ToolContext,
}

/// A call that may run.
#[derive(Debug)]
struct Admitted {
    call: ToolCall,
    tool: Arc<dyn Tool>,
    args: Value,
    preview: Preview,
    /// What a hook adds to the result, for the model.
    context: Option<String>,
}

/// What became of a call before it ran.
#[derive(Debug)]
enum Admission {
    Run(Admitted),
    /// It does not run: the text for the model, and what a hook adds to it.
    Answered(ToolCall, String, Option<String>),
}

/// What a call gave.
#[derive(Debug)]
struct Given {
    output: ToolOutput,
    /// What hooks add to it for the model: nobody else reads that.
    added: [Option<String>; 2],
    /// Why the turn ends here though the call ran.
    stop: Option<TurnError>,
}

/// What became of a call in the end.
#[derive(Debug)]
struct Finished {
    call: ToolCall,
    /// The text for the model, unless the call was broken off.
    result: Option<String>,
    /// Why the turn ends here.
    stop: Option<TurnError>,
    elapsed: Duration,
}

impl Session {
    /// Runs the calls of a reply in order and puts their results into the history. Neighbours that only
    /// read run beside each other.
    pub(crate) async fn run_calls(
        &mut self,
        calls: Vec<ToolCall>,
        cut: Option<String>,
        referee: &mut Referee,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> Result<(), TurnError> {
        let cut = cut.map(|text| (calls.len() - 1, text));
        let mut calls = calls.into_iter().enumerate().peekable();
        while let Some((at, call)) = calls.next() {
            let mut batch = vec![match &cut {
                Some((last, text)) if *last == at => self.refuse(call, "", text.clone(), ui).await,
                _ => self.admit_call(call, cut.is_none(), ui, cancel).await?,
            }];
            while batch.last().is_some_and(overlaps)
                && let Some((_, next)) = calls.next_if(|(n, next)| {
                    cut.as_ref().is_none_or(|(last, _)| last != n) && self.only_reads(next)
                })
            {
                batch.push(self.admit_call(next, cut.is_none(), ui, cancel).await?);
            }
            // A hook may have made of a call that only reads one that does not.
            let alone = batch.pop_if(|last| !overlaps(last));
            for batch in [batch, alone.into_iter().collect()] {
                self.finish_all(batch, referee, ui, cancel).await?;
            }
        }
        Ok(())
    }

    /// Runs what was admitted beside each other. All that ran has its result in the history, however it ends.
    async fn finish_all(
        &mut self,
        batch: Vec<Admission>,
        referee: &mut Referee,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> Result<(), TurnError> {
        let mut end = Ok(());
        for done in join_all(batch.into_iter().map(|a| self.finish(a, ui, cancel))).await {
            let Finished { call, result, stop, elapsed } = done;
            end = end.and(stop.map_or(Ok(()), Err));
            let Some(result) = result else { break };
            self.stats.ran(elapsed);
            self.history.result(&call.id, &result);
            self.tool_calls += 1;
            end = end.and_then(|()| referee.ran(&call, &result));
        }
        end
    }

    async fn admit_call(
        &mut self,
        call: ToolCall,
        may_mend: bool,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> Result<Admission, TurnError> {
        let Some(tool) = self.parts.tools.get(&call.name).cloned() else {
            let text = self.unknown(&call.name);
            return Ok(self.refuse(call, "", text, ui).await);
        };
        let cx = self.context(cancel);
        let decoded = match decode(&*tool, &call.arguments) {
            Ok(decoded) => decoded,
            Err(fault) => return Ok(self.refuse(call, "", format!("[error: {fault}]"), ui).await),
        };
        let (mut args, mended) = (decoded.value, decoded.repaired);
        if mended && !may_mend {
            // What looks like a slip of form may be a part that is missing.
            return Ok(self.refuse(call, "", NOT_MENDED.to_owned(), ui).await);
        }
        let mut preview = tool.preview(&args, &cx);
        let event = HookEvent::PreToolCall { tool: &call.name, arguments: &args, summary: &preview.summary };
        let outcome = self.hooks(event, ui, cancel).await;
        // What is refused needs no check, and is shown as the model wrote it.
        if let Some(rewritten) = outcome.arguments.filter(|_| !outcome.decision.is_final()) {
            match arguments::check(tool.tolerate(rewritten), &tool.definition().parameters) {
                Ok(rewritten) => args = rewritten,
                Err(fault) => {
                    let text = format!("[error: a hook rewrote the arguments: {fault}]");
                    return Ok(self.refuse(call, &preview.summary, text, ui).await);
                }
            }
            preview = tool.preview(&args, &cx);
        }
        ui.show(Event::ToolStarted {
            id: call.id.clone(),
            name: call.name.clone(),
            kind: tool.kind(),
            summary: preview.summary.clone(),
            mended,
        })
        .await;
        let asked = Asking { tool: &*tool, preview: &preview, arguments: &args, cx: &cx };
        let permitted = self.permit(outcome.decision, asked, ui).await?;
        Ok(match permitted {
            Ok(()) => Admission::Run(Admitted { call, tool, args, preview, context: outcome.context }),
            Err(text) => Admission::Answered(call, text, outcome.context),
        })
    }

    /// Asks hook, gate and user; the inner error is the text for the model.
    async fn permit(
        &mut self,
        decision: Decision,
        Asking { tool, preview, arguments, cx }: Asking<'_>,
        ui: &dyn Frontend,
    ) -> Result<Result<(), String>, TurnError> {
        let name = tool.definition().name.as_str();
        let permit = match decision {
            Decision::Allow => self.gate.check(name, preview),
            Decision::Ask => match self.gate.check(name, preview) {
                Permit::Run | Permit::Ask => Permit::Ask,
                refusal @ Permit::Refuse(_) => refusal,
            },
            Decision::Deny { reason } => Permit::Refuse(format!("[refused by a hook: {reason}]")),
            Decision::Stop { reason } => return Err(TurnError::Hook { reason }),
        };
        Ok(match permit {
            Permit::Run => Ok(()),
            Permit::Refuse(text) => Err(text),
            Permit::Ask => {
                let diff = tool.diff(arguments, cx).await;
                let Preview { summary, risk, .. } = preview;
                let request = ConfirmRequest { tool: name, summary, risk, arguments, diff: diff.as_deref() };
                let answer = ui.confirm(request).await;
                self.gate.answer(name, answer)
            }
        })
    }

    /// Runs an admitted call and shows how it ended.
    async fn finish(&self, admission: Admission, ui: &dyn Frontend, cancel: &CancellationToken) -> Finished {
        let started = Instant::now();
        let (call, given) = match admission {
            Admission::Answered(call, text, context) => {
                let output = ToolOutput { text, ok: false };
                (call, Ok(Given { output, added: [context, None], stop: None }))
            }
            Admission::Run(admitted) => {
                let given = self.run(&admitted, started, ui, cancel).await;
                (admitted.call, given)
            }
        };
        let Given { output, added, stop } = match given {
            Ok(given) => given,
            Err(error) => {
                return Finished { call, result: None, stop: Some(error), elapsed: started.elapsed() };
            }
        };
        let elapsed = started.elapsed();
        ui.show(Event::ToolFinished {
            id: call.id.clone(),
            name: call.name.clone(),
            ok: output.ok,
            result: output.text.clone(),
            elapsed,
        })
        .await;
        let result = Some(added.into_iter().fold(output.text, with_context));
        Finished { call, result, stop, elapsed }
    }

    async fn run(
        &self,
        admitted: &Admitted,
        started: Instant,
        ui: &dyn Frontend,
        cancel: &CancellationToken,
    ) -> Result<Given, TurnError> {
        let Admitted { call, tool, args, preview, context } = admitted;
        let (sender, mut wishes) = mpsc::channel(1);
        let cx = ToolContext { host: Arc::new(Host { sender }), ..self.context(cancel) };
        let plan = self.parts.plan.changes();
        let grant = async |wish| match wish {
            Wish::Show(text) => ui.show(Event::ToolProgress { id: call.id.clone(), text }).await,
            Wish::Ask(questions, reply) => drop(reply.send(ui.ask(&questions).await)),
        };
        let begun = Instant::now();
        let mut output = {
            let mut running = std::pin::pin!(tool.run(args, &cx));
            let mut watchdog = std::pin::pin!(tokio::time::sleep(self.silence_left()));
            loop {
                tokio::select! {
                    biased;
                    Some(wish) = wishes.recv() => {
                        grant(wish).await;
                        // A flood always has more to show: the clock and the user's keys must be looked at all the same.
                        tokio::task::yield_now().await;
                    }
                    output = &mut running => break output,
                    () = &mut watchdog, if tool.is_watched() => {
                        return Err(TurnError::Watchdog { after: self.options.waits.between.text.clone() });
                    }
                }
            }
        };
        if tool.is_watched() {
            *self.silence.lock().unwrap_or_else(PoisonError::into_inner) += begun.elapsed();
        }
        while let Ok(wish) = wishes.try_recv() {
            grant(wish).await;
        }
        if self.parts.plan.changes() != plan {
            ui.show(Event::PlanChanged { plan: self.parts.plan.get() }).await;
        }
        output.text = self.bounded(output.text);
        let event = HookEvent::PostToolCall {
            tool: &call.name,
            arguments: args,
            summary: &preview.summary,
            result: &output.text,
            ok: output.ok,
            duration: started.elapsed(),
        };
        let outcome = self.hooks(event, ui, cancel).await;
        if let Decision::Stop { reason } = outcome.decision {
            let output = ToolOutput { text: KEPT_BACK.to_owned(), ok: false };
            return Ok(Given { output, added: [None, None], stop: Some(TurnError::Hook { reason }) });
        }
        output.text = outcome.result.unwrap_or(output.text);
        Ok(Given { output, added: [context.clone(), outcome.context], stop: None })
    }

    /// What the commands of this round may still take.
    fn silence_left(&self) -> Duration {
        let spent = *self.silence.lock().unwrap_or_else(PoisonError::into_inner);
        self.options.waits.between.duration.saturating_sub(spent).min(YEAR)
    }

    /// Cuts the result of a tool that did not do so itself; one that did may have added a few lines.
    fn bounded(&self, text: String) -> String {
        const ADDED: usize = 1_000;
        let max = self.options.max_output;
        if text.len() <= max + ADDED || text.chars().count() <= max + ADDED {
            return text;
        }
        output::cut(&text, max, "ask for less")
    }

    /// Answers a call that cannot even be shown as what it would do.
    async fn refuse(&self, call: ToolCall, summary: &str, text: String, ui: &dyn Frontend) -> Admission {
        let summary = if summary.is_empty() { short(&call.arguments) } else { summary.to_owned() };
        let (id, name) = (call.id.clone(), short(&call.name));
        let kind = self.parts.tools.get(&call.name).map(|tool| tool.kind()).unwrap_or_default();
        ui.show(Event::ToolStarted { id, name, kind, summary, mended: false }).await;
        Admission::Answered(call, text, None)
    }

    fn context(&self, cancel: &CancellationToken) -> ToolContext {
        ToolContext {
            home: self.options.home.clone(),
            cancel: cancel.clone(),
            max_output: self.options.max_output,
            ..ToolContext::new(self.options.cwd.clone())
        }
    }

    fn unknown(&self, name: &str) -> String {
        let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
        let name = name.as_str();
        if let Some((_, why)) = ABSENT.iter().find(|(absent, _)| *absent == name) {
            return format!("[error: {why}]");
        }
        let mut names: Vec<&str> = self.parts.tools.names().collect();
        if names.is_empty() {
            return format!("[error: there is no tool {name}: answer without tools]");
        }
        if let Some(near) = nearest(name, names.iter().copied()) {
            names.sort_by_key(|other| *other != near);
        }
        format!("[error: there is no tool {name}: the tools are {}]", names.join(", "))
    }

    fn only_reads(&self, call: &ToolCall) -> bool {
        let Some(tool) = self.parts.tools.get(&call.name) else { return false };
        decode(&**tool, &call.arguments)
            .is_ok_and(|args| tool.preview(&args.value, &self.context(&CancellationToken::new())).overlaps)
    }
}

/// Whether others may run beside a call.
fn overlaps(admission: &Admission) -> bool {
    match admission {
        Admission::Run(admitted) => admitted.preview.overlaps,
        Admission::Answered(..) => false,
    }
}

/// Reads the arguments of a call as its tool takes them.
fn decode(tool: &dyn Tool, text: &str) -> Result<Decoded, ArgumentError> {
    let Decoded { value, repaired } = arguments::read(text)?;
    let value = arguments::check(tool.tolerate(value), &tool.definition().parameters)?;
    Ok(Decoded { value, repaired })
}

/// Something that a running tool wants of the turn.
#[derive(Debug)]
enum Wish {
    /// Output is to be shown.
    Show(String),
    /// The user is to be asked.
    Ask(Vec<Question>, oneshot::Sender<Asked>),
}

/// Carries a tool's wishes to the turn: a place of one keeps the tool at the screen's pace.
#[derive(Debug)]
struct Host {
    sender: mpsc::Sender<Wish>,
}

#[async_trait]
impl ToolHost for Host {
    async fn progress(&self, text: &str) {
        let _ = self.sender.send(Wish::Show(text.to_owned())).await;
    }

    async fn ask(&self, questions: &[Question]) -> Asked {
        let (reply, asked) = oneshot::channel();
        let _ = self.sender.send(Wish::Ask(questions.to_vec(), reply)).await;
        asked.await.unwrap_or(Asked::Declined)
    }
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(100) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}
