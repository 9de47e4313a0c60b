import { expect } from 'chai';
import { batchSteps } from '../../src/transfers/batch-steps.js';
import type { Step } from '../../src/transfers/export-steps.js';

const start: Step = { $case: 'start', value: { entries: 1, bytes: 1, diskBytes: 1 } };
const chunk = (bytes: number): Step => ({ $case: 'chunk', value: Buffer.alloc(bytes) });

async function sizesOf(steps: Step[], msPerStep = 0): Promise<string[][]> {
  let time = 0;
  async function* source() {
    for (const step of steps) {
      time += msPerStep;
      yield step;
    }
  }
  const messages: string[][] = [];
  for await (const { parts } of batchSteps(source(), { keepAliveMs: 1_000, now: () => time })) {
    messages.push(parts.map(({ part }) => part?.$case ?? 'none'));
  }
  return messages;
}

describe('export messages', () => {
  it('combines small parts and sends the head alone', async () => {
    const small = Array.from({ length: 5 }, () => chunk(1_000));
    expect(await sizesOf([start, ...small])).to.deep.equal([['start'], Array.from({ length: 5 }, () => 'chunk')]);
  });

  it('keeps export messages within the message size', async () => {
    const large = chunk(64 * 1024);
    expect(await sizesOf([large, large, chunk(1), large])).to.deep.equal([['chunk'], ['chunk'], ['chunk'], ['chunk']]);
  });

  it('sends keep-alives while there is no data to export', async () => {
    const nothing = Array.from({ length: 25 }, () => null);
    expect(await sizesOf(nothing, 100)).to.deep.equal([[], []]);
  });

  it('flushes export messages without delay after a pause', async () => {
    expect(await sizesOf([chunk(1), chunk(1), chunk(1)], 600)).to.deep.equal([['chunk', 'chunk'], ['chunk']]);
  });
});
