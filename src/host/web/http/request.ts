export interface FetchRequest {
  url: string;
  /** The Accept header. */
  accept?: string;
  /** Byte cap, on the wire and after decompression. Default MAX_BODY_BYTES. */
  maxBytes?: number;
  /** A declared type whose body may be larger; one beyond this cap fails with `too-large`. */
  larger?: { isType: (contentType: string) => boolean; maxBytes: number };
  /** What to do at the cap: hand over what came (`cut: true`, the default) or fail with `too-large`. */
  onCap?: 'cut' | 'fail';
  /** Further headers, such as one with a key. A request that has them is not redirected to another origin. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent with POST; without a body it is GET. A request that has one is not redirected to another origin. */
  body?: { text: string; contentType: string } | undefined;
}

export type FetchFailure =
  | 'refused' // private or reserved address, local name, user info, other scheme
  | 'timed-out'
  | 'too-large'
  | 'bad-url'
  | 'no-site' // DNS knows no such name
  | 'network' // DNS, connection, broken HTTP or compression
  | 'tls'
  | 'too-many-redirects'
  | 'aborted';

export interface FetcherOptions {
  /** Sent with every request; see `userAgent`. */
  userAgent: string;
  /** Languages a reader prefers, as an Accept-Language value. */
  acceptLanguage?: string;
  /** Which addresses may be connected to. Default: only public ones. */
  allowAddress?: (ip: string) => boolean;
  /**
   * For tests: `host:port` pairs (`127.0.0.1:8080`) that may be read although they are loopback.
   * Exact, so a redirect from one of them to another port of this machine is still refused.
   */
  allowLoopback?: readonly string[];
  /** The `host:port` of a server the person typed into the preferences: read wherever it is. Exact as well. */
  trusted?: readonly string[];
  /** Name resolution; default `dns.lookup` with all answers. */
  resolve?: (hostname: string) => Promise<{ address: string; family: number }[]>;
  /** For tests: certificates in PEM that are trusted instead of the system's. */
  ca?: string;
  headerTimeoutMs?: number;
  totalTimeoutMs?: number;
}
