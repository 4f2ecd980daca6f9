//! The HTTP clients: one that checks every address at the socket, and one that goes through the user's proxy.

use std::fmt::Debug;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder, Proxy, Url, redirect};
use tokio::sync::OnceCell;

use super::address::{is_localhost, is_own, public_only};
use super::error::{FetchError, why};

/// Proxies as the environment of a program names them.
///
/// Hosts of the user's own (loopback and private addresses, `localhost`) never go through one. Behind a proxy it is the
/// proxy that resolves names: what they lead to is then its business.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies {
    /// For `http` pages (`HTTP_PROXY`).
    pub http: Option<String>,
    /// For `https` pages (`HTTPS_PROXY`).
    pub https: Option<String>,
    /// Hosts that are reached directly (`NO_PROXY`), separated by commas.
    pub except: Option<String>,
}

/// Who says what a name leads to; tests bring their own.
#[async_trait]
pub(super) trait Names: Debug + Send + Sync {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
#[derive(Debug)]
pub(super) struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|found| found.ip()).collect())
    }
}

/// The clients of a tool, made when the first page is asked for: certificates are read from the disk.
#[derive(Debug)]
pub(super) struct Clients {
    proxies: Proxies,
    names: Arc<dyn Names>,
    made: OnceCell<Made>,
}

#[derive(Debug)]
struct Made {
    direct: Client,
    proxied: Client,
    /// What is wrong with the proxy of a scheme.
    wrong: [(&'static str, &'static str, Option<String>); 2],
}

impl Clients {
    pub(super) fn new(proxies: Proxies, names: Arc<dyn Names>) -> Self {
        Self { proxies, names, made: OnceCell::new() }
    }

    /// The client for a URL that has been checked.
    pub(super) async fn of(&self, url: &Url) -> Result<&Client, FetchError> {
        #[cfg(not(feature = "tls"))]
        if url.scheme() == "https" {
            return Err(FetchError::NoTls);
        }
        let made = self.made.get_or_try_init(|| self.make()).await?;
        if is_own(url) {
            return Ok(&made.direct);
        }
        if let Some((_, variable, Some(why))) = made.wrong.iter().find(|(scheme, ..)| *scheme == url.scheme())
        {
            return Err(FetchError::BadProxy { variable, why: why.clone() });
        }
        Ok(if self.is_proxied(url) { &made.proxied } else { &made.direct })
    }

    fn is_proxied(&self, url: &Url) -> bool {
        let Proxies { http, https, except } = &self.proxies;
        let mut matcher = Matcher::builder();
        if let Some(http) = http {
            matcher = matcher.http(http.clone());
        }
        if let Some(https) = https {
            matcher = matcher.https(https.clone());
        }
        let matcher = matcher.no(except.clone().unwrap_or_default()).build();
        url.as_str().parse().is_ok_and(|uri: http::Uri| matcher.intercept(&uri).is_some())
    }

    async fn make(&self) -> Result<Made, FetchError> {
        let (proxies, names) = (self.proxies.clone(), self.names.clone());
        let made = tokio::task::spawn_blocking(move || make(&proxies, names)).await;
        made.map_err(|fault| FetchError::Fault(fault.to_string()))?
    }
}

fn make(proxies: &Proxies, names: Arc<dyn Names>) -> Result<Made, FetchError> {
    let failed = |error: reqwest::Error| FetchError::Client(why(&error));
    let direct = builder().dns_resolver(Arc::new(Checked(names))).build().map_err(failed)?;
    let mut proxied = builder();
    let mut add = |proxy: Option<reqwest::Result<Proxy>>| match proxy? {
        Ok(proxy) => {
            proxied = std::mem::take(&mut proxied).proxy(proxy);
            None
        }
        // Without its URL, which may hold a password.
        Err(error) => Some(why(&error)),
    };
    let http = add(proxies.http.as_deref().map(Proxy::http));
    let https = add(proxies.https.as_deref().map(Proxy::https));
    let proxied = proxied.build().map_err(failed)?;
    Ok(Made { direct, proxied, wrong: [("http", "HTTP_PROXY", http), ("https", "HTTPS_PROXY", https)] })
}

fn builder() -> ClientBuilder {
    tls();
    Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .user_agent(concat!("mm/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(10))
        .pool_idle_timeout(Duration::from_secs(10))
}

#[cfg(feature = "tls")]
fn tls() {
    use std::sync::OnceLock;
    static INSTALLED: OnceLock<()> = OnceLock::new();
    // reqwest refuses to build without a provider. A second install, by an embedder, is no fault.
    INSTALLED.get_or_init(|| drop(rustls::crypto::ring::default_provider().install_default()));
}

#[cfg(not(feature = "tls"))]
fn tls() {}

/// The check at the socket: whatever a name resolves to at the moment of the connection.
#[derive(Debug)]
struct Checked(Arc<dyn Names>);

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let names = self.0.clone();
        Box::pin(async move {
            let found = resolve(&*names, name.as_str()).await?;
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

async fn resolve(
    names: &dyn Names,
    name: &str,
) -> Result<Vec<IpAddr>, Box<dyn std::error::Error + Send + Sync>> {
    // Only a URL that names it comes here with it; nobody is asked what it leads to.
    if is_localhost(name) {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    let found = names.addresses(name).await?;
    Ok(public_only(name, found)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Script(&'static str);

    #[async_trait]
    impl Names for Script {
        async fn addresses(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
            Ok(self.0.split(' ').map(|address| address.parse().unwrap()).collect())
        }
    }

    #[tokio::test]
    async fn a_name_is_connected_to_public_addresses_alone() {
        let rows = [
            ("site.example", "127.0.0.1 93.184.216.34", Ok("93.184.216.34")),
            ("localhost", "93.184.216.34", Ok("127.0.0.1 ::1")),
            ("LOCALHOST.", "93.184.216.34", Ok("127.0.0.1 ::1")),
            ("app.localhost", "127.0.0.1", Err("app.localhost leads to 127.0.0.1")),
            ("evil.example", "169.254.169.254 10.0.0.1", Err("evil.example leads to 169.254.169.254")),
        ];
        for (name, addresses, expected) in rows {
            let found = resolve(&Script(addresses), name).await;
            match (found, expected) {
                (Ok(found), Ok(expected)) => {
                    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
                    assert_eq!(found.join(" "), expected, "{name}");
                }
                (Err(error), Err(expected)) => assert!(error.to_string().starts_with(expected), "{error}"),
                (found, _) => panic!("{name}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_proxy_is_for_public_hosts_that_are_not_excepted() {
        let proxies = Proxies {
            http: Some("http://127.0.0.1:3128".into()),
            https: None,
            except: Some("intern.example,10.0.0.0/8".into()),
        };
        let clients = Clients::new(proxies, Arc::new(SystemNames));
        let rows = [
            ("http://example.org/", true),
            ("http://a.intern.example/", false),
            ("http://10.1.1.1/", false),
            ("https://example.org/", false),
        ];
        for (url, expected) in rows {
            assert_eq!(clients.is_proxied(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
