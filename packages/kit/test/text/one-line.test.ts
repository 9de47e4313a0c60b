import { expect } from 'chai';
import { isCommandLine, isOneLine, isPlainText } from '../../src/text/index.js';

const controls = ['\0', '\u0007', '\u001b[0m', '\u007f', '\u0085', '\u009b31m', '\u2028', '\u2029'];
const lineBreaks = ['\n', '\r', '\v', '\f'];
const invisible = ['\u200b', '\u200e', '\u202e', '\u2066', '\u2069', '\ufeff', '\u061c', '\u2060'];

describe('texts of people and of programs', () => {
  it('refuses controls of every kind', () => {
    for (const text of controls.map((one) => `a${one}b`)) {
      for (const check of [isOneLine, isCommandLine, isPlainText])
        expect(check(text), JSON.stringify(text)).to.equal(false);
    }
  });

  it('takes line breaks in plain text only, and tabs where a program reads', () => {
    for (const text of lineBreaks.map((one) => `a${one}b`)) {
      expect(isOneLine(text)).to.equal(false);
      expect(isCommandLine(text)).to.equal(false);
    }
    expect(isPlainText('a\tb\r\nc')).to.equal(true);
    expect(isCommandLine('say\thello')).to.equal(true);
    expect(isOneLine('a\tb')).to.equal(false);
  });

  it('refuses invisible characters where people read', () => {
    for (const text of invisible.map((one) => `a${one}b`)) {
      expect(isOneLine(text), JSON.stringify(text)).to.equal(false);
      expect(isPlainText(text), JSON.stringify(text)).to.equal(false);
    }
  });

  it('takes letters of every script, and emoji', () => {
    for (const text of ['Müller & Söhne', '生存', 'Проба', 'بقاء', '👨‍👩‍👧 survival', '', 'a b'])
      for (const check of [isOneLine, isCommandLine, isPlainText]) expect(check(text), text).to.equal(true);
  });
});
