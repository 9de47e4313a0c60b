import { expect } from 'chai';
import { mimetypeOfContent, mimetypeOfName } from '../../src/domain/mimetype.js';

describe('MIME type', () => {
  for (const [name, mimetype] of [
    ['server.properties', 'text/plain'],
    ['OPS.JSON', 'application/json'],
    ['world.tar.gz', 'application/gzip'],
    ['README', null],
    ['.bashrc', null],
    ['a.constructor', null],
    ['a.__proto__', null],
    ['trailing.', null],
  ] as const) {
    it(`derives ${mimetype ?? 'no MIME type'} from the name ${name}`, () => {
      expect(mimetypeOfName(name)).to.equal(mimetype);
    });
  }

  for (const [what, bytes, mimetype] of [
    ['text', Buffer.from('eula=true\r\n\tyes'), 'text/plain'],
    ['coloured text', Buffer.from('\u001b[32mok\u001b[0m'), 'text/plain'],
    ['text cut in the middle of a character', Buffer.from('grün').subarray(0, 3), 'text/plain'],
    ['nothing', Buffer.alloc(0), 'text/plain'],
    ['NUL bytes', Buffer.from('a\0b'), 'application/octet-stream'],
    ['Latin-1', Buffer.from('gr\xfcn', 'latin1'), 'application/octet-stream'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'application/gzip'],
    ['a Linux program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2]), 'application/x-executable'],
    ['a script', Buffer.from('#!/bin/sh\n'), 'text/x-script'],
  ] as const) {
    it(`derives ${mimetype} from content that is ${what}`, () => {
      expect(mimetypeOfContent(bytes)).to.equal(mimetype);
    });
  }
});
