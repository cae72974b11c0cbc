import * as dns from 'node:dns';
import type { RequestOptions } from 'node:http';

import {
  isBadPort,
  isLocalName,
  isLoopbackAddress,
  isPublicAddress,
  literalAddress,
} from '../addresses';
import { privateAddress, RefusedAddressError } from '../connection-error';
import type { FetcherOptions } from './request';

/** The `lookup` hook of a connection: resolves, checks every answer, and hands on only what was checked. */
export function checkedLookup(
  url: URL,
  options: FetcherOptions,
): NonNullable<RequestOptions['lookup']> {
  return (hostname, lookupOptions, callback) => {
    const resolve = options.resolve ?? resolveAll;
    resolve(hostname).then(
      (answers) => {
        const [first] = answers;
        const bad = answers.find(({ address }) => !mayConnect(address, url, options));
        if (bad !== undefined)
          callback(new RefusedAddressError(`${hostname} is at ${bad.address}`), '', 0);
        else if (first === undefined)
          callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
        else if (lookupOptions.all === true) callback(null, answers);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), '', 0);
      },
    );
  };
}

function resolveAll(hostname: string): Promise<dns.LookupAddress[]> {
  return dns.promises.lookup(hostname, { all: true });
}

function mayConnect(address: string, url: URL, options: FetcherOptions): boolean {
  if ((options.allowAddress ?? isPublicAddress)(address)) return true;
  const place = hostAndPort(url);
  if (options.trusted?.includes(place) === true) return true;
  return options.allowLoopback?.includes(place) === true && isLoopbackAddress(address);
}

/** Why an address may not even be asked for; nothing when it may. */
export function refuse(url: URL, options: FetcherOptions): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `Only http and https addresses are read, not ${url.protocol} addresses.`;
  if (url.username !== '' || url.password !== '')
    return `The address of ${url.host} carries a user name or password; that is not sent.`;
  const place = hostAndPort(url);
  const trusted = options.trusted?.includes(place) === true;
  const literal = literalAddress(url.hostname);
  if (literal !== undefined && !mayConnect(literal, url, options)) return privateAddress(url.host);
  const exempt = trusted || options.allowLoopback?.includes(place) === true;
  if (isLocalName(url.hostname) && !exempt) return privateAddress(url.host);
  if (isBadPort(Number(url.port || '80')) && !trusted)
    return `Port ${url.port} of ${url.hostname} belongs to another service than the web and is not asked.`;
  return undefined;
}

/** `host:port` with the port always written, as `allowLoopback` and `trusted` want it. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port}`;
}
