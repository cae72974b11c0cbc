import sniff from 'html-encoding-sniffer';

const UNKNOWN = 'unknown';

/** The charset that a `<meta>` in the first 1,024 bytes declares, as a TextDecoder label; nothing if there is none. */
export function sniffHtmlCharset(bytes: Uint8Array): string | undefined {
  try {
    const name = sniff(bytes, { defaultEncoding: UNKNOWN });
    return name === UNKNOWN ? undefined : name;
  } catch {
    // html-encoding-sniffer 6.0.0 reads past the end of `<meta content="charset">`.
    return undefined;
  }
}
