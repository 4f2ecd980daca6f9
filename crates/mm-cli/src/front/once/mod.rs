//! `-p`: one question, its answer on stdout, everything else on stderr.

mod json;
mod question;

use std::process::ExitCode;
use std::time::Duration;

use async_trait::async_trait;
use mm_config::Config;
use mm_session::{ConfirmRequest, Confirmation, Event, Frontend, TurnError};
use mm_tools::output::visible;
use tokio_util::sync::CancellationToken;

use super::Presenter;
use crate::assemble::{Engine, trace_failure};
use crate::error::CliError;
use crate::output::{Output, Streams, Writing};
use crate::render::Look;
use crate::signals::Signals;
pub(crate) use json::Carries;
use json::Json;

/// How long an end may take when a stream is blocked.
const PATIENCE: Duration = Duration::from_secs(1);

/// Asks and answers.
pub(crate) async fn run(
    mut engine: Engine,
    config: &Config,
    prompt: String,
    wait_for_stdin: bool,
    carries: Option<Carries>,
) -> Result<ExitCode, CliError> {
    let mut signals = Signals::new().map_err(|error| CliError::Engine(error.to_string()))?;
    let (output, writing) = Output::start(engine.streams);
    let cancel = CancellationToken::new();
    let result = {
        let work = ask(&mut engine, config, &output, (prompt, wait_for_stdin, carries), &cancel);
        let mut work = std::pin::pin!(work);
        tokio::select! {
            result = &mut work => result,
            _ = signals.next() => {
                cancel.cancel();
                interrupted(work, &mut signals).await
            }
            () = output.gone().cancelled() => {
                // Nobody reads the answer any more: no error, and no reason to go on.
                cancel.cancel();
                let _ = work.await;
                Ok(())
            }
        }
    };
    engine.processes.shutdown().await;
    if let Some(failure) = trace_failure(&engine).await {
        output.other(format!("{}\n", visible(&failure))).await;
    }
    end(result, writing, output, &mut signals).await
}

/// Lets a cancelled turn close; a second signal does not wait for that, and neither does anything once the
/// streams are blocked.
async fn interrupted(
    work: impl Future<Output = Result<(), CliError>>,
    signals: &mut Signals,
) -> Result<(), CliError> {
    tokio::select! {
        _ = work => {}
        _ = signals.next() => {}
        () = tokio::time::sleep(PATIENCE) => {}
    }
    Err(CliError::Interrupted)
}

async fn end(
    result: Result<(), CliError>,
    writing: Writing,
    output: Output,
    signals: &mut Signals,
) -> Result<ExitCode, CliError> {
    if matches!(result, Err(CliError::Interrupted)) {
        let _ = tokio::time::timeout(PATIENCE, writing.end(output)).await;
        return result.map(|()| ExitCode::SUCCESS);
    }
    // A reader may take its time, after a failure too.
    let written = tokio::select! {
        written = writing.end(output) => written,
        _ = signals.next() => return Err(CliError::Interrupted),
    };
    result?;
    written.map_err(|error| CliError::Engine(format!("cannot write the answer to stdout: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

async fn ask(
    engine: &mut Engine,
    config: &Config,
    output: &Output,
    (prompt, wait_for_stdin, carries): (String, bool, Option<Carries>),
    cancel: &CancellationToken,
) -> Result<(), CliError> {
    warn(engine, output).await;
    let streams = engine.streams;
    let question = tokio::select! {
        question = question::read(prompt, streams, wait_for_stdin, output) => question?,
        () = cancel.cancelled() => return Err(CliError::Interrupted),
    };
    // No server at the start is another failure than one that fails later.
    tokio::select! {
        found = engine.provider.endpoint() => drop(found?),
        () = cancel.cancelled() => return Err(CliError::Interrupted),
    }
    if config.context.enabled {
        // Only compression needs the window here.
        crate::assemble::learn_window(engine).await;
        warn(engine, output).await;
    }
    let presenter = Presenter::new(output.clone(), look(config, streams));
    let failed = |error: &TurnError| CliError::of_turn(error, "ask for less");
    let Some(carries) = carries else {
        let result = engine.session.turn(&question, &Once { presenter }, cancel).await;
        return result.map(drop).map_err(|error| failed(&error));
    };
    let ui = Json::new(carries, config.display_hooks, presenter, output.clone());
    let result = engine.session.turn(&question, &ui, cancel).await.map_err(|error| failed(&error));
    let told = result.as_ref().map(|answer| answer.text.as_str()).map_err(CliError::told);
    ui.end(told).await;
    result.map(drop)
}

/// Tells what was not told yet.
async fn warn(engine: &mut Engine, output: &Output) {
    for warning in engine.warnings.drain(..) {
        output.other(format!("[warning: {}]\n", visible(&warning.replace('\n', " ")))).await;
    }
}

fn look(config: &Config, streams: Streams) -> Look {
    Look {
        preview_lines: config.preview_lines,
        show_thinking: config.show_thinking,
        show_hooks: config.display_hooks,
        show_compressions: config.context.show_stats,
        whole_lines: !streams.stdout_is_terminal,
        dim: streams.dim,
    }
}

struct Once {
    presenter: Presenter,
}

#[async_trait]
impl Frontend for Once {
    async fn show(&self, event: Event) {
        self.presenter.show(event).await;
    }

    async fn confirm(&self, _request: ConfirmRequest<'_>) -> Confirmation {
        nobody()
    }
}

/// Nobody can answer here.
fn nobody() -> Confirmation {
    Confirmation::Nobody("nobody can confirm this call in -p mode".into())
}
