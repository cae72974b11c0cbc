/** What became of a connection that gave no response. */
export interface ConnectionFailure {
  reason: 'refused' | 'tls' | 'network' | 'no-site' | 'timed-out';
  /** One sentence. */
  message: string;
}

/** Thrown while a name is looked up: one of its addresses may not be connected to. Told apart from DNS failures by its class. */
export class RefusedAddressError extends Error {}

/** OpenSSL's verification codes as Node names them, and the codes of Node's own TLS layer. */
const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$)/;

/** What is wrong with a certificate or the other side, by the beginning of the code. */
const TLS_FAULTS: readonly [code: string, fault: string][] = [
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet'],
  ['CERT_REVOKED', 'its certificate was withdrawn'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is made out for another name'],
  ['HOSTNAME_MISMATCH', 'its certificate is made out for another name'],
  ['DEPTH_ZERO_SELF_SIGNED', 'its certificate is signed by nobody this machine trusts'],
  ['SELF_SIGNED', 'its certificate is signed by nobody this machine trusts'],
  ['UNABLE_TO_', 'its certificate is signed by nobody this machine trusts'],
  ['EPROTO', 'it speaks no TLS that this machine understands'],
];

/** A connection error of Node in one sentence, without anything the server said. */
export function explainConnection(error: Error, url: URL): ConnectionFailure {
  const { host, hostname } = url;
  if (error instanceof RefusedAddressError)
    return { reason: 'refused', message: privateAddress(host) };
  // With several addresses Node reports one AggregateError; its parts carry the codes.
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [];
  const code = codeOf(error) || parts.map(codeOf).find((part) => part !== '') || '';
  if (TLS_CODE.test(code)) {
    const fault = TLS_FAULTS.find(([start]) => code.startsWith(start))?.[1];
    return {
      reason: 'tls',
      message: `No secure connection to ${host} could be made${fault === undefined ? '' : `: ${fault}`} (${code}).`,
    };
  }
  const network = (message: string): ConnectionFailure => ({ reason: 'network', message });
  if (code === 'ENOTFOUND')
    return { reason: 'no-site', message: `There is no site at ${hostname}.` };
  if (code === 'EAI_AGAIN')
    return network(`The name ${hostname} could not be looked up; is there a connection?`);
  if (code === 'ECONNREFUSED') return network(`${host} refused the connection.`);
  if (code === 'ECONNRESET') return network(`${host} closed the connection without an answer.`);
  if (code === 'ETIMEDOUT')
    return { reason: 'timed-out', message: `${host} did not answer in time.` };
  if (code === 'HPE_HEADER_OVERFLOW') return network(`${host} sent too many headers.`);
  if (code.startsWith('HPE_')) return network(`${host} did not answer in proper HTTP.`);
  return network(`${host} could not be reached (${code || describeError(error)}).`);
}

/** Why an address that is not public was not asked. */
export function privateAddress(host: string): string {
  return `${host} is on this machine or a private network, which is not read.`;
}

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}
