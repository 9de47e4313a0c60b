import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { displayName, displayPath, parsePath } from '../../src/domain/path.js';

describe('client path', () => {
  for (const [text, meant] of [
    ['/', ''],
    ['a.txt', 'a.txt'],
    ['/a.txt', 'a.txt'],
    ['//a///b/', 'a/b'],
    ['/./a/./b', 'a/b'],
    ['/...', '...'],
    ['/..a/b..', '..a/b..'],
    ['/ a ', ' a '],
    ['/-rf', '-rf'],
    ['/con', 'con'],
    ['/%2e%2e/%2f', '%2e%2e/%2f'],
    ['/ünïcödé/🦔', 'ünïcödé/🦔'],
    [`/${'x'.repeat(255)}`, 'x'.repeat(255)],
    ['/d'.repeat(64), 'd/'.repeat(64).slice(0, -1)],
  ] as const) {
    it(`resolves ${JSON.stringify(text.slice(0, 40))} to ${JSON.stringify(meant.slice(0, 40))} below the root`, () => {
      expect(displayPath(parsePath(text, 'path'))).to.equal(meant);
    });
  }

  for (const [what, text] of [
    ['nothing', ''],
    ['the parent', '..'],
    ['the parent in the middle', '/a/../b'],
    ['the parent at the end', '/a/..'],
    ['NUL', '/a\0b'],
    ['a line feed', '/a\nb'],
    ['an escape', '/a\u001b[2Jb'],
    ['a C1 control', '/a\u009bb'],
    ['a backslash', '/a\\..\\b'],
    ['a direction mark', '/gpj\u202e.exe'],
    ['a line separator', '/a\u2028b'],
    ['a name of files that are being written', '/a/.panel-11111111-1111-4111-8111-111111111111.part'],
    ['a name of 256 bytes', `/${'x'.repeat(256)}`],
    ['a name of 256 bytes in fewer characters', `/${'ü'.repeat(128)}`],
    ['65 levels', '/d'.repeat(65)],
    ['4,097 bytes', `/${'a/'.repeat(2048)}`],
    ['1,000 levels', '/d'.repeat(1000)],
  ] as const) {
    it(`refuses a path that contains ${what}, naming the field`, () => {
      const parse = () => parsePath(text, 'directory');
      expect(parse)
        .to.throw()
        .satisfy((error: unknown) => isAppError(error, 'INVALID_FIELDS'));
      expect(parse).to.throw().with.nested.property('metadata.fields').with.all.keys('directory');
    });
  }
});

describe('file name on disk', () => {
  for (const [what, bytes, shown] of [
    ['plain', Buffer.from('plain.txt'), 'plain.txt'],
    ['not UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a\ufffdb'],
    ['with a line feed', Buffer.from('a\nb'), 'a\ufffdb'],
    ['with a backslash', Buffer.from('a\\b'), 'a\ufffdb'],
    ['with direction marks', Buffer.from('a\u202eb\u2066c'), 'a\ufffdb\ufffdc'],
  ] as const) {
    it(`shows a name on disk that is ${what} as one that can be requested`, () => {
      expect(displayName(bytes)).to.equal(shown);
      expect(displayPath(parsePath(`/${displayName(bytes)}`, 'path'))).to.equal(shown);
    });
  }
});
