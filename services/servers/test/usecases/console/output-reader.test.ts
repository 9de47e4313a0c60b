import { createLogger } from '@panel/kit';
import { expect } from 'chai';
import { OutputReader } from '../../../src/usecases/console/output-reader.js';
import type { OutputChunk, Runtime } from '@panel/runtime';

const log = createLogger({ service: 'test', level: 'silent' });
const linesInChunk = 1_000;

/** Read a run that writes these lines at once and ends; what a console would be told of it. */
async function readWhole(count: number, textOf: (line: number) => string, areBehind = () => false) {
  const told = { shown: new Map<number, string>(), hidden: 0, dropped: 0, notices: 0, sawDone: false };
  let last = 0;
  async function* readOutput(): AsyncGenerator<OutputChunk> {
    for (let first = 1; first <= count; first += linesInChunk) {
      const lines = Array.from(
        { length: Math.min(linesInChunk, count - first + 1) },
        (_, at) => `${textOf(first + at)}\n`,
      );
      yield { data: Buffer.from(lines.join('')), at: new Date(), cursor: String(first) };
    }
  }
  const run = {
    serverId: 's',
    generation: 1,
    runtime: { readOutput } as unknown as Runtime,
    cursor: null,
    sequence: 0,
  };
  const reader = new OutputReader(
    run,
    {
      onLine: (sequence, text) => {
        if (sequence <= last) throw new Error(`${sequence} after ${last}`);
        last = sequence;
        told.shown.set(sequence, text);
      },
      onHidden: (text) => {
        told.hidden += 1;
        told.sawDone ||= text === 'done';
      },
      areReadersBehind: areBehind,
      onDropped: (lines) => {
        told.notices += 1;
        told.dropped += lines;
      },
      onGap: () => undefined,
      onAnchor: () => undefined,
    },
    log,
  );
  await reader.finished;
  return told;
}

describe('console output reader', function () {
  this.timeout(60_000);

  it('shows every line of a burst once', async () => {
    const { shown, dropped } = await readWhole(50_000, (line) => `line ${line}`);
    expect([shown.size, dropped]).to.deep.equal([50_000, 0]);
    expect(shown.get(49_999)).to.equal('line 49999');
  });

  it('drops and counts the middle of a flood, still parses it, and shows its end', async () => {
    const count = 500_000;
    const textOf = (line: number) => (Math.floor(line / 10_000) === 42 ? 'done' : `line ${line}`);
    const { shown, dropped, notices, sawDone } = await readWhole(count, textOf);
    expect(sawDone, 'lines that may say that the game is ready').to.equal(true);
    expect(dropped).to.be.greaterThan(0);
    expect(shown.size + dropped).to.equal(count);
    expect(notices).to.be.within(1, 30);
    for (let line = count - 49; line <= count; line += 1) expect(shown.get(line)).to.equal(`line ${line}`);
  });

  it('shows a prompt without a line feed within 300 ms', async () => {
    const begun = performance.now();
    const end = new AbortController();
    async function* readOutput(): AsyncGenerator<OutputChunk> {
      yield { data: Buffer.from('Do you agree? [y/N] '), at: new Date(), cursor: '1' };
      await new Promise((resolve) => end.signal.addEventListener('abort', resolve));
    }
    const runtime = { readOutput } as unknown as Runtime;
    const text = await new Promise<string>((resolve) => {
      const unused = () => undefined;
      const listener = { onHidden: unused, onDropped: unused, onGap: unused, onAnchor: unused };
      const run = { serverId: 's', generation: 1, runtime, cursor: null, sequence: 0 };
      const onLine = (_sequence: number, line: string) => resolve(line);
      const reader = new OutputReader(run, { ...listener, onLine, areReadersBehind: () => false }, log);
      void reader.finished;
    });
    end.abort();
    expect(text).to.equal('Do you agree? [y/N] ');
    expect(performance.now() - begun).to.be.lessThan(300);
  });

  it('waits for slow readers', async () => {
    let asked = 0;
    const { shown, dropped } = await readWhole(10_000, String, () => ++asked % 5 !== 0);
    expect([shown.size, dropped]).to.deep.equal([10_000, 0]);
    expect(asked).to.be.greaterThan(50);
  });
});
