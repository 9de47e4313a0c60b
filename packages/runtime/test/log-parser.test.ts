import { expect } from 'chai';
import { LogParser, LogStreamError, parseStamp, type LogEntry } from '../src/docker/log-parser.js';

const stamp = (second: number, nanos = 0) =>
  `2026-11-21T10:00:${String(second).padStart(2, '0')}.${String(nanos).padStart(9, '0')}Z `;
const part = 16 * 1024;

function parse(stream: string, chunkLength: number): { entries: LogEntry[]; texts: string[] } {
  const parser = new LogParser();
  const bytes = Buffer.from(stream, 'latin1');
  const entries: LogEntry[] = [];
  for (let at = 0; at < bytes.length; at += chunkLength)
    entries.push(...parser.push(bytes.subarray(at, at + chunkLength)));
  const last = parser.end();
  if (last) entries.push(last);
  return { entries, texts: entries.map((entry) => entry.data.toString('latin1')) };
}

describe('engine log parser', () => {
  for (const chunkLength of [1, 7, 31, 4096, 1_000_000]) {
    describe(`with ${chunkLength} bytes at a time`, () => {
      it('removes the timestamp of every line', () => {
        const { entries, texts } = parse(`${stamp(1, 5)}one\r\n${stamp(1, 6)}\r\n${stamp(2)}three\n`, chunkLength);
        expect(texts).to.deep.equal(['one\r\n', '\r\n', 'three\n']);
        expect(entries.map((entry) => entry.time % 1_000_000_000n)).to.deep.equal([5n, 6n, 0n]);
      });

      it('keeps a timestamp that the game printed', () => {
        const { texts } = parse(`${stamp(1)}${stamp(9)}hello\n${stamp(2)}x ${stamp(9)}\n`, chunkLength);
        expect(texts).to.deep.equal([`${stamp(9)}hello\n`, `x ${stamp(9)}\n`]);
      });

      it('joins the parts of a split line', () => {
        const line = 'a'.repeat(part) + 'b'.repeat(part) + 'c'.repeat(10);
        const stream = `${stamp(1)}${'a'.repeat(part)}${stamp(1)}${'b'.repeat(part)}${stamp(1)}${'c'.repeat(10)}\n${stamp(2)}d\n`;
        expect(parse(stream, chunkLength).texts.join('')).to.equal(`${line}\nd\n`);
      });

      it('restores the newline that engines before 23 omit after a split line', () => {
        const stream = `${stamp(1)}${'a'.repeat(part)}${stamp(1)}${'b'.repeat(part)}${stamp(1)}tail\r${stamp(2)}next\r\n`;
        const { texts } = parse(stream, chunkLength);
        expect(texts.slice(2)).to.deep.equal(['tail\r\n', 'next\r\n']);
        const atEnd = parse(`${stamp(1)}${'a'.repeat(part)}${stamp(1)}tail\r`, chunkLength);
        expect(atEnd.texts[1]).to.equal('tail\r\n');
      });

      it('emits a last line without a newline', () => {
        expect(parse(`${stamp(1)}one\n${stamp(2)}> `, chunkLength).texts).to.deep.equal(['one\n', '> ']);
      });

      it('joins lines split at other lengths', () => {
        const long = 'x'.repeat(part * 3);
        expect(parse(`${stamp(1)}${long}\n${stamp(2)}y\n`, chunkLength).texts.join('')).to.equal(`${long}\ny\n`);
      });
    });
  }

  it('does not parse an engine error as output', () => {
    expect(() => parse(`${stamp(1)}one\nError grabbing logs: unexpected EOF in the middle\n`, 100)).to.throw(
      LogStreamError,
    );
  });

  it('parses timestamps to the nanosecond in any zone', () => {
    expect(parseStamp('2026-11-21T10:00:00.123456789Z')).to.equal(1_795_255_200_123_456_789n);
    expect(parseStamp('2026-11-21T12:00:00.123456789+02:00')).to.equal(1_795_255_200_123_456_789n);
    expect(parseStamp('2026-11-21T10:00:00.5Z')).to.equal(1_795_255_200_500_000_000n);
    for (const text of ['', 'now', '2026-11-21', '2026-13-41T10:00:00Z', '2026-11-21T10:00:00']) {
      expect(parseStamp(text)).to.equal(null);
    }
  });
});
