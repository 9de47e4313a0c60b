import { expect } from 'chai';
import { LineRing } from '../../src/server/console-session/line-ring.js';
import { createMatcher } from '../../src/console/matcher.js';
import { RowMap } from '../../src/console/row-map.js';

function fill(ring: LineRing, texts: readonly string[]): void {
  for (const text of texts) ring.append(text, ring.next * 1000);
}

const texts = (ring: LineRing, rows: RowMap): string[] =>
  Array.from({ length: rows.count }, (_, index) => ring.rawAt(rows.rowAt(index).line));

const counted = (ring: LineRing, rows: RowMap): string[] =>
  Array.from({ length: rows.count }, (_, index) => {
    const { line } = rows.rowAt(index);
    const count = rows.countAt(line);
    return count > 1 ? `${ring.rawAt(line)} ×${count}` : ring.rawAt(line);
  });

describe('the lines of a console', () => {
  it('keeps the latest lines and forgets the oldest', () => {
    const ring = new LineRing(3);
    fill(ring, ['a', 'b', 'c', 'd']);
    expect([ring.first, ring.next]).to.deep.equal([1, 4]);
    expect([1, 2, 3].map((line) => ring.rawAt(line))).to.deep.equal(['b', 'c', 'd']);
  });

  it('shows equal lines one by one, and as one with a count where that is asked for', () => {
    const ring = new LineRing(10);
    const rows = new RowMap(ring, () => 1);
    fill(ring, ['a', 'b', 'b', 'b', 'a']);
    expect(texts(ring, rows)).to.deep.equal(['a', 'b', 'b', 'b', 'a']);
    rows.configure({ filter: null, columns: 0, isFolded: true });
    expect(counted(ring, rows)).to.deep.equal(['a', 'b ×3', 'a']);
    fill(ring, ['a']);
    ring.append('a', 9, 'notice');
    rows.update();
    expect(counted(ring, rows)).to.deep.equal(['a', 'b ×3', 'a ×2', 'a']);
    rows.configure({ filter: null, columns: 0 });
    expect(rows.count).to.equal(7);
  });

  it('folds lines that are added one at a time, and longer than the ring', () => {
    const ring = new LineRing(3);
    const rows = new RowMap(ring, () => 1);
    rows.configure({ filter: null, columns: 0, isFolded: true });
    for (const text of ['a', 'b', 'b', 'b', 'b', 'b', 'b']) {
      fill(ring, [text]);
      rows.update();
    }
    expect(counted(ring, rows)).to.deep.equal(['b ×3']);
    fill(ring, ['c']);
    rows.update();
    expect(counted(ring, rows).at(-1)).to.equal('c');
  });

  it('folds lines that pass a filter', () => {
    const ring = new LineRing(10);
    const rows = new RowMap(ring, () => 1);
    fill(ring, ['y', 'y', 'x', 'x', 'y', 'x']);
    rows.configure({ filter: (line) => ring.rawAt(line) === 'x', columns: 0, isFolded: true });
    expect(counted(ring, rows)).to.deep.equal(['x ×2', 'x']);
  });

  it('shows what a replaced line says, with its new height and folds', () => {
    const ring = new LineRing(10);
    const rows = new RowMap(ring, (line) => ring.rawAt(line).length);
    fill(ring, ['ab', 'ab', '1', 'end']);
    const replace = (text: string) => {
      const before = ring.replacements;
      expect(ring.replace(2, { text, at: 7, seq: 3 })).to.equal(true);
      rows.rewind(ring.replacedAfter(before));
      rows.update();
    };
    rows.configure({ filter: null, columns: 2 });
    replace('1234');
    expect(texts(ring, rows)).to.deep.equal(['ab', 'ab', '1234', '1234', 'end', 'end']);
    rows.configure({ filter: null, columns: 0, isFolded: true });
    replace('ab');
    expect(counted(ring, rows)).to.deep.equal(['ab ×3', 'end']);
    replace('12');
    expect(counted(ring, rows)).to.deep.equal(['ab ×2', '12', 'end']);
    rows.configure({ filter: (line) => ring.rawAt(line).startsWith('1'), columns: 0 });
    replace('no');
    expect(texts(ring, rows)).to.deep.equal([]);
    expect([ring.timeAt(2), ring.seqAt(2)]).to.deep.equal([7, 3]);
  });

  it('replaces no line that it has forgotten or not got', () => {
    const ring = new LineRing(2);
    fill(ring, ['a', 'b', 'c']);
    for (const line of [0, 3, -1]) expect(ring.replace(line, { text: 'x', at: 0, seq: 0 }), `${line}`).to.equal(false);
    expect([1, 2].map((line) => ring.rawAt(line))).to.deep.equal(['b', 'c']);
  });

  it('finds the first of many lines that were replaced since', () => {
    const ring = new LineRing(10);
    fill(ring, ['a', 'b', 'c', 'd']);
    for (const line of [3, 1, 2]) ring.replace(line, { text: 'x', at: 0, seq: 0 });
    expect([0, 1, 2, 3].map((count) => ring.replacedAfter(count))).to.deep.equal([1, 1, 2, 4]);
  });

  it('takes older lines as far as there is room, and forgets them first', () => {
    const ring = new LineRing(4);
    const rows = new RowMap(ring, () => 1);
    fill(ring, ['c', 'd']);
    ring.prepend([
      { text: 'x', at: -3, seq: 1 },
      { text: 'a', at: -2, seq: 2 },
      { text: 'b', at: -1, seq: 3 },
    ]);
    rows.rebuild();
    expect(texts(ring, rows)).to.deep.equal(['a', 'b', 'c', 'd']);
    expect([ring.lineAt(-1), ring.seqAt(-1)]).to.deep.equal([-1, 3]);
    ring.append('e', 9);
    expect(rows.update()).to.equal(1);
    expect(texts(ring, rows)).to.deep.equal(['b', 'c', 'd', 'e']);
  });

  it('shows lines around those that pass a filter, each once', () => {
    const ring = new LineRing(20);
    const rows = new RowMap(ring, () => 1);
    fill(ring, ['1', '2', 'x3', '4', 'x5', '6', '7', '8']);
    rows.configure({ filter: (line) => ring.rawAt(line).startsWith('x'), columns: 0, context: 1 });
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
    rows.configure({ filter: (line) => ring.rawAt(line).startsWith('x'), columns: 0 });
    expect(texts(ring, rows)).to.deep.equal(['x1', 'x2']);
    fill(ring, ['x3', 'y']);
    expect(rows.update()).to.equal(1);
    expect(texts(ring, rows)).to.deep.equal(['x2', 'x3']);
  });

  it('wraps a long line into rows and finds each of them', () => {
    const ring = new LineRing(10);
    fill(ring, ['short', 'a line that is longer', 'end']);
    const rows = new RowMap(ring, (line) => ring.rawAt(line).length);
    rows.configure({ filter: null, columns: 10 });
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
