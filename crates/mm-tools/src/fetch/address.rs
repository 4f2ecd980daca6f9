//! Which hosts a page may come from: the rule for literal addresses and names, and for what a name resolves to.
//!
//! A developer's own server is a real use, so loopback and private addresses are reached when the URL of the call names
//! them. Whoever else leads there, a name or a redirect, is a stranger who points at the user's own network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// How far an address is from the public network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Public,
    /// Loopback, private and shared networks: only for a URL that names the address.
    Private,
    /// Link-local, cloud metadata, multicast, broadcast: never.
    Never,
}

/// Why an address or a name is not asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("{0} is a link-local, metadata or multicast address, which is never fetched")]
    Never(String),
    #[error(
        "{0} is a loopback or private address: it is fetched only when the url of the call names it, not by redirect"
    )]
    Redirected(String),
    #[error(
        "{name} leads to {address}, a loopback, private or link-local address: such are fetched only when the url \
         names the address or localhost itself"
    )]
    Resolved { name: String, address: IpAddr },
    #[error("{0} is no http or https URL: only those are fetched")]
    Scheme(String),
}

/// Names that cloud machines know their metadata servers by.
const METADATA_NAMES: [&str; 3] = ["metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"];

/// Metadata servers outside of the link-local networks: Alibaba, Azure, Oracle.
const METADATA_V4: [Ipv4Addr; 3] =
    [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16), Ipv4Addr::new(192, 0, 0, 192)];
/// Of Amazon and of Google.
const METADATA_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)];

/// Says how far an address is; one that stands for an IPv4 address is as far as that.
pub(super) fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => embedded(address).map_or_else(|| reach_v6(address), reach_v4),
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    let [a, b, ..] = address.octets();
    if METADATA_V4.contains(&address) || address.is_link_local() || a >= 224 {
        return Reach::Never;
    }
    let is_private = address.is_private()
        || matches!((a, b), (0 | 127, _) | (100, 64..=127) | (198, 18 | 19))
        || address.octets().starts_with(&[192, 0, 0]);
    if is_private { Reach::Private } else { Reach::Public }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    let first = address.segments().first().copied().unwrap_or_default();
    if METADATA_V6.contains(&address) || address.is_multicast() || first & 0xffc0 == 0xfe80 {
        return Reach::Never;
    }
    let is_private = address.is_loopback()
        || address.is_unspecified()
        || first & 0xfe00 == 0xfc00 // unique local
        || first & 0xffc0 == 0xfec0; // site local, of old
    if is_private { Reach::Private } else { Reach::Public }
}

/// The IPv4 address within one that is mapped, compatible, translated (NAT64) or tunnelled (6to4).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let from = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(from(high, low)),
        [0x2002, high, low, ..] => Some(from(high, low)),
        // `::` and `::1` are what they are.
        [0, 0, 0, 0, 0, 0, high, low] if high > 0 => Some(from(high, low)),
        _ => None,
    }
}

/// Where the host of a URL is, as far as its text tells.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Address(IpAddr),
    Localhost,
    Name(String),
}

fn host(url: &Url) -> Option<Host> {
    let text = url.host_str()?;
    // The parser has turned decimal, octal and hexadecimal forms into dotted ones.
    if let Ok(address) = text.trim_matches(['[', ']']).parse() {
        return Some(Host::Address(address));
    }
    let name = text.trim_end_matches('.').to_ascii_lowercase();
    Some(if name == "localhost" { Host::Localhost } else { Host::Name(name) })
}

/// Whether a URL names a host of the user's own: loopback, a private address, `localhost`.
pub(super) fn is_own(url: &Url) -> bool {
    match host(url) {
        Some(Host::Address(address)) => reach(address) != Reach::Public,
        Some(Host::Localhost) => true,
        Some(Host::Name(_)) | None => false,
    }
}

/// Whether a name is `localhost`, with a final dot or without.
pub(super) fn is_localhost(name: &str) -> bool {
    name.trim_end_matches('.').eq_ignore_ascii_case("localhost")
}

/// Checks one hop of the way to a page; `given` is the URL of the call.
pub(super) fn check(hop: &Url, given: &Url) -> Result<(), Refusal> {
    if !matches!(hop.scheme(), "http" | "https") {
        return Err(Refusal::Scheme(short(hop.as_str())));
    }
    let Some(at) = host(hop) else { return Err(Refusal::Scheme(short(hop.as_str()))) };
    let named = hop.host_str().unwrap_or_default().to_owned();
    let reach = match &at {
        Host::Address(address) => reach(*address),
        Host::Localhost => Reach::Private,
        Host::Name(name) if METADATA_NAMES.contains(&name.as_str()) => Reach::Never,
        Host::Name(_) => Reach::Public,
    };
    match reach {
        Reach::Public => Ok(()),
        Reach::Private if host(given) == Some(at) => Ok(()),
        Reach::Private => Err(Refusal::Redirected(named)),
        Reach::Never => Err(Refusal::Never(named)),
    }
}

