import { expect } from 'chai';
import {
  isSameLine,
  LineSplitter,
  maxLineBytes,
  maxWholeBytes,
  type OutputLine,
} from '../../src/console/line-splitter.js';

/** Compares the lines of the whole output with those of pieces of each size. */
function output(text: string | Buffer): OutputLine[] {
  const bytes = Buffer.from(text);
  const whole = new LineSplitter().push(bytes);
  for (const size of [1, 2, 3, 7]) {
    const splitter = new LineSplitter();
    const cut: OutputLine[] = [];
    for (let at = 0; at < bytes.length; at += size) cut.push(...splitter.push(bytes.subarray(at, at + size)));
    expect(cut, `pieces of ${size}`).to.deep.equal(whole);
  }
  return whole;
}

const shown = (all: readonly OutputLine[]) => all.filter(({ isShown }) => isShown).map(({ text }) => text);
const texts = (all: readonly OutputLine[]) => all.map(({ text }) => text);
const lines = (text: string | Buffer) => shown(output(text));

describe('line splitter', () => {
  it('ends lines at LF and CR LF', () => {
    expect(lines('a\nb\r\n\nc\r\r\nrest')).to.deep.equal(['a', 'b', '', 'c']);
  });

  it('shows text before a lone carriage return, once for all stages of a progress display', () => {
    expect(lines('Done (3.2s)!\rtype help\r\n')).to.deep.equal(['Done (3.2s)!', 'type help']);
    expect(lines(' 10 % [#   ]\r 20 % [##  ]\r100 % [####]\r\n')).to.deep.equal([' 10 % [#   ]', '100 % [####]']);
    expect(lines('> \r\u001b[Kdone\n> \r\u001b[Kmore\n')).to.deep.equal(['done', 'more']);
  });

  it('passes on every stage of a progress display for the rules of the egg', () => {
    const stages = texts(output('load 1/3\rload 2/3\rload 3/3 ok\rx\n'));
    expect(stages).to.deep.equal(['load 1/3', 'load 2/3', 'load 3/3 ok', 'x']);
  });

  it('makes lines of a screen that is drawn with movements of the cursor', () => {
    const screen =
      '\u001b[?1049h\u001b[H\u001b[2J\u001b[1;5HServer up\u001b[2;1H\u001b(0lqqk\u001b(B\u001b[3;1HPlayers: 0';
    expect(lines(`${screen}\u001b[9;1H`)).to.deep.equal(['Server up', 'Players: 0']);
    expect(lines(`${screen}\u001b[3;1HPlayers: 1${screen}\u001b[9;1H`)).to.deep.equal([
      'Server up',
      'Players: 0',
      'Players: 1',
    ]);
  });

  it('writes out repeated characters, line drawing and spaces, and takes erased characters back', () => {
    expect(lines('a\u001b[3Cb\u001b[2b\n')).to.deep.equal(['a   bbb']);
    expect(lines('\u001b(0lqk\u001b(B ok\n')).to.deep.equal(['┌─┐ ok']);
    expect(lines('helo\blo\u0007\u001b[K\u001b]0;title\u0007\n')).to.deep.equal(['hello']);
    expect(lines('\u001b[1mb\u001b[0m\u001b[?25l\u001b[2K!\n')).to.deep.equal(['\u001b[1mb\u001b[0m!']);
  });

  it('counts positions as beginnings of a line again when a program no longer draws a screen', () => {
    const splitter = new LineSplitter();
    splitter.push(Buffer.from('\u001b[2JWelcome\u001b[Hhello\n'));
    expect(splitter.isAtLineStart).to.equal(false);
    expect(shown(splitter.push(Buffer.from('line\n'.repeat(60))))).to.have.length(60);
    expect(splitter.isAtLineStart).to.equal(true);
  });

  it('keeps colours and joins split characters', () => {
    expect(lines('\u001b[31mrot\u001b[0m ä€😀\n')).to.deep.equal(['\u001b[31mrot\u001b[0m ä€😀']);
  });

  it('emits valid UTF-8 only', () => {
    expect(lines(Buffer.from([0x61, 0xff, 0xfe, 0xc3, 0x0a, 0xed, 0xa0, 0x80, 0x0a]))).to.deep.equal([
      'a\ufffd\ufffd\ufffd',
      '\ufffd\ufffd\ufffd',
    ]);
  });

  it('truncates lines at 8 KiB with a mark and drops the rest', () => {
    const [first, second] = lines(`${'x'.repeat(20_000)}\nnext\n`);
    expect(Buffer.byteLength(first ?? '')).to.equal(maxLineBytes);
    expect(first).to.match(/^x+ … \[cut\]$/);
    expect(second).to.equal('next');
  });

  it('reads long lines whole where asked, up to 1 MiB, with the same numbers', () => {
    const long = `\u001b[2J${'x'.repeat(9_000)}\rtwo\u001b[H${'y'.repeat(9_000)}`;
    const text = `one\n${long}\r\nthree\n${'z'.repeat(maxWholeBytes + 1)}\nfour\n${long}\nfive\n`;
    for (const size of [3, 1_000, text.length]) {
      const [cut, whole] = [new LineSplitter(), new LineSplitter(true)].map((splitter) => {
        const lines: OutputLine[] = [];
        for (let at = 0; at < text.length; at += size)
          lines.push(...splitter.push(Buffer.from(text.slice(at, at + size))));
        return shown(lines);
      });
      expect(whole?.length, `pieces of ${size}`).to.equal(cut?.length);
      whole?.forEach((line, at) => expect(isSameLine(line, cut?.[at] ?? ''), `line ${at}`).to.equal(true));
      const isUnbroken = (line: string) => line.includes('two') && line.endsWith('y');
      expect(whole?.filter(isUnbroken).length, 'rows that end within 8 KiB are lines').to.equal(
        size === text.length ? 0 : 2,
      );
      expect(whole?.filter((line) => line.length >= 9_000).length).to.be.at.least(3);
      const longest = Math.max(...(whole ?? []).map((line) => Buffer.byteLength(line)));
      expect(longest).to.equal(maxWholeBytes);
    }
  });

  it('keeps lines of exactly 8 KiB', () => {
    expect(lines(`${'x'.repeat(maxLineBytes)}\n`)).to.deep.equal(['x'.repeat(maxLineBytes)]);
  });

  it('never cuts inside a character and limits invalid bytes', () => {
    for (const pad of [0, 1, 2, 3]) {
      const [line] = lines(`${'a'.repeat(pad)}${'😀'.repeat(4_000)}\n`);
      expect(line).not.to.include('\ufffd');
      expect(Buffer.byteLength(line ?? '')).to.be.at.most(maxLineBytes);
    }
    const [rubbish] = lines(Buffer.concat([Buffer.alloc(8_000, 0xff), Buffer.from('\n')]));
    expect(Buffer.byteLength(rubbish ?? '')).to.be.at.most(maxLineBytes);
  });

  it('bounds memory when no line ending comes', () => {
    const splitter = new LineSplitter();
    const before = process.memoryUsage().heapUsed + process.memoryUsage().external;
    let emitted = 0;
    const [endless, returning] = [Buffer.alloc(1024 * 1024, 0x78), Buffer.from(`${'y'.repeat(100)}\r`.repeat(10_000))];
    for (let mb = 0; mb < 100; mb++) emitted += splitter.push(endless).length;
    for (let mb = 0; mb < 100; mb++) emitted += splitter.push(returning).length;
    expect(emitted).to.equal(1);
    // Of 200 MiB; garbage that waits for its collection counts.
    expect(process.memoryUsage().heapUsed + process.memoryUsage().external - before).to.be.below(80 * 1024 * 1024);
  });

  it('lets a partial line be seen, and emits it as one line when it ends', () => {
    const splitter = new LineSplitter();
    expect(splitter.push(Buffer.from('name? '))).to.deep.equal([]);
    expect(splitter.peek()).to.deep.equal({ text: 'name? ', isShown: true });
    expect(splitter.isAtLineStart).to.equal(false);
    expect(shown(splitter.push(Buffer.from('bob\nhello\n\n')))).to.deep.equal(['name? bob', 'hello', '']);
    expect(splitter.isAtLineStart).to.equal(true);
    expect(splitter.peek()).to.equal(null);
  });

  it('numbers lines alike wherever a game paused', () => {
    const text = '> \rserver is ready\n> \n 10 %\r 20 %\rend\n\u001b[2JTop\u001b[3;1HPlayers: 0\u001b[9;1Hx\n';
    const whole = shown(new LineSplitter().push(Buffer.from(text)));
    for (let at = 1; at < text.length; at++) {
      const splitter = new LineSplitter();
      const lines = splitter.push(Buffer.from(text.slice(0, at)));
      splitter.peek();
      lines.push(...splitter.push(Buffer.from(text.slice(at))));
      expect(shown(lines), `a pause after ${at} bytes`).to.deep.equal(whole);
    }
  });

  it('shows a prompt without words once', () => {
    const splitter = new LineSplitter();
    splitter.push(Buffer.from('> '));
    expect(splitter.peek()?.isShown).to.equal(true);
    splitter.push(Buffer.from('\rready\n> '));
    expect(splitter.peek()?.isShown).to.equal(false);
  });

  it('holds back a control sequence and a character whose end is still to come', () => {
    const splitter = new LineSplitter();
    splitter.push(Buffer.from('ab\u001b[3'));
    expect(splitter.peek()?.text).to.equal('ab');
    expect(shown(splitter.push(Buffer.from('1mred\n')))).to.deep.equal(['ab\u001b[31mred']);
    const bytes = Buffer.from('a😀');
    splitter.push(bytes.subarray(0, 3));
    expect(splitter.peek()?.text).to.equal('a');
    splitter.push(bytes.subarray(3));
    expect(splitter.end()?.text).to.equal('a😀');
    expect(splitter.peek()).to.equal(null);
  });
});
