import { createLogger } from '@panel/kit';
import { reasonOf } from '@panel/kit/testing';
import { expect } from 'chai';
import { sweepEach } from '../../src/usecases/sweep-each.js';

describe('a sweep', () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  const items = ['a', 'failing', 'c'].map((id) => ({ id }));

  it('goes on after an item that fails', async () => {
    const swept: string[] = [];
    await sweepEach(items, { log, signal: new AbortController().signal }, async ({ id }) => {
      if (id === 'failing') throw new Error('its directory cannot be read');
      swept.push(id);
    });
    expect(swept).to.deep.equal(['a', 'c']);
  });

  it('ends when the process stops', async () => {
    const stopping = new AbortController();
    const swept: string[] = [];
    const sweep = sweepEach(items, { log, signal: stopping.signal }, async ({ id }) => {
      swept.push(id);
      stopping.abort(new Error('stopping'));
    });
    expect(await reasonOf(sweep)).to.equal('stopping');
    expect(swept).to.deep.equal(['a']);
  });
});
