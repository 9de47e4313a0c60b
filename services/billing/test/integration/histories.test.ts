import fc from 'fast-check';
import { isAppError } from '@panel/kit/errors';
import { readTestConfig, reusedMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { FakeActivity, FakeMail, FakeServers, FakeUsage, fakeUsers, testSettings } from '../fakes.js';
import { type History, type Operation, operations, runOperation } from '../history.js';
import { findBrokenInvariants } from '../invariants.js';
import { productWith } from '../product.js';
import { openReplica } from '../replica.js';

/** Concurrent operations. */
const parallel = 16;
const operationCount = readTestConfig().isLong ? 10_000 : 1_000;

describe('random histories', function () {
  this.timeout(1_500_000);

  it(`keeps every invariant over ${operationCount} operations, ${parallel} at a time, with crashes between them`, async () => {
    const property = fc.asyncProperty(
      fc.array(operations, { minLength: operationCount, maxLength: operationCount, size: 'max' }),
      async (all) => runHistory(all),
    );
    // Shrinking would take hours: the seed repeats the history.
    const { failed, seed, errorInstance } = await fc.check(property, { numRuns: 1, endOnFailure: true });
    const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
    if (failed) throw new Error(`with the seed ${seed}: ${why}`, { cause: errorInstance });
  });
});

async function runHistory(all: readonly Operation[]): Promise<void> {
  let time = Date.UTC(2026, 0, 31, 12);
  const servers = new FakeServers();
  let crashAt = '';
  const replica = await openReplica(reusedMongoUrl('billing'), () => new Date(time), {
    servers: servers.client,
    eggs: servers.eggs,
    usage: new FakeUsage().client,
    users: fakeUsers,
    mail: new FakeMail().client,
    activityClient: new FakeActivity().client,
    settings: { read: async () => testSettings },
    gateways: new Map(),
    failpoint: (point) => {
      if (point !== crashAt) return;
      crashAt = '';
      throw new Error(`crash at ${point}`);
    },
  });
  const { context } = replica;
  try {
    const history: History = {
      context,
      products: await createCatalogue(context),
      servers,
      advance: async (ms) => {
        time += ms;
        await tryWork(async () => replica.tick());
      },
      crash: (point) => {
        crashAt = point;
      },
    };
    for (let start = 0; start < all.length; start += parallel) {
      await Promise.all(
        all
          .slice(start, start + parallel)
          .map(async (operation) => tryWork(async () => runOperation(history, operation))),
      );
    }
    crashAt = '';
    for (let minute = 0; minute < 12; minute++) await history.advance(61_000);
    const broken = await findBrokenInvariants(context, replica.mongo, [...servers.servers.values()]);
    // chai truncates messages.
    if (broken.length > 0) throw new Error(broken.join('\n'));
    // The history changed data.
    expect(await replica.mongo.collection('credit_ledger').countDocuments()).to.be.above(operationCount / 10);
  } finally {
    await replica.stop();
  }
}

/** Only refusals and crashes are allowed. */
async function tryWork(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isCrash = error instanceof Error && error.message.startsWith('crash at ');
    if (!isAppError(error) && !isCrash) throw error;
  }
}

async function createCatalogue({ products, coupons }: History['context']): Promise<History['products']> {
  const big = productWith({ name: 'Big', stock: 40 });
  const plan = big.plans[0];
  if (!plan) throw new Error('a product has a plan');
  const dear = { ...big, plans: [{ ...plan, priceMinor: 1_499 }] };
  const small = productWith({ name: 'Small', upgradeProductIds: [big.id], perUserLimit: 6 });
  const all = [
    { ...dear, upgradeProductIds: [small.id] },
    small,
    productWith({ name: 'Free', stock: 30, plans: [{ ...plan, priceMinor: 0, interval: 'free' }] }),
  ];
  for (const product of all) await products.create(product);
  await coupons.create({
    id: '0b6f3c1a-7a54-4f0e-8f3d-1c2b3a495867',
    code: 'RANDOM',
    type: 'percent',
    value: 30,
    currency: '',
    productIds: [],
    maxUses: 200,
    maxUsesPerUser: 50,
    uses: 0,
    recurring: 2,
    startsAt: null,
    expiresAt: null,
    createdAt: new Date(0),
  });
  return all;
}
