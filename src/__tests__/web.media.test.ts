import { describe, expect, it } from 'vitest';

import { sniffMedia } from '../host/web/media';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('sniffMedia: first bytes over declared type', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'text/html', 'an image'],
    ['\xff\xd8\xff\xe0', '', 'an image'],
    ['GIF89a', 'text/plain', 'an image'],
    ['RIFF\x10\0\0\0WEBPVP8 ', '', 'an image'],
    ['RIFF\x10\0\0\0WAVEfmt ', '', 'a sound file'],
    ['\0\0\0\x20ftypisom', '', 'a video or sound file'],
    ['ID3\x03\0', '', 'a sound file'],
    ['PK\x03\x04', 'application/octet-stream', 'a ZIP archive'],
    ['PK\x03\x04…[Content_Types].xml…word/document.xml', '', 'a Word document'],
    ['PK\x03\x04…xl/workbook.xml', '', 'an Excel workbook'],
    ['PK\x03\x04…ppt/slides/slide1.xml', '', 'a PowerPoint presentation'],
    ['PK\x03\x04…mimetypeapplication/epub+zip', '', 'an EPUB book'],
    ['PK\x03\x04…META-INF/container.xml', '', 'an EPUB book'],
    ['PK\x03\x04…mimetypeapplication/vnd.oasis.opendocument.text', '', 'an OpenDocument text'],
    ['PK\x03\x04…META-INF/MANIFEST.MF', '', 'a Java program'],
    [`PK\x03\x04${'\0'.repeat(200_000)}word/styles.xml`, '', 'a Word document'],
    ['PK\x05\x06', '', 'a ZIP archive'],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', '', 'an office document'],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1…W\0o\0r\0k\0b\0o\0o\0k\0', '', 'an Excel workbook'],
    ['{\\rtf1\\ansi', 'text/plain', 'a rich text (RTF) document'],
    ['%!PS-Adobe-3.0', '', 'a PostScript document'],
    [`${'x'.repeat(257)}ustar`, '', 'an archive'],
    ['\0\0\0\x0cJXL \r\n\x87\n', '', 'an image'],
    ['MZ\x90\0', '', 'a program'],
    ['\x1f\x8b\x08', '', 'a compressed archive'],
    ['\x7fELF', '', 'a program'],
    ['ab\0cd', 'text/html', 'a binary file'],
    ['<svg xmlns="x"/>', 'image/svg+xml', 'an image'],
    ['abc', 'video/mp4', 'a video'],
    ['abc', 'application/pdf', 'called a PDF file, and is none'],
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
    ['a,b', 'text/csv', 'csv'],
    ['a\tb', 'text/tab-separated-values', 'csv'],
    ['%PDF-1.7\n…', 'text/html', 'pdf'],
    ['\n%PDF-1.4', '', 'pdf'],
    ['<?xml version="1.0"?><rss>', 'text/html', 'xml'],
    ['\xef\xbb\xbf<feed xmlns="x">', 'text/html', 'xml'],
    ['<!-- made --><rdf:RDF>', '', 'xml'],
    [' {"a":1}', '', 'json'],
    ['[1]', 'application/octet-stream', 'json'],
    ['{{a}}', 'text/html', 'html'],
    ['{"a":1}', 'text/plain', 'text'],
    ['{"a":1}', 'application/x-ndjson', 'text'],
    ['hello', '', 'text'],
    ['hello', 'application/octet-stream', 'text'],
    ['ID3 tags hold the title of a song', 'text/plain', 'text'],
    ['A file begins with %PDF- and a version', 'text/plain', 'text'],
    ['\xff\xfeh\0i\0', 'text/plain', 'text'],
    ['', 'text/html', 'html'],
  ])('%j as %j is %s', (body, declared, kind) => {
    expect(sniffMedia(bytes(body), declared)).toEqual({ kind });
  });

  it.each([
    ['h\0i\0', 'text/plain', 'utf-16le', { kind: 'text' }],
    ['\0h\0i', 'text/html', 'UTF-16BE', { kind: 'html' }],
    ['{\0}\0', 'application/json', 'utf-16', { kind: 'json' }],
    ['h\0i\0', 'text/plain', 'utf-8', { kind: 'binary', name: 'a binary file' }],
    ['h\0i\0', 'text/plain', 'nonsense', { kind: 'binary', name: 'a binary file' }],
    ['\x7fELF\0', 'text/plain', 'utf-16le', { kind: 'binary', name: 'a program' }],
  ])('%j as %j in %s is %j', (body, declared, charset, media) => {
    expect(sniffMedia(bytes(body), declared, { charset })).toEqual(media);
  });
});

describe('sniffMedia: the ending of the name where the type says nothing', () => {
  it.each([
    ['a;b', 'text/plain', '/data/list.CSV', 'csv'],
    ['a', 'application/octet-stream', '/list.tsv', 'csv'],
    ['[1]', 'text/plain', '/list.json', 'json'],
    ['a,b', 'text/html', '/list.csv', 'html'],
    ['a,b', 'text/plain', '/csv', 'text'],
  ])('%j as %j at %s is %s', (body, declared, path, kind) => {
    expect(sniffMedia(bytes(body), declared, { path })).toEqual({ kind });
  });
});
