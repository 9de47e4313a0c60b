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
    expect(linked('HTTPS://bank.example@evil.example/é')?.link, 'where it leads').to.equal(
      'https://bank.example@evil.example/%C3%A9',
    );
    expect(linked('https://ex\u0430mple.com')?.link, 'with a Cyrillic letter').to.equal('https://xn--exmple-4nf.com/');
    expect(linked('https://')?.link).to.equal(undefined);
    expect(linked('javascript:alert(1)')?.link).to.equal(undefined);
    expect(linked('data:text/html,x')?.link).to.equal(undefined);
  });

  it('shows the host of a link behind a text that does not begin with it', () => {
    const shown = (address: string, text: string) => plainText(`to \x1b]8;;${address}\x1b\\${text}\x1b]8;;\x1b\\ go`);
    expect(shown('https://example.com/a', 'a link')).to.equal('to a link ⟨example.com⟩ go');
    expect(shown('https://evil.example:8443/', 'https://bank.example')).to.contain('bank.example ⟨evil.example:8443⟩ ');
    for (const text of ['example.com', 'https://example.com', 'https://EXAMPLE.com/a?b', 'example.com/a']) {
      expect(shown('https://example.com/a', text)).to.equal(`to ${text} go`);
    }
    const lookAlike = 'https://ex\u0430mple.com';
    expect(shown(lookAlike, lookAlike)).to.equal(`to ${lookAlike} ⟨xn--exmple-4nf.com⟩ go`);
    for (const text of [
      'https://bank.example/example.com',
      'https://example.com@bank.example',
      'example.com.bank.example',
    ]) {
      expect(shown('https://example.com/', text), text).to.contain('⟨example.com⟩');
    }
  });

  it('shows the host once for a link of several colours, and as much text as it counts', () => {
    const line =
      '\x1b]8;;https://example.com\x07a \x1b[1mbold\x1b[0m link\x1b]8;;\x07, \x1b]8;;https://b.example\x07open';
    const segments = parseLine(line);
    expect(segments.filter(({ text }) => text.includes('⟨example.com⟩'))).to.deep.equal([
      { text: ' link ⟨example.com⟩', classes: '', link: 'https://example.com/' },
    ]);
    expect(plainText(line)).to.equal('a bold link ⟨example.com⟩, open ⟨b.example⟩');
    expect(segments.map(({ text }) => text).join('')).to.equal(plainText(line));
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
