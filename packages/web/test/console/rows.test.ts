import { expect } from 'chai';
import { LineRing } from '../../src/server/console-session/line-ring.js';
import { createMatcher } from '../../src/console/matcher.js';
import { RowMap } from '../../src/console/row-map.js';

function fill(ring: LineRing, texts: readonly string[]): void {
  for (const text of texts) ring.append(text, ring.next * 1000);
}

const texts = (ring: LineRing, rows: RowMap): string[] =>
  Array.from({ length: rows.count }, (_, index) => ring.rawAt(rows.rowAt(index).line));

describe('the lines of a console', () => {
  it('keeps the latest lines and forgets the oldest', () => {
    const ring = new LineRing(3);
    fill(ring, ['a', 'b', 'c', 'd']);
    expect([ring.first, ring.next]).to.deep.equal([1, 4]);
    expect([1, 2, 3].map((line) => ring.rawAt(line))).to.deep.equal(['b', 'c', 'd']);
  });

  it('holds a line that is repeated at once one time, with a count', () => {
    const ring = new LineRing(3);
    fill(ring, ['a', 'b', 'b', 'b', 'a']);
    expect([ring.first, ring.next]).to.deep.equal([0, 3]);
    expect([0, 1, 2].map((line) => ring.countAt(line))).to.deep.equal([1, 3, 1]);
    ring.append('a', 9, 'notice');
    expect([ring.next, ring.countAt(3)]).to.deep.equal([4, 1]);
  });

  it('takes older lines as far as there is room, and forgets them first', () => {
    const ring = new LineRing(4);
    const rows = new RowMap(ring, () => 1);
    fill(ring, ['c', 'd']);
    ring.prepend([
      { text: 'x', at: -3 },
      { text: 'a', at: -2 },
      { text: 'b', at: -1 },
      { text: 'b', at: 0 },
    ]);
    rows.rebuild();
    expect(texts(ring, rows)).to.deep.equal(['a', 'b', 'c', 'd']);
    expect([ring.lineAt(-1), ring.countAt(-1)]).to.deep.equal([-1, 2]);
    ring.append('e', 9);
    expect(rows.update()).to.equal(1);
    expect(texts(ring, rows)).to.deep.equal(['b', 'c', 'd', 'e']);
  });

  it('shows lines around those that pass a filter, each once', () => {
    const ring = new LineRing(20);
    const rows = new RowMap(ring, () => 1);
    fill(ring, ['1', '2', 'x3', '4', 'x5', '6', '7', '8']);
    rows.configure((line) => ring.rawAt(line).startsWith('x'), 0, 1);
    expect(texts(ring, rows)).to.deep.equal(['2', 'x3', '4', 'x5', '6']);
    fill(ring, ['x9', '10', '11']);
    rows.update();
    expect(texts(ring, rows)).to.deep.equal(['2', 'x3', '4', 'x5', '6', '8', 'x9', '10']);
  });

  it('finds the first line of a time', () => {
    const ring = new LineRing(100);
    fill(ring, ['a', 'b', 'c']);
    expect([ring.lineAt(0), ring.lineAt(1), ring.lineAt(1000), ring.lineAt(9000)]).to.deep.equal([0, 1, 1, 3]);
  });

  it('shows every line as a row while nothing is filtered or wrapped', () => {
    const ring = new LineRing(3);
    const rows = new RowMap(ring, () => 1);
    fill(ring, ['a', 'b', 'c', 'd']);
    expect(rows.update()).to.equal(1);
    expect(texts(ring, rows)).to.deep.equal(['b', 'c', 'd']);
    expect(rows.indexOf(2)).to.equal(1);
  });

  it('shows lines that pass a filter, also new ones, and drops those the ring forgets', () => {
    const ring = new LineRing(4);
    const rows = new RowMap(ring, () => 1);
    fill(ring, ['x1', 'y', 'x2']);
    rows.configure((line) => ring.rawAt(line).startsWith('x'), 0);
    expect(texts(ring, rows)).to.deep.equal(['x1', 'x2']);
    fill(ring, ['x3', 'y']);
    expect(rows.update()).to.equal(1);
    expect(texts(ring, rows)).to.deep.equal(['x2', 'x3']);
  });

  it('wraps a long line into rows and finds each of them', () => {
    const ring = new LineRing(10);
    fill(ring, ['short', 'a line that is longer', 'end']);
    const rows = new RowMap(ring, (line) => ring.rawAt(line).length);
    rows.configure(null, 10);
    expect(rows.count).to.equal(5);
    expect([0, 1, 2, 3, 4].map((index) => rows.rowAt(index))).to.deep.equal([
      { line: 0, part: 0 },
      { line: 1, part: 0 },
      { line: 1, part: 1 },
      { line: 1, part: 2 },
      { line: 2, part: 0 },
    ]);
    expect(rows.indexOf(2)).to.equal(4);
  });

  it('searches 100,000 lines within 100 milliseconds of processor time', () => {
    const ring = new LineRing(100_000);
    for (let line = 0; line < 100_000; line++) ring.append(`[12:00:00 INFO]: Player${line} joined the game`, line);
    const matcher = createMatcher('player99999 joined');
    const search = (): number => {
      const before = process.cpuUsage().user;
      let found = 0;
      for (let line = ring.first; line < ring.next; line++) if (matcher?.test(ring.rawAt(line))) found += 1;
      expect(found).to.equal(1);
      return (process.cpuUsage().user - before) / 1000;
    };
    // The best of three excludes compilation.
    expect(Math.min(search(), search(), search())).to.be.lessThan(100);
  });
});

describe('a search in the console', () => {
  const finds = (search: string, line: string) => createMatcher(search)?.test(line);

  it('finds text whatever its case', () => {
    expect(finds('JOINED', 'a joined')).to.equal(true);
    expect(createMatcher('  ')).to.equal(null);
  });

  it('finds expressions between slashes, and text while the expression is incomplete', () => {
    expect(finds('/join(ed|s)/', 'she joins')).to.equal(true);
    expect(finds('/join(/', 'she /join(/ x')).to.equal(true);
  });

  it('finds lines by their level', () => {
    expect(finds('level:error', '[SEVERE] broken')).to.equal(true);
    expect(finds('level:error', '[INFO] fine')).to.equal(false);
  });
});
