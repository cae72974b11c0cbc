import { isIP } from 'node:net';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  isBadPort,
  isLocalName,
  isLoopbackAddress,
  isPublicAddress,
  literalAddress,
} from '../host/web/addresses';

describe('isPublicAddress', () => {
  it.each([
    ['1.1.1.1', true],
    ['8.8.8.8', true],
    ['93.184.215.14', true],
    ['172.15.255.255', true],
    ['172.32.0.1', true],
    ['11.0.0.1', true],
    ['2606:4700::1111', true],
    ['[2606:4700::1111]', true],
    ['2a00:1450:4001:81b::200e', true],
    ['::ffff:8.8.8.8', true],
    ['::ffff:808:808', true],
    ['64:ff9b::8.8.8.8', true],
    ['64:ff9b::808:808', true],
    ['127.0.0.1', false],
    ['127.255.255.254', false],
    ['0.0.0.0', false],
    ['0.1.2.3', false],
    ['10.0.0.1', false],
    ['172.16.0.1', false],
    ['172.31.255.255', false],
    ['192.168.1.1', false],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['192.0.0.1', false],
    ['192.0.2.1', false],
    ['198.18.0.1', false],
    ['198.51.100.7', false],
    ['203.0.113.9', false],
    ['192.88.99.1', false],
    ['224.0.0.1', false],
    ['240.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['[::1]', false],
    ['::7f00:1', false],
    ['::127.0.0.1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:7f00:1', false],
    ['::ffff:10.0.0.1', false],
    ['::ffff:0:127.0.0.1', false],
    ['64:ff9b::127.0.0.1', false],
    ['64:ff9b::7f00:1', false],
    ['64:ff9b::a00:1', false],
    ['64:ff9b:1::808:808', false],
    ['2002:7f00:1::', false],
    ['2002:808:808::1', false],
    ['2001::1', false],
    ['2001:db8::1', false],
    ['3fff::1', false],
    ['5f00::1', false],
    ['4000::1', false],
    ['100::1', false],
    // ISATAP: a global prefix with an IPv4 address behind 5efe, which is where the tunnel ends.
    ['2606:4700::5efe:8.8.8.8', true],
    ['2606:4700::200:5efe:808:808', true],
    ['2606:4700::5efe:127.0.0.1', false],
    ['2606:4700::200:5efe:a00:1', false],
    ['fe80::5efe:8.8.8.8', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['fec0::1', false],
    ['fc00::1', false],
    ['fd00:ec2::254', false],
    ['ff02::1', false],
    // Not addresses in the form DNS gives: names, or notations that only inet_aton understands.
    ['127.1', false],
    ['2130706433', false],
    ['0x08080808', false],
    ['08.8.8.8', false],
    ['8.8.8.8.8', false],
    ['host.example', false],
    ['', false],
  ])('%s → %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });

  it('never lets a private IPv4 address through, however it is wrapped', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const privates = fc.oneof(
      fc.tuple(fc.constantFrom(10, 127, 0), byte, byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    );
    fc.assert(
      fc.property(
        privates,
        fc.constantFrom('', '::ffff:', '64:ff9b::', '::', '2606:4700::5efe:', '::ffff:0:'),
        (bytes, prefix) => {
          expect(isPublicAddress(prefix + bytes.join('.'))).toBe(false);
        },
      ),
    );
  });

  it('never lets a private IPv4 address through in a tunnel’s prefix (6to4, Teredo)', () => {
    const half = (high: number, low: number): string => ((high << 8) | low).toString(16);
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(byte, byte, byte, fc.constantFrom(10, 127), (b, c, d, a) => {
        const [first, second] = [half(a, b), half(c, d)];
        const inverted = [half(a ^ 255, b ^ 255), half(c ^ 255, d ^ 255)].join(':');
        expect(isPublicAddress(`2002:${first}:${second}::1`)).toBe(false);
        expect(isPublicAddress(`2001:0:4136:e378:8000:63bf:${inverted}`)).toBe(false);
        expect(isPublicAddress(`2001:0:${first}:${second}::1`)).toBe(false);
      }),
    );
  });
});

describe('literalAddress, after URL has parsed the host', () => {
  it.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://017700000001/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://１２７.０.０.１/', '127.0.0.1'],
    ['http://127。0。0。1/', '127.0.0.1'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['http://[::1]/', '::1'],
    ['http://[0:0:0:0:0:0:0:1]/', '::1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://[::127.0.0.1]/', '::7f00:1'],
    ['http://0177.1/', '127.0.0.1'],
    ['http://127.0.1/', '127.0.0.1'],
    ['http://0x7F.0.0.0x1/', '127.0.0.1'],
    ['http://00000177.0x0.00.1/', '127.0.0.1'],
    ['http://4294967295/', '255.255.255.255'],
    ['http://①②⑦.⓪.⓪.①/', '127.0.0.1'],
    ['http://[::FFFF:A00:1]/', '::ffff:a00:1'],
    ['http://[64:ff9b::10.0.0.1]/', '64:ff9b::a00:1'],
    ['http://host.example/', undefined],
    ['http://1.example/', undefined],
    // Neither an address nor one that the resolver would take for one: it is looked up like a name.
    ['http://127.0.0.1../', undefined],
  ])('%s → %s', (url, expected) => {
    expect(literalAddress(new URL(url).hostname)).toBe(expected);
  });

  it.each([
    '256.256.256.256',
    '127.0.0.0.1',
    '0x100000000',
    '08.0.0.1',
    '1.2.3.4.5',
    '127.0.0.x1.0',
  ])('%s, which only looks like an address, has no URL', (host) => {
    expect(URL.canParse(`http://${host}/`)).toBe(false);
  });

  it('knows every host that Node would connect to without asking for its address', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const v4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'));
    fc.assert(
      fc.property(
        fc.oneof(
          v4,
          fc.ipV6().map((ip) => `[${ip}]`),
          fc.domain(),
        ),
        (host) => {
          fc.pre(URL.canParse(`http://${host}/`));
          const { hostname } = new URL(`http://${host}/`);
          const connected = hostname.replace(/^\[|\]$/g, '');
          expect(literalAddress(hostname) !== undefined).toBe(isIP(connected) !== 0);
        },
      ),
    );
  });
});

describe('isLocalName', () => {
  it.each([
    ['localhost', true],
    ['LOCALHOST', true],
    ['localhost.', true],
    ['a.b.localhost', true],
    ['printer.local', true],
    ['metadata.google.internal', true],
    ['box.home.arpa', true],
    ['localhost.example', false],
    ['notlocalhost', false],
    ['local.example', false],
  ])('%s → %s', (name, expected) => {
    expect(isLocalName(name)).toBe(expected);
  });
});

describe('isLoopbackAddress', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.0.0.1', false],
    ['8.8.8.8', false],
    ['::', false],
    ['host.example', false],
  ])('%s → %s', (address, expected) => {
    expect(isLoopbackAddress(address)).toBe(expected);
  });
});

describe('isBadPort', () => {
  it.each([
    [22, true],
    [25, true],
    [6667, true],
    [10080, true],
    [0, true],
    [80, false],
    [443, false],
    [8080, false],
    [1234, false],
    [65535, false],
  ])('%i → %s', (port, expected) => {
    expect(isBadPort(port)).toBe(expected);
  });
});
