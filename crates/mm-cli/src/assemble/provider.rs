//! The server.

use std::path::PathBuf;
use std::sync::Arc;

use mm_config::Config;
use mm_config::path::{PathKey, resolve};
use mm_llm::{ApiKey, Observer, OpenAi, OpenAiOptions, PRESETS, Preset, ProxySettings, Trace};

use super::Surroundings;
use crate::error::CliError;

/// Finds the configured provider's row.
pub(crate) fn preset(config: &Config) -> Result<&'static Preset, CliError> {
    mm_llm::preset(&config.provider).ok_or_else(|| {
        let known: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        CliError::Engine(format!("unknown provider \"{}\" (known: {})", config.provider, known.join(", ")))
    })
}

/// Checks what of the provider needs neither a server nor a client: everything that is wrong, with the key
/// concerned.
pub(crate) fn check(config: &Config) -> Vec<(&'static str, CliError)> {
    let unknown = preset(config).err().map(|error| ("provider", error));
    let url = |(key, url): (&'static str, Option<&str>)| {
        let error = mm_llm::check_endpoint(url?).err()?;
        Some((key, CliError::from(error)))
    };
    let urls = [("baseUrl", given(&config.base_url)), ("fallback", config.fallback.as_deref())];
    unknown.into_iter().chain(urls.into_iter().filter_map(url)).collect()
}

pub(super) fn provider(
    config: &Config,
    preset: &'static Preset,
    around: &Surroundings,
    trace: Option<&Trace>,
) -> Result<OpenAi, CliError> {
    let observer = trace.map(|trace| Arc::new(trace.clone()) as Arc<dyn Observer>);
    Ok(OpenAi::new(OpenAiOptions { observer, ..options(config, preset, around) })?)
}

/// Requests and answers in files, where that is on.
pub(super) fn trace(config: &Config, around: &Surroundings) -> Result<Option<(Trace, PathBuf)>, CliError> {
    if !config.trace.enabled {
        return Ok(None);
    }
    let dir = resolve(PathKey::TraceDir, &config.trace.dir, around.bases());
    let stamp = || jiff::Zoned::now().strftime("%Y%m%d-%H%M%S%.3f").to_string();
    let trace = Trace::new(dir.clone(), &config.acp.name, stamp);
    trace.map(|trace| Some((trace, dir))).map_err(|error| CliError::Engine(format!("cannot trace: {error}")))
}

fn options(config: &Config, preset: &'static Preset, around: &Surroundings) -> OpenAiOptions {
    let variable = given(&config.api_key_env).or(preset.key_variable);
    OpenAiOptions {
        preset,
        base_url: given(&config.base_url).map(str::to_owned),
        // Absent is the provider's own, empty is none.
        fallback: config.fallback.clone().or_else(|| preset.fallback.map(str::to_owned)),
        api_key: variable.and_then(|name| around.env.get(name)).map(ApiKey::new),
        proxies: proxies(around),
        observer: None,
    }
}

/// Empty is the provider's own.
fn given(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// The proxies that the environment names.
pub(super) fn proxies(around: &Surroundings) -> ProxySettings {
    let find = |names: &[&str]| names.iter().find_map(|name| around.env.get(name));
    ProxySettings {
        // The upper-case HTTP_PROXY can be set by a request header in CGI; here there is none.
        http: find(&["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]),
        https: find(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
        except: find(&["no_proxy", "NO_PROXY"]),
    }
}
