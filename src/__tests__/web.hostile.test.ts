import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

import { sniffHtmlCharset } from '../host/web/html-charset';
import { createFetcher } from '../host/web/http';
import { createPagePort } from '../host/web/page';
import { loadPageReader } from '../host/web/page-reader';
import { loadPdfReader } from '../host/web/pdf-reader';
import { createSourceList, numberedSources } from '../lib/citations';
import { prepareCall } from '../lib/tools';
import { sourceStatus } from '../views/source-label';
import { makeToolCall, makeTurn } from './support/builders';
import { makeCertificate, makeIssuer, type Certificate } from './support/certificates';
import { HOSTILE_ANSWERS, type HostileAnswer } from './support/hostile-answers';
import { startHostileServer, type HostileServer } from './support/hostile-server';

/**
 * What becomes of each answer of `hostile-answers.ts`: what the model is told (of a page that was read, the line about the
 * part), and what the action panel says of the page, if a search had found it. URL and SITE stand for the server's address.
 */
const SENTENCES: Record<string, Record<string, [model: string, reader: string]>> = {
  connections: {
    'nobody listens': ['(unreadable): SITE refused the connection.', 'could not be read'],
    'closes at once': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'resets at once': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'closes after the request': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'resets after the request': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'closes in the status line': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'resets in the status line': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'closes in the headers': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'resets in the headers': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'never answers': ['(timed-out): SITE did not answer in time.', 'did not answer in time'],
    'says one letter': ['(timed-out): SITE did not answer in time.', 'did not answer in time'],
    'drips the status line': [
      '(timed-out): SITE did not answer in time.',
      'did not answer in time',
    ],
    'drips one header': ['(timed-out): SITE did not answer in time.', 'did not answer in time'],
    'drips headers': ['(timed-out): SITE did not answer in time.', 'did not answer in time'],
    'stops in the headers': ['(timed-out): SITE did not answer in time.', 'did not answer in time'],
  },
  protocols: {
    'HTTP/0.9': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    SSH: ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    SMTP: ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    Redis: ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    IRC: ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    RTSP: ['(unreadable): The page at SITE is empty.', 'could not be read'],
    Shoutcast: ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'HTTP/2': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'a TLS alert': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'NUL bytes': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'NUL bytes without an end': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'the request back': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'a version from the future': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'a status of letters': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'a status of five digits': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'a status of one digit': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'an endless status line': ['(unreadable): SITE sent too many headers.', 'could not be read'],
    'no reason': ['Shown: characters 0–15 of 15; the whole page', 'read'],
    'bare line feeds': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'blank lines first': ['Shown: characters 0–15 of 15; the whole page', 'read'],
  },
  headers: {
    'a header of 60 KB': ['(unreadable): SITE sent too many headers.', 'could not be read'],
    'a cookie of 40 KB': ['(unreadable): SITE sent too many headers.', 'could not be read'],
    'headers without an end': ['(unreadable): SITE sent too many headers.', 'could not be read'],
    'one header without an end': ['(unreadable): SITE sent too many headers.', 'could not be read'],
    'three thousand headers': ['Shown: characters 0–15 of 15; the whole page', 'read'],
    'NUL in a header': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'NUL in a header’s name': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'a header without a colon': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'a blank before the colon': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'a folded header': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'a lone carriage return in a header': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'two lengths': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'a negative length': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'a length in letters': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'a length of thirty digits': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'a length and chunks': [
      '(unreadable): SITE did not answer in proper HTTP.',
      'could not be read',
    ],
    'an unknown transfer coding': ['Shown: characters 0–15 of 15; the whole page', 'read'],
    'another protocol': ['(unreadable): SITE answered with another protocol.', 'could not be read'],
    'another protocol without a name': [
      '(unreadable): SITE answered with HTTP 101 and no page.',
      'could not be read',
    ],
    'interim answers without an end': [
      '(unreadable): SITE sent interim answers without an end.',
      'could not be read',
    ],
    'continue without an end': [
      '(unreadable): SITE sent interim answers without an end.',
      'could not be read',
    ],
    'nothing but interim answers': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'two interim answers first': ['Shown: characters 0–15 of 15; the whole page', 'read'],
  },
  statuses: {
    '204 for a page': ['(unreadable): The page at SITE is empty.', 'could not be read'],
    '205 for a page': ['(unreadable): The page at SITE is empty.', 'could not be read'],
    '206 for a page': [
      'Shown: characters 0–15 of 15; the page goes on, but the rest was not read',
      'read in part',
    ],
    '300 for a page': [
      '(unreadable): SITE answered with HTTP 300 and no page.',
      'could not be read',
    ],
    '302 for a page': [
      '(unreadable): SITE answered with HTTP 302 and no page.',
      'could not be read',
    ],
    '304 for a page': [
      '(unreadable): SITE answered with HTTP 304 and no page.',
      'could not be read',
    ],
    'HTTP 000': ['(unreadable): SITE answered with HTTP 0 and no page.', 'could not be read'],
    'HTTP 199': ['(unreadable): SITE did not answer in proper HTTP.', 'could not be read'],
    'HTTP 299': ['Shown: characters 0–15 of 15; the whole page', 'read'],
    'HTTP 400': ['(unreadable): SITE refused the request (HTTP 400).', 'could not be read'],
    'HTTP 401': [
      '(blocked): SITE asks to sign in before it shows this page (HTTP 401).',
      'page was blocked',
    ],
    'HTTP 402': ['(blocked): SITE does not let Lam read this page (HTTP 402).', 'page was blocked'],
    'HTTP 403': ['(blocked): SITE does not let Lam read this page (HTTP 403).', 'page was blocked'],
    'HTTP 404': ['(not-found): There is no such page at SITE (HTTP 404).', 'page not found'],
    'HTTP 405': ['(unreadable): SITE refused the request (HTTP 405).', 'could not be read'],
    'HTTP 406': ['(unreadable): SITE refused the request (HTTP 406).', 'could not be read'],
    'HTTP 407': ['(blocked): SITE does not let Lam read this page (HTTP 407).', 'page was blocked'],
    'HTTP 408': ['(unreadable): SITE refused the request (HTTP 408).', 'could not be read'],
    'HTTP 409': ['(unreadable): SITE refused the request (HTTP 409).', 'could not be read'],
    'HTTP 410': ['(not-found): There is no such page at SITE (HTTP 410).', 'page not found'],
    'HTTP 418': ['(unreadable): SITE refused the request (HTTP 418).', 'could not be read'],
    'HTTP 421': ['(unreadable): SITE refused the request (HTTP 421).', 'could not be read'],
    'HTTP 422': ['(unreadable): SITE refused the request (HTTP 422).', 'could not be read'],
    'HTTP 425': ['(unreadable): SITE refused the request (HTTP 425).', 'could not be read'],
    'HTTP 429': [
      '(blocked): SITE asks for a pause: too many requests (HTTP 429).',
      'page was blocked',
    ],
    'HTTP 431': ['(unreadable): SITE refused the request (HTTP 431).', 'could not be read'],
    'HTTP 451': ['(blocked): SITE does not let Lam read this page (HTTP 451).', 'page was blocked'],
    'HTTP 500': [
      '(unreadable): SITE has a problem of its own (HTTP 500); try again later.',
      'could not be read',
    ],
    'HTTP 501': [
      '(unreadable): SITE has a problem of its own (HTTP 501); try again later.',
      'could not be read',
    ],
    'HTTP 502': [
      '(unreadable): SITE has a problem of its own (HTTP 502); try again later.',
      'could not be read',
    ],
    'HTTP 503': [
      '(unreadable): SITE has a problem of its own (HTTP 503); try again later.',
      'could not be read',
    ],
    'HTTP 504': [
      '(unreadable): SITE has a problem of its own (HTTP 504); try again later.',
      'could not be read',
    ],
    'HTTP 511': [
      '(unreadable): SITE has a problem of its own (HTTP 511); try again later.',
      'could not be read',
    ],
    'HTTP 520': [
      '(unreadable): SITE has a problem of its own (HTTP 520); try again later.',
      'could not be read',
    ],
    'HTTP 599': [
      '(unreadable): SITE has a problem of its own (HTTP 599); try again later.',
      'could not be read',
    ],
    'HTTP 600': [
      '(unreadable): SITE has a problem of its own (HTTP 600); try again later.',
      'could not be read',
    ],
    'HTTP 999': [
      '(unreadable): SITE has a problem of its own (HTTP 999); try again later.',
      'could not be read',
    ],
    '429 with a pause': [
      '(blocked): SITE asks for a pause for 30 seconds: too many requests (HTTP 429).',
      'page was blocked',
    ],
    '429 with orders': [
      '(blocked): SITE asks for a pause: too many requests (HTTP 429).',
      'page was blocked',
    ],
    'a challenge': [
      '(blocked): SITE wants proof that a person is reading (HTTP 403).',
      'page was blocked',
    ],
    'a challenge as a page': [
      '(blocked): SITE wants proof that a person is reading (HTTP 200).',
      'page was blocked',
    ],
    'orders as the reason': [
      '(unreadable): SITE has a problem of its own (HTTP 500); try again later.',
      'could not be read',
    ],
  },
  redirections: {
    'to itself': [
      '(unreadable): SITE redirects in a circle; it may want cookies, which Lam does not keep.',
      'could not be read',
    ],
    'to nowhere': [
      '(unreadable): SITE redirects in a circle; it may want cookies, which Lam does not keep.',
      'could not be read',
    ],
    'to a blank': [
      '(unreadable): SITE redirects in a circle; it may want cookies, which Lam does not keep.',
      'could not be read',
    ],
    'to and fro': [
      '(unreadable): SITE redirects in a circle; it may want cookies, which Lam does not keep.',
      'could not be read',
    ],
    'on and on': ['(unreadable): SITE redirected more than 5 times.', 'could not be read'],
    'to file:///etc/passwd': [
      '(refused): SITE redirects elsewhere: only http and https addresses are read, not file: addresses.',
      'not opened',
    ],
    'to ftp://a.example/': [
      '(refused): SITE redirects elsewhere: only http and https addresses are read, not ftp: addresses.',
      'not opened',
    ],
    'to javascript:alert(1)': [
      '(refused): SITE redirects elsewhere: only http and https addresses are read, not javascript: addresses.',
      'not opened',
    ],
    'to data:text/html,hello': [
      '(refused): SITE redirects elsewhere: only http and https addresses are read, not data: addresses.',
      'not opened',
    ],
    'to vicinae://kill': [
      '(refused): SITE redirects elsewhere: only http and https addresses are read, not vicinae: addresses.',
      'not opened',
    ],
    'to blob:http://a.example/1': [
      '(refused): SITE redirects elsewhere: only http and https addresses are read, not blob: addresses.',
      'not opened',
    ],
    'to ws://a.example/': [
      '(refused): SITE redirects elsewhere: only http and https addresses are read, not ws: addresses.',
      'not opened',
    ],
    'to gopher://127.0.0.1:70/1': [
      '(refused): SITE redirects elsewhere: only http and https addresses are read, not gopher: addresses.',
      'not opened',
    ],
    'to http://127.0.0.1:1/': [
      '(refused): SITE redirects elsewhere: 127.0.0.1:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to //127.0.0.1:1/': [
      '(refused): SITE redirects elsewhere: 127.0.0.1:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to \\\\127.0.0.1:1\\': [
      '(refused): SITE redirects elsewhere: 127.0.0.1:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to /\\127.0.0.1:1/': [
      '(refused): SITE redirects elsewhere: 127.0.0.1:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http:////127.0.0.1:1/': [
      '(refused): SITE redirects elsewhere: 127.0.0.1:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://2130706433:1/': [
      '(refused): SITE redirects elsewhere: 127.0.0.1:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://0177.0.0.1:1/': [
      '(refused): SITE redirects elsewhere: 127.0.0.1:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://0x7f.1:1/': [
      '(refused): SITE redirects elsewhere: 127.0.0.1:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://127.0.0.1.:1/': [
      '(refused): SITE redirects elsewhere: 127.0.0.1:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://[::1]:1/': [
      '(refused): SITE redirects elsewhere: [::1]:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://[::ffff:7f00:1]:1/': [
      '(refused): SITE redirects elsewhere: [::ffff:7f00:1]:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://[::7f00:1]:1/': [
      '(refused): SITE redirects elsewhere: [::7f00:1]:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://[64:ff9b::a00:1]/': [
      '(refused): SITE redirects elsewhere: [64:ff9b::a00:1] is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://[2002:7f00:1::]/': [
      '(refused): SITE redirects elsewhere: [2002:7f00:1::] is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://[fe80::1]/': [
      '(refused): SITE redirects elsewhere: [fe80::1] is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://169.254.169.254/latest/meta-data/': [
      '(refused): SITE redirects elsewhere: 169.254.169.254 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://10.0.0.1/': [
      '(refused): SITE redirects elsewhere: 10.0.0.1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://0.0.0.0:1/': [
      '(refused): SITE redirects elsewhere: 0.0.0.0:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://localhost:1/': [
      '(refused): SITE redirects elsewhere: localhost:1 is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://a.localhost./': [
      '(refused): SITE redirects elsewhere: a.localhost. is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://metadata.google.internal/': [
      '(refused): SITE redirects elsewhere: metadata.google.internal is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://printer.local/': [
      '(refused): SITE redirects elsewhere: printer.local is on this machine or a private network, which is not read.',
      'not opened',
    ],
    'to http://user:secret@a.example/': [
      '(refused): SITE redirects elsewhere: the address of a.example carries a user name or password; that is not sent.',
      'not opened',
    ],
    'to //user@a.example/': [
      '(refused): SITE redirects elsewhere: the address of a.example carries a user name or password; that is not sent.',
      'not opened',
    ],
    'to http://{place}@a.example/': [
      '(refused): SITE redirects elsewhere: the address of a.example carries a user name or password; that is not sent.',
      'not opened',
    ],
    'to http://a.example@127.0.0.1:1/': [
      '(refused): SITE redirects elsewhere: the address of 127.0.0.1:1 carries a user name or password; that is not sent.',
      'not opened',
    ],
    'to http://a.example:25/': [
      '(refused): SITE redirects elsewhere: port 25 of a.example belongs to another service than the web and is not asked.',
      'not opened',
    ],
    'to http://a.example:6667/': [
      '(refused): SITE redirects elsewhere: port 6667 of a.example belongs to another service than the web and is not asked.',
      'not opened',
    ],
    'to http://a.example:0/': [
      '(refused): SITE redirects elsewhere: port 0 of a.example belongs to another service than the web and is not asked.',
      'not opened',
    ],
    'to http://[broken': [
      '(refused): SITE redirected to an address that cannot be read.',
      'not opened',
    ],
    'to http://a b.example/': [
      '(refused): SITE redirected to an address that cannot be read.',
      'not opened',
    ],
    'to http://': ['(refused): SITE redirected to an address that cannot be read.', 'not opened'],
    'to an address of 9 KB': [
      '(refused): SITE redirected to an address that cannot be read.',
      'not opened',
    ],
    'to https where http is spoken': [
      '(unreadable): No secure connection to SITE could be made: it speaks no TLS that this machine understands (EPROTO).',
      'could not be read',
    ],
    'after ever longer waiting': ['(timed-out): SITE took too long.', 'did not answer in time'],
  },
  bodies: {
    nothing: ['(unreadable): The page at SITE is empty.', 'could not be read'],
    'white space': ['(unreadable): The page at SITE is empty.', 'could not be read'],
    'less than its length': [
      'Shown: characters 0–15 of 15; the page goes on, but the rest was not read',
      'read in part',
    ],
    'more than its length': ['Shown: characters 0–3 of 3; the whole page', 'read'],
    'nothing of its length': [
      '(unreadable): SITE sent a broken answer: the connection was cut.',
      'could not be read',
    ],
    'a reset in the body': [
      'Shown: characters 0–15 of 15; the page goes on, but the rest was not read',
      'read in part',
    ],
    'a second answer behind the first': ['Shown: characters 0–15 of 15; the whole page', 'read'],
    'a body behind 204': ['(unreadable): The page at SITE is empty.', 'could not be read'],
    'a body without an end': [
      'Shown: characters 0–19999 of 2097152; next: offset 19999. To read on, call web_fetch with the same url and offset 19999.',
      'read in part',
    ],
    'a body that drips': ['(timed-out): SITE took too long.', 'did not answer in time'],
    'a body that stops': ['(timed-out): SITE took too long.', 'did not answer in time'],
    'a body that never begins': ['(timed-out): SITE took too long.', 'did not answer in time'],
    'chunks of one byte': ['Shown: characters 0–10000 of 10000; the whole page', 'read'],
    'chunks without an end': [
      'Shown: characters 0–20000 of 50001; next: offset 20000. To read on, call web_fetch with the same url and offset 20000.',
      'read in part',
    ],
    'a chunk that is cut': [
      'Shown: characters 0–15 of 15; the page goes on, but the rest was not read',
      'read in part',
    ],
    'a last chunk that is missing': [
      'Shown: characters 0–5 of 5; the page goes on, but the rest was not read',
      'read in part',
    ],
    'a chunk of bad size': [
      '(unreadable): SITE sent a broken answer: the connection was cut.',
      'could not be read',
    ],
    'a bad chunk behind a good one': [
      'Shown: characters 0–5 of 5; the page goes on, but the rest was not read',
      'read in part',
    ],
    'a chunk of boundless size': [
      '(unreadable): SITE sent a broken answer: the connection was cut.',
      'could not be read',
    ],
    'a negative chunk': [
      '(unreadable): SITE sent a broken answer: the connection was cut.',
      'could not be read',
    ],
    'a chunk’s extension without an end': [
      '(unreadable): SITE sent a broken answer: the connection was cut.',
      'could not be read',
    ],
    'trailers without an end': [
      'Shown: characters 0–5 of 5; the page goes on, but the rest was not read',
      'read in part',
    ],
  },
  codings: {
    'a gzip bomb': [
      'Shown: characters 0–20000 of 2097152; next: offset 20000. To read on, call web_fetch with the same url and offset 20000.',
      'read in part',
    ],
    'a br bomb': [
      'Shown: characters 0–20000 of 2097152; next: offset 20000. To read on, call web_fetch with the same url and offset 20000.',
      'read in part',
    ],
    'a deflate bomb': [
      'Shown: characters 0–20000 of 2097152; next: offset 20000. To read on, call web_fetch with the same url and offset 20000.',
      'read in part',
    ],
    'a bare deflate bomb': [
      'Shown: characters 0–20000 of 2097152; next: offset 20000. To read on, call web_fetch with the same url and offset 20000.',
      'read in part',
    ],
    'a bomb in a bomb': [
      'Shown: characters 0–20000 of 2097152; next: offset 20000. To read on, call web_fetch with the same url and offset 20000.',
      'read in part',
    ],
    'a gzip bomb in chunks': [
      'Shown: characters 0–20000 of 2097152; next: offset 20000. To read on, call web_fetch with the same url and offset 20000.',
      'read in part',
    ],
    'three codings': [
      '(unreadable): SITE sent a broken answer: it is compressed too many times.',
      'could not be read',
    ],
    'a hundred codings': [
      '(unreadable): SITE sent a broken answer: it is compressed too many times.',
      'could not be read',
    ],
    'an unknown coding': [
      '(unreadable): SITE sent a broken answer: it is compressed as "zstd".',
      'could not be read',
    ],
    'a coding that gives orders': [
      '(unreadable): SITE sent a broken answer: it is compressed in a way without a name.',
      'could not be read',
    ],
    'text called gzip': [
      '(unreadable): SITE sent a broken answer: its compression is broken.',
      'could not be read',
    ],
    'text called br': [
      '(unreadable): SITE sent a broken answer: its compression is broken.',
      'could not be read',
    ],
    'text called deflate': [
      '(unreadable): SITE sent a broken answer: its compression is broken.',
      'could not be read',
    ],
    'gzip called br': [
      '(unreadable): SITE sent a broken answer: its compression is broken.',
      'could not be read',
    ],
    'half of a gzip body': [
      'Shown: characters 0–20000 of 32426; next: offset 20000. To read on, call web_fetch with the same url and offset 20000.',
      'read in part',
    ],
    'a gzip body of two bytes': [
      '(unreadable): SITE sent a broken answer: its compression is broken.',
      'could not be read',
    ],
    'words behind a gzip body': [
      '(unreadable): SITE sent a broken answer: its compression is broken.',
      'could not be read',
    ],
    'an empty gzip body': ['(unreadable): The page at SITE is empty.', 'could not be read'],
    'gzip said twice, done once': [
      '(unreadable): SITE sent a broken answer: its compression is broken.',
      'could not be read',
    ],
  },
  contents: {
    'a picture called a page': [
      '(unreadable): What SITE sent is an image, not a page with text.',
      'could not be read',
    ],
    'text called a picture': [
      '(unreadable): What SITE sent is an image, not a page with text.',
      'could not be read',
    ],
    'an archive called text': [
      '(unreadable): What SITE sent is a ZIP archive, not a page with text.',
      'could not be read',
    ],
    'a program called text': [
      '(unreadable): What SITE sent is a program, not a page with text.',
      'could not be read',
    ],
    'NUL bytes called text': [
      '(unreadable): What SITE sent is a binary file, not a page with text.',
      'could not be read',
    ],
    'a PDF file of its first line': [
      '(unreadable): The PDF file at SITE is broken and could not be read.',
      'could not be read',
    ],
    'a PDF file called a page': [
      '(unreadable): The PDF file at SITE is broken and could not be read.',
      'could not be read',
    ],
    'text called a PDF file': [
      '(unreadable): What SITE sent is called a PDF file, and is none.',
      'could not be read',
    ],
    'JSON that breaks off': ['Shown: characters 0–14 of 14; the whole page', 'read'],
    'JSON of brackets only': [
      'Shown: characters 0–20000 of 100000; next: offset 20000. To read on, call web_fetch with the same url and offset 20000.',
      'read in part',
    ],
    'XML that multiplies': ['Shown: characters 0–6 of 6; the whole page', 'read'],
    'XML that reads a file': ['Shown: characters 0–10 of 10; the whole page', 'read'],
    'a type of nonsense': ['Shown: characters 0–15 of 15; the whole page', 'read'],
    'a charset of nonsense': ['Shown: characters 0–15 of 15; the whole page', 'read'],
    'a charset that hides': ['Shown: characters 0–15 of 15; the whole page', 'read'],
    'bytes that are no UTF-8': ['Shown: characters 0–7 of 7; the whole page', 'read'],
    'tags without an end': ['(unreadable): The page at SITE has no text.', 'could not be read'],
    'a page of scripts': [
      '(needs-browser): The page at SITE draws itself with scripts; without a browser there is no text to read.',
      'needs a browser',
    ],
  },
  secure: {
    'a good certificate': ['Shown: characters 0–15 of 15; the whole page', 'read'],
    'a certificate it signed itself': [
      '(unreadable): No secure connection to SITE could be made: its certificate is signed by nobody this machine trusts (DEPTH_ZERO_SELF_SIGNED_CERT).',
      'could not be read',
    ],
    'a certificate of an unknown authority': [
      '(unreadable): No secure connection to SITE could be made: its certificate is signed by nobody this machine trusts (UNABLE_TO_VERIFY_LEAF_SIGNATURE).',
      'could not be read',
    ],
    'a certificate that has expired': [
      '(unreadable): No secure connection to SITE could be made: its certificate has expired (CERT_HAS_EXPIRED).',
      'could not be read',
    ],
    'a certificate that is not valid yet': [
      '(unreadable): No secure connection to SITE could be made: its certificate is not valid yet (CERT_NOT_YET_VALID).',
      'could not be read',
    ],
    'a certificate of another name': [
      '(unreadable): No secure connection to SITE could be made: its certificate is made out for another name (ERR_TLS_CERT_ALTNAME_INVALID).',
      'could not be read',
    ],
    'http where https is due': [
      '(unreadable): No secure connection to SITE could be made: it speaks no TLS that this machine understands (EPROTO).',
      'could not be read',
    ],
    'a greeting where https is due': [
      '(unreadable): No secure connection to SITE could be made: it speaks no TLS that this machine understands (EPROTO).',
      'could not be read',
    ],
    'silence where https is due': [
      '(timed-out): SITE did not answer in time.',
      'did not answer in time',
    ],
    'half a handshake': ['(timed-out): SITE did not answer in time.', 'did not answer in time'],
    'a close in the handshake': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'a reset in the handshake': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'a refusal in the handshake': [
      '(unreadable): No secure connection to SITE could be made: it speaks no TLS that this machine understands (EPROTO).',
      'could not be read',
    ],
    'a secure answer that never comes': [
      '(timed-out): SITE did not answer in time.',
      'did not answer in time',
    ],
    'a secure answer that is reset': [
      '(unreadable): SITE closed the connection without an answer.',
      'could not be read',
    ],
    'a secure body that breaks off': [
      'Shown: characters 0–15 of 15; the page goes on, but the rest was not read',
      'read in part',
    ],
  },
};

const ASSETS = join(import.meta.dirname, '../../assets');
const NAME = 'site.example';
const issuer = makeIssuer();
const CERTIFICATES: Record<NonNullable<HostileAnswer['certificate']>, Certificate> = {
  good: makeCertificate({ name: NAME, issuer }),
  expired: makeCertificate({ name: NAME, issuer, years: [-3, -1] }),
  early: makeCertificate({ name: NAME, issuer, years: [1, 2] }),
  'other-name': makeCertificate({ name: 'other.example', issuer }),
  'self-signed': makeCertificate({ name: NAME }),
  'unknown-issuer': makeCertificate({ name: NAME, issuer: makeIssuer('Nobody') }),
};
/** Milliseconds: the limits under which what never ends is read. */
const SHORT = { headerTimeoutMs: 300, totalTimeoutMs: 500 };
/** Milliseconds for one answer, far beyond those: what takes longer hangs. */
const LIMIT_MS = 15_000;

let server: HostileServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** What the model reads and what a person reads of a page whose server answers like this. */
async function outcomeOf(answer: HostileAnswer) {
  const { behaviour, certificate, https, endless, gone } = answer;
  server = await startHostileServer(
    behaviour,
    certificate === undefined ? undefined : CERTIFICATES[certificate],
  );
  const { place, port } = server;
  const secure = certificate !== undefined || https === true;
  const url = secure ? `https://${NAME}:${port}/` : `http://${place}/`;
  if (gone === true) await server.close();
  const fetcher = createFetcher({
    userAgent: 'Lam-test',
    allowLoopback: [place, `${NAME}:${port}`],
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    ca: issuer.cert,
    ...(endless === true ? SHORT : {}),
  });
  const fetchPage = createPagePort({
    fetcher,
    loadPageReader: () => loadPageReader(ASSETS),
    loadPdfReader: () => loadPdfReader(ASSETS),
    sniffHtml: sniffHtmlCharset,
  });
  const search = () => Promise.resolve({ ok: true as const, hits: [] });
  const register = await prepareCall('web_fetch', { url }).run(
    { search, fetchPage },
    new AbortController().signal,
  );
  const fresh = createSourceList();
  const { content, isError } = register(fresh, () => 'quartz');
  const hit = { index: 1, title: 'Tea', url, status: 'hit' as const };
  const found = register(createSourceList([hit]), () => 'quartz');
  const turn = makeTurn({
    toolCalls: [
      makeToolCall({ sources: [hit], statuses: [] }),
      makeToolCall({ sources: found.sources ?? [], statuses: found.statuses ?? [] }),
    ],
  });
  const inOurWords = (text: string): string =>
    text.replaceAll(url, 'URL').replaceAll(place, 'SITE').replaceAll(`${NAME}:${port}`, 'SITE');
  const [failure] = content.split('\n\n');
  const line = isError ? failure : content.split('\n').find((each) => each.startsWith('Shown'));
  const [label] = numberedSources(turn).map((source) => sourceStatus(source));
  return {
    told: inOurWords(line ?? '').replace(/^URL could not be read /, ''),
    label: label ?? 'read',
    numbers: fresh.all().map(({ index }) => index),
    wasRead: !isError,
    statuses: found.statuses ?? [],
  };
}

describe.each(Object.entries(HOSTILE_ANSWERS))('%s', (group, answers) => {
  const sentences = SENTENCES[group] ?? {};

  it('each has its sentences', () => {
    expect(Object.keys(sentences)).toEqual(answers.map(({ name }) => name));
  });

  it.each(answers.map((answer) => [answer.name, answer] as const))(
    '%s',
    async (name, answer) => {
      const { told, label, numbers, wasRead, statuses } = await outcomeOf(answer);
      const [model, reader] = sentences[name] ?? [];
      expect(told).toBe(model);
      expect(label).toBe(reader);
      // A page that was not read takes no number.
      expect(numbers).toEqual(wasRead ? [1] : []);
      expect(statuses).toHaveLength(1);
      // Nothing is left behind: neither a connection nor a timer that would hold it.
      await expect.poll(() => server?.open()).toBe(0);
    },
    LIMIT_MS,
  );
});

it('there are enough of them', () => {
  const names = Object.values(HOSTILE_ANSWERS).flatMap((answers) =>
    answers.map(({ name }) => name),
  );
  expect(names.length).toBeGreaterThanOrEqual(120);
  expect(new Set(names).size).toBe(names.length);
});
