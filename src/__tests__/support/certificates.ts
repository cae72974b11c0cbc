import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/**
 * Certificates for tests, made when they are wanted: no private key is kept anywhere. X.509 version 3 in DER (RFC 5280),
 * with a P-256 key and the one name that a test needs.
 */

/** A certificate and its key in PEM, as `tls.createServer` wants them. */
export interface Certificate {
  cert: string;
  key: string;
}

export interface CertificateOptions {
  /** The DNS name it is made out for. */
  name: string;
  /** Years from now on; default: from a year ago to next year. */
  years?: [from: number, to: number];
  /** Signs it; default: itself. */
  issuer?: Issuer;
}

/** Who signs a certificate. */
export interface Issuer {
  name: string;
  key: KeyObject;
  cert: string;
}

/** Tag, length and content of one DER value (ITU-T X.690 section 8.1). */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length > 255 ? [0x82, length >> 8, length & 255] : [0x81, length];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

const COMMON_NAME = oid('550403');
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const BASIC_CONSTRAINTS = oid('551d13');
const SUBJECT_ALT_NAME = oid('551d11');
const TRUE = der(0x01, Buffer.from([0xff]));

const nameOf = (name: string): Buffer =>
  sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));

/** GeneralizedTime, `20300101000000Z`. */
const yearsFromNow = (years: number): Buffer =>
  der(0x18, Buffer.from(`${new Date().getUTCFullYear() + years}0101000000Z`));

const pem = (label: string, bytes: Buffer): string => {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
};

/** An authority that no system knows. */
export function makeIssuer(name = 'Authority of a test'): Issuer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = certify({ name, years: [-1, 1] }, publicKey, { name, key: privateKey });
  return { name, key: privateKey, cert };
}

/** A certificate of a server. */
export function makeCertificate({ name, years, issuer }: CertificateOptions): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = issuer ?? { name, key: privateKey };
  return {
    cert: certify({ name, years: years ?? [-1, 1] }, publicKey, signer),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

let serial = 0;

function certify(
  { name, years: [from, to] }: { name: string; years: [from: number, to: number] },
  publicKey: KeyObject,
  signer: Pick<Issuer, 'name' | 'key'>,
): string {
  serial += 1;
  const extensions = der(
    0xa3,
    sequence(
      sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE))),
      sequence(SUBJECT_ALT_NAME, der(0x04, sequence(der(0x82, Buffer.from(name))))),
    ),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1, serial])),
    ECDSA_WITH_SHA256,
    nameOf(signer.name),
    sequence(yearsFromNow(from), yearsFromNow(to)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, signer.key));
  return pem('CERTIFICATE', sequence(body, ECDSA_WITH_SHA256, signature));
}
