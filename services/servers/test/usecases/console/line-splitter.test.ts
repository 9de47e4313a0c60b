import { expect } from 'chai';
import { LineSplitter, maxLineBytes } from '../../../src/usecases/console/line-splitter.js';

/** Lines of some output, whole and cut into pieces of every size: the result must be the same. */
function lines(text: string | Buffer): string[] {
  const bytes = Buffer.from(text);
  const whole = new LineSplitter().push(bytes);
  for (const size of [1, 2, 3, 7]) {
    const splitter = new LineSplitter();
    const cut: string[] = [];
    for (let at = 0; at < bytes.length; at += size) cut.push(...splitter.push(bytes.subarray(at, at + size)));
    expect(cut, `pieces of ${size}`).to.deep.equal(whole);
  }
  return whole;
}

describe('line splitter', () => {
  it('ends lines at LF and CR LF', () => {
    expect(lines('a\nb\r\n\nc\r\r\nrest')).to.deep.equal(['a', 'b', '', 'c']);
  });

  it('overwrites text after a carriage return as a terminal does', () => {
    expect(lines(' 10 %\r 20 %\r100 %\r\n')).to.deep.equal(['100 %']);
    expect(lines('> \r\u001b[Kdone\n')).to.deep.equal(['\u001b[Kdone']);
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
    for (let mb = 0; mb < 100; mb++) emitted += splitter.push(Buffer.alloc(1024 * 1024, 0x78)).length;
    for (let mb = 0; mb < 100; mb++) emitted += splitter.push(Buffer.from(`${'y'.repeat(100)}\r`.repeat(100))).length;
    expect(emitted).to.equal(1);
    expect(process.memoryUsage().heapUsed + process.memoryUsage().external - before).to.be.below(20 * 1024 * 1024);
  });

  it('emits a partial line after a pause, without an empty line after it', () => {
    const splitter = new LineSplitter();
    expect(splitter.push(Buffer.from('name? '))).to.deep.equal([]);
    expect(splitter.isAtLineStart).to.equal(false);
    expect(splitter.flush()).to.equal('name? ');
    expect(splitter.flush()).to.equal(null);
    expect(splitter.push(Buffer.from('\nhello\n\n'))).to.deep.equal(['hello', '']);
    expect(splitter.isAtLineStart).to.equal(true);
  });

  it('waits for the rest of a split character before it emits a partial line', () => {
    const splitter = new LineSplitter();
    const bytes = Buffer.from('a😀');
    splitter.push(bytes.subarray(0, 3));
    expect(splitter.flush()).to.equal('a');
    splitter.push(bytes.subarray(3));
    expect(splitter.flush()).to.equal('😀');
  });
});
