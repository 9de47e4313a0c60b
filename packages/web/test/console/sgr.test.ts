import { expect } from 'chai';
import { parseLine, plainText } from '../../src/console/sgr.js';

describe('terminal output', () => {
  it('turns colours and weights into classes of a fixed table', () => {
    expect(parseLine('a\x1b[1;31mb\x1b[0mc')).to.deep.equal([
      { text: 'a', classes: '' },
      { text: 'b', classes: 's-b s-f1' },
      { text: 'c', classes: '' },
    ]);
  });

  it('shows 256 and true colours as one of the sixteen', () => {
    expect(parseLine('\x1b[38;5;196mred')[0]?.classes).to.equal('s-f9');
    expect(parseLine('\x1b[38;2;10;200;20mgreen')[0]?.classes).to.equal('s-f2');
    expect(parseLine('\x1b[48;5;21mblue')[0]?.classes).to.match(/^s-g[0-7]$/);
  });

  it('drops cursor movements, titles, bells and every other sequence', () => {
    expect(plainText('\x1b[2J\x1b[10;5H\x1b]0;title\x07\x1b(Bx\x07\r\x1b[?25ly')).to.equal('xy');
  });

  it('links http and https only', () => {
    const linked = (address: string) => parseLine(`\x1b]8;;${address}\x1b\\text\x1b]8;;\x1b\\`)[0];
    expect(linked('https://example.com/')?.link).to.equal('https://example.com/');
    expect(linked('javascript:alert(1)')?.link).to.equal(undefined);
    expect(linked('data:text/html,x')?.link).to.equal(undefined);
  });

  it('shows characters that would reorder the text as what they are', () => {
    expect(plainText('user\u202egnp.exe')).to.equal('user⟨U+202E⟩gnp.exe');
  });

  it('keeps markup as text', () => {
    expect(parseLine('<img src=x onerror=alert(1)>')).to.deep.equal([
      { text: '<img src=x onerror=alert(1)>', classes: '' },
    ]);
  });
});
