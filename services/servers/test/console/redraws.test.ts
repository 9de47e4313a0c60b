import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { Redraws } from '../../src/console/redraws.js';

describe('a line that is redrawn', () => {
  it('shows at most four states a second, and the last one', async () => {
    const begun = performance.now();
    const shown: string[] = [];
    const redraws = new Redraws((text) => shown.push(text));
    let last = '';
    await waitUntil('a second of states', () => {
      redraws.update((last = `state ${performance.now()}`));
      return performance.now() - begun > 1_000;
    });
    await waitUntil('the last state', () => shown.at(-1) === last);
    expect(shown).to.have.length.within(2, 1 + (performance.now() - begun) / 250);
  });

  it('shows no state that is there already, and none from before an end', async () => {
    const shown: string[] = [];
    const redraws = new Redraws((text) => shown.push(text));
    redraws.update('overtaken');
    redraws.end('a line');
    redraws.update('a line');
    const again = new Redraws((text) => shown.push(text));
    // Its timer is the later one.
    again.update('another');
    await waitUntil('the later state', () => shown.includes('another'));
    expect(shown).to.deep.equal(['another']);
  });
});