/// Keeps what a name may resolve to: public addresses.
pub(super) fn public_only(name: &str, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, Refusal> {
    let refused = found.iter().copied().find(|address| reach(*address) != Reach::Public);
    let public: Vec<IpAddr> = found.into_iter().filter(|address| reach(*address) == Reach::Public).collect();
    match refused {
        Some(address) if public.is_empty() => Err(Refusal::Resolved { name: name.to_owned(), address }),
        Some(_) | None => Ok(public),
    }
}

/// A URL on one line of at most 200 characters.
pub(super) fn short(url: &str) -> String {
    let line = crate::files::path::one_line(url);
    match line.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_its_reach() {
        let rows = [
            (
                Reach::Public,
                "93.184.216.34 8.8.8.8 100.63.0.1 100.128.0.1 172.32.0.1 2606:4700::1111 ::ffff:8.8.8.8",
            ),
            (
                Reach::Private,
                "127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 0.0.0.0",
            ),
            (Reach::Private, "0.1.2.3 198.18.0.1 192.0.0.8 :: ::1 fc00::1 fdff::1 fec0::1 ::ffff:127.0.0.1"),
            (Reach::Private, "::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: ::192.168.0.1"),
            (Reach::Never, "169.254.169.254 169.254.0.1 100.100.100.200 168.63.129.16 192.0.0.192 224.0.0.1"),
            (Reach::Never, "255.255.255.255 fe80::1 febf::1 fd00:ec2::254 fd20:ce::254 ff02::1"),
            (Reach::Never, "::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe:: ::169.254.169.254"),
        ];
        for (expected, addresses) in rows {
            for address in addresses.split(' ') {
                assert_eq!(reach(address.parse().unwrap()), expected, "{address}");
            }
        }
    }

    #[test]
    fn own_hosts_are_for_the_url_that_names_them() {
        let (never, own) = (Some("never fetched"), Some("not by redirect"));
        let rows = [
            ("http://127.0.0.1:8000/", "http://127.0.0.1/x", None),
            ("http://127.0.0.1/", "http://localhost/", own),
            ("http://localhost/", "http://LOCALHOST.:1/", None),
            ("http://localhost./", "http://localhost./", None),
            ("http://localhost/", "http://127.0.0.1/", own),
            ("http://example.org/", "http://127.0.0.1/", own),
            ("http://example.org/", "http://10.0.0.1/", own),
            ("http://example.org/", "http://[::1]/", own),
            ("http://example.org/", "http://2130706433/", own),
            ("http://example.org/", "http://0x7f.1/", own),
            ("http://example.org/", "http://0177.0.0.1/", own),
            ("http://example.org/", "http://[::ffff:127.0.0.1]/", own),
            ("http://2130706433/", "http://127.0.0.1/", None),
            ("http://[::1]:3000/", "http://[0:0:0:0:0:0:0:1]/", None),
            ("http://192.168.1.5/", "http://192.168.1.5:81/", None),
            ("http://192.168.1.5/", "http://192.168.1.6/", own),
            ("http://169.254.169.254/", "http://169.254.169.254/", never),
            ("http://2852039166/", "http://2852039166/", never),
            ("http://[fe80::1]/", "http://[fe80::1]/", never),
            ("http://[fd00:ec2::254]/", "http://[fd00:ec2::254]/", never),
            ("http://x.org/", "http://Metadata.Google.Internal./", never),
            ("http://x.org/", "file:///etc/hostname", Some("only those are fetched")),
            ("http://x.org/", "https://other.org/", None),
        ];
        for (given, hop, refused) in rows {
            let (given, hop) = (Url::parse(given).unwrap(), Url::parse(hop).unwrap());
            let checked = check(&hop, &given).map_err(|refusal| refusal.to_string());
            match refused {
                None => assert_eq!(checked, Ok(()), "{given} {hop}"),
                Some(words) => {
                    assert!(checked.as_ref().is_err_and(|told| told.contains(words)), "{hop}: {checked:?}")
                }
            }
        }
    }

    #[test]
    fn a_name_keeps_its_public_addresses_alone() {
        let parse =
            |list: &str| list.split(' ').map(|address| address.parse().unwrap()).collect::<Vec<IpAddr>>();
        assert_eq!(public_only("x", parse("10.0.0.1 8.8.8.8 fe80::1 ::1")), Ok(parse("8.8.8.8")));
        assert_eq!(public_only("x", vec![]), Ok(vec![]));
        for private in ["127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1"] {
            let told = public_only("evil.example", parse(private)).unwrap_err().to_string();
            assert!(told.starts_with(&format!("evil.example leads to {private}, a loopback")), "{told}");
        }
    }
}
