import ipaddr from 'ipaddr.js';

/** 2000::/3, the only IPv6 block that IANA has handed out for public hosts (RFC 4291 section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
/** 64:ff9b::/96: the last 32 bits are the IPv4 address that is really reached (RFC 6052 section 2.1). */
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (address.match(NAT64, 96)) return new ipaddr.IPv4(address.toByteArray().slice(12));
  return undefined;
}

/**
 * Whether an IP address belongs to a host on the public internet.
 *
 * In: an address as DNS or `URL.hostname` gives it (IPv6 with or without brackets). IPv4-mapped IPv6
 * and NAT64 count as the IPv4 address inside. Everything that is not plain unicast is refused: private,
 * loopback, link-local, carrier NAT, multicast, documentation, 6to4, Teredo, IPv4-compatible (`::7f00:1`,
 * which ipaddr.js calls unicast), and what is no address at all.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  const inside = embeddedIPv4(address);
  if (inside !== undefined) return inside.range() === 'unicast';
  return address.range() === 'unicast' && address.match(GLOBAL_UNICAST, 3);
}

/** Whether an IP address is this machine itself (127.0.0.0/8, ::1, or the first mapped into IPv6). */
export function isLoopbackAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (address instanceof ipaddr.IPv4) return address.range() === 'loopback';
  const inside = embeddedIPv4(address);
  return (inside ?? address).range() === 'loopback';
}

/**
 * The IP address a host name of a parsed URL spells out, without brackets; nothing for a real name.
 * Node calls no `lookup` hook for these, so they are checked before connecting. `URL` has already
 * turned the decimal, octal, hexadecimal, short and full-width notations into the usual one.
 */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return parseAddress(bare) === undefined ? undefined : bare;
}

const LOCAL_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa'];

/** Whether a host name is one that names a machine or network nearby, whatever DNS says (RFC 6761, 6762, 8375; `.internal` is reserved by ICANN). */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.+$/, '');
  return LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = text.replace(/^\[|\]$/g, '');
  // ipaddr.js also takes the octal, hexadecimal and short IPv4 notations; here they would be names that only look like addresses.
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  return ipaddr.IPv6.isValid(bare) ? ipaddr.IPv6.parse(bare) : undefined;
}
