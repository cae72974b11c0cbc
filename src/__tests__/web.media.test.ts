import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { layOutJson } from '../host/web/json';
import { sniffMedia } from '../host/web/media';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('sniffMedia: first bytes over declared type', () => {
  it.each([
    ['%PDF-1.7\n…', 'text/html', 'a PDF file'],
    ['\n%PDF-1.4', '', 'a PDF file'],
    ['\x89PNG\r\n\x1a\n', 'text/html', 'an image'],
    ['\xff\xd8\xff\xe0', '', 'an image'],
    ['GIF89a', 'text/plain', 'an image'],
    ['RIFF\x10\0\0\0WEBPVP8 ', '', 'an image'],
    ['RIFF\x10\0\0\0WAVEfmt ', '', 'a sound file'],
    ['\0\0\0\x20ftypisom', '', 'a video or sound file'],
    ['ID3\x03\0', '', 'a sound file'],
    ['PK\x03\x04', 'application/octet-stream', 'a ZIP archive or an office document'],
    ['\x1f\x8b\x08', '', 'a compressed archive'],
    ['\x7fELF', '', 'a program'],
    ['ab\0cd', 'text/html', 'a binary file'],
    ['<svg xmlns="x"/>', 'image/svg+xml', 'an image'],
    ['abc', 'video/mp4', 'a video'],
    ['abc', 'application/pdf', 'a PDF file'],
  ])('%j as %j is %s', (body, declared, name) => {
    expect(sniffMedia(bytes(body), declared)).toEqual({ kind: 'binary', name });
  });

  it.each([
    ['<p>x', 'text/html', 'html'],
    ['<p>x', 'application/xhtml+xml', 'html'],
    ['<!DOCTYPE html><p>', '', 'html'],
    ['\xef\xbb\xbf <!-- c --> <html lang=en>', 'application/octet-stream', 'html'],
    ['<?xml version="1.0"?><html xmlns="x">', 'application/xml', 'html'],
    ['<!doctype html><p>', 'image/png', 'html'],
    ['<html> source of a page', 'text/plain', 'text'],
    ['# Title', 'text/markdown', 'text'],
    ['{"a":1}', 'application/json', 'json'],
    ['{"a":1}', 'application/ld+json', 'json'],
    ['<rss/>', 'application/rss+xml', 'xml'],
    ['<?xml version="1.0"?><rss/>', '', 'xml'],
    ['a,b', 'text/csv', 'text'],
    ['hello', '', 'text'],
    ['hello', 'application/octet-stream', 'text'],
    ['ID3 tags hold the title of a song', 'text/plain', 'text'],
    ['A file begins with %PDF- and a version', 'text/plain', 'text'],
    ['\xff\xfeh\0i\0', 'text/plain', 'text'],
    ['', 'text/html', 'html'],
  ])('%j as %j is %s', (body, declared, kind) => {
    expect(sniffMedia(bytes(body), declared)).toEqual({ kind });
  });
});

describe('layOutJson', () => {
  it.each([
    [
      '{"a":1,"b":[true,null,"x"]}',
      '{\n  "a": 1,\n  "b": [\n    true,\n    null,\n    "x"\n  ]\n}',
    ],
    ['{"n":12345678901234567890,"n":1.0}', '{\n  "n": 12345678901234567890,\n  "n": 1.0\n}'],
    ['{"a":{},"b":[]}', '{\n  "a": {},\n  "b": []\n}'],
    [' [ ] ', '[]'],
    ['"a, {b}: \\"c\\" \\\\"', '"a, {b}: \\"c\\" \\\\"'],
    ['{"a":1', '{"a":1'],
    ['{"a":1}\n{"a":2}', '{"a":1}\n{"a":2}'],
    ['', ''],
  ])('%s', (input, expected) => {
    expect(layOutJson(input, 10_000)).toBe(expected);
  });

  it('leaves as it is what would grow past the limit', () => {
    expect(layOutJson('[1,2,3]', 8)).toBe('[1,2,3]');
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    expect(layOutJson(deep, 1_000)).toBe(deep);
  });

  it('agrees with JSON.stringify on every value up to the indent limit', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(layOutJson(JSON.stringify(value), Infinity)).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });
});
