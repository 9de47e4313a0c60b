import { createLogger } from '@panel/kit/process';
import { quickestMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { OutputReader } from '../../src/console/output-reader.js';
import type { OutputChunk, Runtime } from '@panel/runtime';

const log = createLogger({ service: 'test', level: 'silent' });
const linesInChunk = 1_000;

/** Reads an ended run of these lines; returns the console's events. */
async function readWhole(
  count: number,
  textOf: (line: number) => string,
  { areBehind = () => false, lineMs = 0 }: { areBehind?: () => boolean; lineMs?: number } = {},
) {
  const received = { shown: new Map<number, string>(), hidden: 0, dropped: 0, notices: 0, sawDone: false };
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
      onPartial: () => undefined,
      onRedrawn: () => undefined,
      onLine: ({ sequence, text }) => {
        if (sequence <= last) throw new Error(`${sequence} after ${last}`);
        last = sequence;
        received.shown.set(sequence, text);
      },
      onHidden: (text) => {
        const until = performance.now() + lineMs;
        while (performance.now() < until);
        received.hidden += 1;
        received.sawDone ||= text === 'done';
      },
      areReadersBehind: areBehind,
      onDropped: (lines) => {
        received.notices += 1;
        received.dropped += lines;
      },
      onGap: () => undefined,
      onAnchor: () => undefined,
    },
    log,
  );
  await reader.finished;
  return received;
}

interface Step extends OutputChunk {
  /** Required output before this chunk. */
  readonly after: string;
}

function chunk(text: string, after = '', isPreview = false): Step {
  return { data: Buffer.from(text), at: new Date(), cursor: '1', after, ...(isPreview ? { isPreview } : {}) };
}

/** Reads an open run with pauses within lines. */
function readPrompts(steps: readonly Step[]) {
  const events: string[] = [];
  const wake: (() => void)[] = [];
  const waitFor = async (event: string) => {
    while (!events.includes(event)) await new Promise<void>((resolve) => wake.push(resolve));
  };
  const seen = async (event: string) => {
    await waitFor(event);
    reader.stop();
  };
  const tell = (event: string) => {
    events.push(event);
    for (const resolve of wake.splice(0)) resolve();
  };
  async function* readOutput(_: string, { signal }: { signal: AbortSignal }): AsyncGenerator<OutputChunk> {
    for (const { after, ...step } of steps) {
      // Timers run between chunks.
      await new Promise(setImmediate);
      if (after !== '') await waitFor(after);
      yield step;
    }
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
  const runtime = { readOutput } as unknown as Runtime;
  const unused = () => undefined;
  const reader = new OutputReader(
    { serverId: 's', generation: 1, runtime, cursor: null, sequence: 0 },
    {
      onLine: ({ sequence, text, rest }) => tell(`${sequence} ${text}|${rest}`),
      onPartial: (text) => tell(`partial ${text}`),
      onRedrawn: (text) => tell(`redrawn ${text}`),
      onHidden: unused,
      onDropped: unused,
      onGap: unused,
      onAnchor: unused,
      areReadersBehind: () => false,
    },
    log,
  );
  return { seen, events };
}

describe('console output reader', function () {
  this.timeout(180_000);

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

  it('shows the whole end of a flood also where it is read little faster than it may be shown', async () => {
    const count = 320_000;
    const { shown, dropped } = await readWhole(count, (line) => `line ${line}`, { lineMs: 0.04 });
    expect(shown.size + dropped).to.equal(count);
    for (let line = count - 49; line <= count; line += 1) expect(shown.get(line)).to.equal(`line ${line}`);
  });

  it('shows a prompt without a line feed within 300 ms', async () => {
    const show = async () => readPrompts([chunk('Do you agree? [y/N] ')]).seen('partial Do you agree? [y/N] ');
    expect(await quickestMs(show)).to.be.lessThan(300);
  });

  it('shows the rest of a line that paused, and numbers it as if it had not', async () => {
    const { seen, events } = readPrompts([
      chunk('hello\nPassword: '),
      chunk('secret\n', 'partial Password: '),
      chunk('> '),
      chunk('\nbye\n', 'partial > '),
    ]);
    await seen('4 bye|bye');
    expect(events).to.deep.equal([
      '1 hello|hello',
      'partial Password: ',
      '2 Password: secret|secret',
      'partial > ',
      '3 > |',
      '4 bye|bye',
    ]);
  });

  it('shows what the engine lets be seen before its log has the line, and nothing of it twice', async () => {
    const { seen, events } = readPrompts([
      chunk('Load', '', true),
      chunk('Loading\rname', '', true),
      chunk('Loading\rname: ', '', true),
      chunk('Loading\rname: bob\r\nother\r\n'),
      chunk('odd', '', true),
      chunk('even\n'),
    ]);
    await seen('4 even|even');
    expect(events).to.deep.equal([
      'partial Load',
      'partial ing',
      'partial name',
      'partial : ',
      '1 Loading|',
      '2 name: bob|bob',
      '3 other|other',
      'partial odd',
      '4 even|even',
    ]);
  });

  it('shows the states of a line that is redrawn, and numbers its lines as if it had not', async () => {
    const { seen, events } = readPrompts([
      chunk('hello\nget 1 %\rget 2 %'),
      chunk('\rget 50 %', 'redrawn get 2 %'),
      chunk('\r\u001b[Kget 100 %\r\n', 'redrawn get 50 %'),
      chunk('[#  ]\r[## ]'),
      chunk('\r[###]\nbye\n', 'redrawn [## ]'),
    ]);
    await seen('5 bye|bye');
    expect(events).to.deep.equal([
      '1 hello|hello',
      '2 get 1 %|get 1 %',
      'redrawn get 2 %',
      'redrawn get 50 %',
      '3 get 100 %|get 100 %',
      'redrawn [## ]',
      '4 [###]|[###]',
      '5 bye|bye',
    ]);
  });

  it('shows the states that the engine lets be seen', async () => {
    const { seen, events } = readPrompts([
      chunk('get 1 %\rget 2 %', '', true),
      chunk('get 1 %\rget 2 %\rget 3 %', 'redrawn get 2 %', true),
      chunk('get 1 %\rget 2 %\rget 3 %\rgot 4\r\n', 'redrawn get 3 %'),
    ]);
    await seen('2 got 4|got 4');
    expect(events).to.deep.equal([
      'partial get 1 %',
      'redrawn get 2 %',
      'redrawn get 3 %',
      '1 get 1 %|',
      '2 got 4|got 4',
    ]);
  });

  it('shows the last of many states, and few of the others', async () => {
    const begun = performance.now();
    const { seen, events } = readPrompts(Array.from({ length: 5_000 }, (_, at) => chunk(`\rget ${at} %`)));
    await seen('redrawn get 4999 %');
    const most = 2 + (performance.now() - begun) / 250;
    expect(events.filter((event) => event.startsWith('redrawn')).length).to.be.at.most(most);
  });

  it('shows no state of a line that ends at once', async () => {
    const { seen, events } = readPrompts([
      chunk('> \r\u001b[Kdo'),
      chunk('ne\n'),
      chunk('> '),
      chunk('end\n', 'partial > '),
    ]);
    await seen('2 > end|end');
    expect(events).to.deep.equal(['1 done|done', 'partial > ', '2 > end|end']);
  });

  it('waits for slow readers', async () => {
    let asked = 0;
    const { shown, dropped } = await readWhole(10_000, String, { areBehind: () => ++asked % 5 !== 0 });
    expect([shown.size, dropped]).to.deep.equal([10_000, 0]);
    expect(asked).to.be.greaterThan(50);
  });
});
