import { deferred } from '@panel/kit/testing';
import { expect } from 'chai';
import { OwnerTurns } from '../../src/operations/owner-turns.js';

describe('turns of owners at the places of a replica', () => {
  const due = (work: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(work).map(([ownerId, ids]) => ({ ownerId, ids }));

  it('gives each owner one place before any has two', () => {
    const turns = new OwnerTurns(8);
    const order = turns.order(due({ a: ['a1', 'a2', 'a3'], b: ['b1', 'b2'], c: ['c1'] }));
    expect(order).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('gives one owner all places but one when no other waits', () => {
    expect(new OwnerTurns(4).order(due({ a: ['a1', 'a2', 'a3', 'a4'] }))).to.deep.equal(['a1', 'a2', 'a3']);
  });

  it('counts the places that an owner holds, until their work ends or fails', async () => {
    const turns = new OwnerTurns(4);
    const [first, second] = [deferred(), deferred()];
    const works = [first, second].map(async ({ promise }) => turns.hold('a', async () => promise));
    const order = () => turns.order(due({ a: ['a3', 'a4'], b: ['b1', 'b2', 'b3'] }));
    expect(order()).to.deep.equal(['b1', 'b2', 'b3', 'a3']);
    first.resolve();
    second.reject(new Error('failed'));
    await Promise.allSettled(works);
    expect(order()).to.deep.equal(['b1', 'a3', 'b2', 'a4', 'b3']);
  });

  it('lets the owner go first who got a place longest ago', async () => {
    const turns = new OwnerTurns(2);
    const served: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const [next = ''] = turns.order(due({ a: ['a'], b: ['b'], c: ['c'] }));
      served.push(next);
      await turns.hold(next, async () => undefined);
    }
    expect(served.join('')).to.equal('abcabc');
  });
});
