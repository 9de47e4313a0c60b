import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { retainedFiles, LineBuffer, OutputLog } from '../src/process/output-log.js';
import { readOutputLog } from '../src/process/output-reader.js';

describe('output log of the process runtime', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'panel-log-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const readAll = async (after?: string) => {
    const texts: string[] = [];
    const cursors: string[] = [];
    const gaps: number[] = [];
    const options = { after, signal: new AbortController().signal, hasEnded: () => true };
    for await (const { data, cursor, isAfterGap } of readOutputLog(directory, 'run', options)) {
      if (isAfterGap) gaps.push(texts.length);
      texts.push(data.toString());
      cursors.push(cursor);
    }
    return { texts, cursors, gaps };
  };

  it('returns everything after a cursor over several files', async () => {
    const log = new OutputLog(directory, 100);
    for (let i = 0; i < 5; i += 1) log.append(Buffer.from(`line ${i}\n`), 1_700_000_000_000 + i);
    const { texts, cursors } = await readAll();
    expect(texts).to.deep.equal(['line 0\n', 'line 1\n', 'line 2\n', 'line 3\n', 'line 4\n']);
    for (const [i, cursor] of cursors.entries())
      expect(await readAll(cursor)).to.deep.include({ texts: texts.slice(i + 1), gaps: [] });
  });

  it('starts at the oldest kept record for an older cursor', async () => {
    const log = new OutputLog(directory, 100);
    log.append(Buffer.from('old\n'), 1_700_000_000_000);
    const { cursors } = await readAll();
    for (let i = 0; i < 100; i += 1) log.append(Buffer.from(`line ${i}\n`), 1_700_000_000_000 + i);
    expect(retainedFiles(directory).length).to.equal(2);
    const { texts, gaps } = await readAll(cursors[0]);
    expect(gaps).to.deep.equal([0]);
    expect(texts.at(-1)).to.equal('line 99\n');
    expect(texts).to.deep.equal(Array.from({ length: texts.length }, (_, i) => `line ${100 - texts.length + i}\n`));
  });

  it('follows a fast writer without losing kept records', async () => {
    const log = new OutputLog(directory, 1_000_000);
    let ended = false;
    const seen: number[] = [];
    const reading = (async () => {
      const options = { signal: new AbortController().signal, hasEnded: () => ended };
      for await (const { data } of readOutputLog(directory, 'run', options)) seen.push(Number(data.toString()));
    })();
    for (let i = 0; i < 20_000; i += 1) {
      log.append(Buffer.from(String(i)), 1_700_000_000_000);
      if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    ended = true;
    await reading;
    expect(seen).to.deep.equal(Array.from({ length: 20_000 }, (_, i) => i));
  });

  it('splits a stream into lines and bounds unterminated ones', () => {
    const out: string[] = [];
    const lines = new LineBuffer((data) => out.push(data.toString()), 60_000, 10);
    for (const text of ['a', 'b\nc', 'd\ne', '0123456789ab', 'x\n', 'rest']) lines.push(Buffer.from(text));
    lines.flush();
    expect(out).to.deep.equal(['ab\n', 'cd\n', 'e0123456789ab', 'x\n', 'rest']);
  });
});
