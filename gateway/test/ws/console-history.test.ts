import type { ConsoleLine } from '@panel/protos/servers';
import { expect } from 'chai';
import { ConsoleHistory } from '../../src/ws/console-history.js';

const line = (sequence: number, text: string, ms: number): ConsoleLine => ({ sequence, text, time: new Date(ms) });

describe('console history', () => {
  /** Returns the texts that pass. */
  const feed = (history: ConsoleHistory, lines: ConsoleLine[]) =>
    lines
      .filter((each) => {
        if (history.hasSeen(each)) return false;
        history.add(each, Buffer.from(each.text));
        return true;
      })
      .map(({ text }) => text);

  it('keeps the last lines', () => {
    const history = new ConsoleHistory(2);
    feed(history, [line(1, 'a', 1), line(2, 'b', 1), line(3, 'c', 1)]);
    expect(history.frames().map(String)).to.deep.equal(['b', 'c']);
  });

  it('returns the lines after a number that is no longer kept or was never shown', () => {
    const history = new ConsoleHistory(2);
    feed(history, [line(3, 'c', 1), line(0, 'notice', 2), line(7, 'd', 3), line(8, 'e', 3)]);
    expect(history.frames(1).map(String)).to.deep.equal(['c', 'notice', 'd', 'e']);
    expect(history.frames(5).map(String)).to.deep.equal(['notice', 'd', 'e']);
    expect(history.frames(8)).to.deep.equal([]);
    expect(history.frames(9).map(String)).to.deep.equal(['d', 'e']);
  });

  it('keeps at most 1,000 lines and half a mebibyte', () => {
    const many = new ConsoleHistory(10);
    feed(
      many,
      Array.from({ length: 1_500 }, (_, at) => line(at + 1, 'x', 1)),
    );
    expect(many.frames(1)).to.have.length(1_000);
    const large = new ConsoleHistory(1_000);
    feed(
      large,
      Array.from({ length: 200 }, (_, at) => line(at + 1, 'x'.repeat(8_000), 1)),
    );
    expect(large.frames().length).to.be.within(60, 66);
  });

  it('skips lines that come again with their old number', () => {
    const history = new ConsoleHistory(10);
    feed(history, [line(1, 'a', 5), line(2, 'b', 5)]);
    expect(feed(history, [line(1, 'a', 5), line(2, 'b', 5), line(3, 'b', 5), line(4, 'c', 6)])).to.deep.equal([
      'b',
      'c',
    ]);
  });

  it('treats a lower number with a later time as a new numbering', () => {
    const history = new ConsoleHistory(10);
    feed(history, [line(100, 'a', 5)]);
    expect(feed(history, [line(1, 'b', 6), line(2, 'c', 6)])).to.deep.equal(['b', 'c']);
  });

  it('keeps the last state of a line that is redrawn until the next line of the game', () => {
    const history = new ConsoleHistory(2);
    const redrawn = (text: string, ms: number) => ({ ...line(0, text, ms), isRedrawn: true });
    const sent = feed(history, [
      line(1, 'a', 1),
      redrawn('1 %', 2),
      redrawn('2 %', 3),
      redrawn('2 %', 3),
      line(0, 'notice', 4),
    ]);
    expect(sent).to.deep.equal(['a', '1 %', '2 %', 'notice']);
    expect(history.frames().map(String)).to.deep.equal(['a', 'notice', '2 %']);
    expect(history.frames(1).map(String)).to.deep.equal(['notice', '2 %']);
    feed(history, [line(2, 'b', 5)]);
    expect(history.frames(1).map(String)).to.deep.equal(['notice', 'b']);
    feed(history, [redrawn('3 %', 6), { ...line(0, 'sure? ', 7), isPartial: true }]);
    expect(history.frames(2).map(String)).to.deep.equal(['sure? ']);
  });

  it('recognises unnumbered lines of the panel by time and text', () => {
    const history = new ConsoleHistory(10);
    const notice = line(0, '[Panel] slow down', 7);
    expect(feed(history, [line(1, 'a', 9), notice, notice, line(0, '[Panel] slow down', 8)])).to.have.length(3);
  });
});
