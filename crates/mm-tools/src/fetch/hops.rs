//! The way to a page: redirects by hand, each hop checked before it is asked.

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, LOCATION};
use reqwest::{Response, Url};

use super::address::{check, short};
use super::client::Clients;
use super::error::{FetchError, of_request};

/// The most redirects that are followed.
const MOST_HOPS: usize = 10;

/// What is asked for. Some servers have pages as Markdown.
const PAGES: &str = "text/markdown, text/html;q=0.9, application/json;q=0.9, text/*;q=0.8, */*;q=0.5";

/// Follows the redirects of a URL to an answer that is none.
pub(super) async fn follow(clients: &Clients, given: &Url) -> Result<Response, FetchError> {
    let mut seen = vec![given.clone()];
    let mut url = given.clone();
    loop {
        check(&url, given)?;
        let client = clients.of(&url).await?;
        let request = client.get(url.clone()).header(ACCEPT, PAGES).header(ACCEPT_ENCODING, "gzip, br, zstd");
        let response =
            request.send().await.map_err(|error| of_request(url.host_str().unwrap_or_default(), &error))?;
        let Some(next) = next(&response, &url)? else { return Ok(response) };
        if seen.contains(&next) {
            return Err(FetchError::Circle(short(next.as_str())));
        }
        if seen.len() > MOST_HOPS {
            return Err(FetchError::Redirects { most: MOST_HOPS, to: short(next.as_str()) });
        }
        seen.push(next.clone());
        url = next;
    }
}

/// Where an answer redirects to. One that names no place is the page.
fn next(response: &Response, from: &Url) -> Result<Option<Url>, FetchError> {
    let Some(location) = response.headers().get(LOCATION) else { return Ok(None) };
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = String::from_utf8_lossy(location.as_bytes());
    let mut next = from.join(&location).map_err(|_| FetchError::BadRedirect(short(&location)))?;
    // No server brings us to send a password; `mailto:` has no place for one.
    let _ = next.set_username("").and_then(|()| next.set_password(None));
    Ok(Some(next))
}
