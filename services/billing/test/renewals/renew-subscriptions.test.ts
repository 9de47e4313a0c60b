import { setImmediate } from 'node:timers/promises';
import { type Deferred, deferred, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import type { SubscriptionRecord } from '../../src/domain/subscription.js';
import type { RenewalDeps } from '../../src/renewals/dependencies.js';
import { renewSubscriptions } from '../../src/renewals/renew-subscriptions.js';

describe('batches of renewals', () => {
  /** Work on the batches in progress, by the id of their subscription. */
  let working: Map<string, Deferred<void>>;
  let claims: number;
  let isClaiming: boolean;

  beforeEach(() => {
    working = new Map();
    claims = 0;
    isClaiming = false;
  });

  const depsOf = (batches: number, failAt = Infinity) => {
    const claimRenewals = async () => {
      expect(isClaiming, 'claims at the same time').to.equal(false);
      isClaiming = true;
      await setImmediate();
      isClaiming = false;
      claims += 1;
      if (claims === failAt) throw new Error('no database');
      return claims > batches ? [] : [{ id: `${claims}` } as SubscriptionRecord];
    };
    const attempt = async (_job: string, id: string) => {
      const work = deferred();
      working.set(id, work);
      await work.promise;
      working.delete(id);
      return true;
    };
    return { clock: () => new Date(), subscriptions: { claimRenewals }, attempt } as unknown as RenewalDeps;
  };
  const endAll = () => {
    for (const work of working.values()) work.resolve();
  };

  it('claims a fourth batch when one of three has ended', async () => {
    const renewed = renewSubscriptions(depsOf(5), new AbortController().signal);
    await waitUntil('three batches', () => working.size === 3);
    await setImmediate();
    expect(claims).to.equal(3);
    working.get('2')?.resolve();
    await waitUntil('the fourth batch', () => working.has('4'));
    expect([...working.keys()]).to.deep.equal(['1', '3', '4']);
    await waitUntil('the end', () => {
      endAll();
      return claims === 6 && working.size === 0;
    });
    await renewed;
  });

  it('claims once more after the last batch', async () => {
    const renewed = renewSubscriptions(depsOf(1), new AbortController().signal);
    await waitUntil('the empty claim', () => claims === 2);
    endAll();
    await renewed;
    expect(claims).to.equal(2);
  });

  it('claims nothing after the end of the process has begun', async () => {
    const stop = new AbortController();
    const renewed = renewSubscriptions(depsOf(9), stop.signal);
    await waitUntil('three batches', () => working.size === 3);
    stop.abort();
    endAll();
    await renewed;
    expect(claims).to.equal(3);
  });

  it('fails with a failed claim after the batches in progress', async () => {
    let hasEnded = false;
    const renewed = renewSubscriptions(depsOf(1, 2), new AbortController().signal)
      .catch((error: unknown) => error)
      .finally(() => (hasEnded = true));
    await waitUntil('the failed claim', () => claims >= 2);
    await setImmediate();
    expect(hasEnded).to.equal(false);
    endAll();
    expect(await renewed)
      .to.be.an('error')
      .with.property('message', 'no database');
  });
});
