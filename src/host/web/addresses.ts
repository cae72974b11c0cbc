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
 * The end of a tunnel, `prefix:0:5efe:a.b.c.d` or `prefix:200:5efe:a.b.c.d` (RFC 5214 section 6.1); nothing for another
 * address. The prefix counts as well.
 */
function tunnelEnd(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const [first = -1, ...rest] = address.toByteArray().slice(8);
  const isIsatap = (first | 2) === 2 && rest.slice(0, 3).join() === '0,94,254';
  return isIsatap ? new ipaddr.IPv4(rest.slice(3)) : undefined;
}

/**
 * Whether an IP address belongs to a host on the public internet.
 *
 * In: an address as DNS or `URL.hostname` gives it (IPv6 with or without brackets). IPv4-mapped IPv6
 * and NAT64 count as the IPv4 address inside, ISATAP as both. Everything that is not plain unicast is refused: private,
 * loopback, link-local, carrier NAT, multicast, documentation, 6to4, Teredo, IPv4-compatible (`::7f00:1`,
 * which ipaddr.js calls unicast), and what is no address at all.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  const inside = embeddedIPv4(address);
  if (inside !== undefined) return inside.range() === 'unicast';
  const end = tunnelEnd(address);
  if (end !== undefined && end.range() !== 'unicast') return false;
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

/** The ports of https://fetch.spec.whatwg.org/#port-blocking. */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);

/**
 * Whether a port is known for another protocol than HTTP. A request there is no reading: a mail or chat server takes its
 * lines for commands. All other ports are read, because small sites and mirrors use any.
 */
export function isBadPort(port: number): boolean {
  return BAD_PORTS.has(port);
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
