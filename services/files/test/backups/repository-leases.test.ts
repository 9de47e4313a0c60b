import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { createLogger } from '@panel/kit/process';
import { deferred, ManualClock, waitUntil } from '@panel/kit/testing';
import { needPrograms, testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import type { WriteLease } from '../../src/backups/restic/repository-writes.js';
import { RepositoryLeases } from '../../src/backups/repository-leases.js';
import { createResticProgram, type ResticProgram } from '../../src/backups/restic/run-restic.js';
import { createResticStorage } from '../../src/backups/restic/storage.js';
import { createRepositoryLeaseStore, type RepositoryLeaseStore } from '../../src/models/repository-lease-store.js';
import { reasonOf } from '../harness.js';
import { ResticFixture } from './restic/fixture.js';

const log = createLogger({ service: 'test', level: 'silent' });

const leasesOf = (
  store: RepositoryLeaseStore,
  nodeId: string,
  times: { readonly clock?: ManualClock; readonly ttlMs?: number } = {},
) => new RepositoryLeases({ store, nodeId, log, ...times });

const atOnce = { signal: new AbortController().signal, patienceMs: 0 };

describe('the lease of a node on a repository', () => {
  let mongo: MongoConnection;
  let store: RepositoryLeaseStore;
  let serverId: string;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('files'), { appName: 'test' });
    store = createRepositoryLeaseStore(mongo);
  });
  beforeEach(() => (serverId = randomUUID()));
  after(async () => {
    await mongo.dropDatabase();
    await mongo.close();
  });

  /** Holds a lease until `end`. */
  function hold(holds: RepositoryLeases) {
    let end = (): void => undefined;
    let isHeld = false;
    let lease: WriteLease | undefined;
    const done = holds.run(serverId, atOnce, async (given) => {
      lease = given;
      isHeld = true;
      await new Promise<void>((resolve, reject) => {
        end = resolve;
        given.signal.addEventListener('abort', () => reject(given.signal.reason));
      });
    });
    return {
      done,
      untilHeld: async () => waitUntil('the lease', () => isHeld),
      end: () => end(),
      mayWrite: () => lease?.isHeld(),
    };
  }

  it('goes to one of 50 nodes that want it at the same time', async () => {
    const nodes = Array.from({ length: 50 }, () => randomUUID());
    for (let round = 0; round < 5; round += 1) {
      const server = randomUUID();
      const held = await Promise.all(nodes.map(async (node) => store.acquire(server, node, 60_000)));
      expect(held.filter(Boolean)).to.have.length(1);
      const winner = nodes[held.indexOf(true)] ?? '';
      expect(await Promise.all(nodes.map(async (node) => store.acquire(server, node, 60_000)))).to.deep.equal(held);
      await store.release(server, nodes.find((node) => node !== winner) ?? '');
      expect(await store.acquire(server, 'another', 60_000)).to.equal(false);
      await store.release(server, winner);
      expect(await store.acquire(server, 'another', 60_000)).to.equal(true);
    }
  });

  it('refuses another node, at once or after its patience, and is free afterwards', async () => {
    const held = hold(leasesOf(store, 'a'));
    await held.untilHeld();
    const clock = new ManualClock();
    const other = leasesOf(store, 'b', { clock });
    const ask = (patienceMs: number) => other.run(serverId, { ...atOnce, patienceMs }, async () => 'mine');
    expect(await reasonOf(ask(0))).to.equal('STORAGE_UNAVAILABLE');
    const untilRefused = async () => waitUntil('its next try', () => clock.pending === 1);
    const impatient = reasonOf(ask(900));
    await untilRefused();
    await clock.advance(900);
    expect(await impatient).to.equal('STORAGE_UNAVAILABLE');
    const patient = ask(10_000);
    await untilRefused();
    held.end();
    await held.done;
    await clock.advance(1_000);
    expect(await patient).to.equal('mine');
    expect(await leasesOf(store, 'c').run(serverId, atOnce, async () => 'mine')).to.equal('mine');
  });

  it('ends with work that has failed', async () => {
    const failing = async () => Promise.reject(new Error('the work has failed'));
    await leasesOf(store, 'a')
      .run(serverId, atOnce, failing)
      .catch(() => undefined);
    expect(await store.acquire(serverId, 'b', 1_000)).to.equal(true);
  });

  it('lasts as long as its work, and ends soon after its process', async () => {
    const ttlMs = 60_000;
    const clock = new ManualClock();
    let acquired = 0;
    const counted: RepositoryLeaseStore = {
      ...store,
      acquire: async (...lease) => {
        const isHeld = await store.acquire(...lease);
        acquired += 1;
        return isHeld;
      },
    };
    /** For the database, whose clock does not move by itself here. */
    const age = async (ms: number) =>
      mongo
        .collection<{ _id: string }>('repository_leases')
        .updateOne({ _id: serverId }, [{ $set: { expiresAt: { $subtract: ['$expiresAt', ms] } } }]);
    const held = hold(leasesOf(counted, 'a', { clock, ttlMs }));
    await held.untilHeld();
    for (let turn = 1; turn <= 9; turn += 1) {
      await age(ttlMs / 3);
      expect(await store.acquire(serverId, 'b', ttlMs)).to.equal(false);
      await clock.advance(ttlMs / 3);
      await waitUntil('its renewal', () => acquired === 1 + turn);
    }
    held.end();
    await held.done;
    // of a dead process
    await store.acquire(serverId, 'a', ttlMs);
    expect(await store.acquire(serverId, 'b', ttlMs)).to.equal(false);
    await age(ttlMs + 1);
    expect(await store.acquire(serverId, 'b', ttlMs)).to.equal(true);
  });

  it('keeps no renewal that its end has overtaken', async () => {
    const clock = new ManualClock();
    const done: string[] = [];
    const renewal = deferred();
    const slow = {
      acquire: async () => {
        if (done.length > 0) await renewal.promise;
        done.push('held');
        return true;
      },
      release: async () => void done.push('released'),
    };
    const ending = leasesOf(slow, 'a', { clock, ttlMs: 500 }).run(serverId, atOnce, async () => clock.advance(180));
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(done).to.deep.equal(['held']);
    renewal.resolve();
    await ending;
    await clock.advance(500);
    expect(done).to.deep.equal(['held', 'held', 'released']);
  });

  it('aborts the work when another node has it, or the database does not answer, before its time is over', async () => {
    let answers: () => Promise<boolean> = async () => true;
    const fragile = { acquire: async () => answers(), release: async () => undefined };
    const begin = async () => {
      answers = async () => true;
      const clock = new ManualClock();
      const held = hold(leasesOf(fragile, 'a', { clock, ttlMs: 1_000 }));
      await held.untilHeld();
      return { ...held, clock, reason: reasonOf(held.done) };
    };
    const lost = await begin();
    expect(lost.mayWrite()).to.equal(true);
    answers = async () => false;
    await lost.clock.advance(334);
    expect(lost.mayWrite()).to.equal(false);
    expect(await lost.reason).to.equal('STORAGE_UNAVAILABLE');
    for (const unanswered of [
      async () => Promise.reject(new Error('no primary')),
      async () => new Promise<boolean>(() => undefined),
    ]) {
      const expiring = await begin();
      answers = unanswered;
      await expiring.clock.advance(799);
      expect(expiring.mayWrite()).to.equal(true);
      await expiring.clock.advance(1);
      expect(expiring.mayWrite()).to.equal(false);
      // its end does not wait longer for the database
      await expiring.clock.advance(5_000);
      expect(await expiring.reason).to.equal('STORAGE_UNAVAILABLE');
    }
  });
});

describe('a restic repository that two nodes reach', () => {
  const fixture = new ResticFixture();
  let mongo: MongoConnection;
  before(async function () {
    needPrograms(this, 'restic');
    await fixture.make();
    mongo = await connectMongo(testMongoUrl('files'), { appName: 'test' });
  });
  after(async () => {
    await fixture.remove();
    await mongo?.dropDatabase();
    await mongo?.close();
  });
  afterEach(async () => fixture.removeCopy());

  it('makes a backup on the new node once the old one has removed another', async () => {
    const { config, volume } = await fixture.copy();
    const store = createRepositoryLeaseStore(mongo);
    const order: string[] = [];
    let goOn = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => (goOn = resolve));
    const restic = createResticProgram(config);
    const program = (node: string): ResticProgram => ({
      ...restic,
      lines: async function* (...call) {
        if (call[1][0] === 'backup') order.push(`${node} backs up`);
        yield* restic.lines(...call);
      },
      run: async (...call) => {
        if (call[1][0] !== 'forget') return restic.run(...call);
        order.push(`${node} begins to remove`);
        await isHeld;
        const done = await restic.run(...call);
        order.push(`${node} has removed`);
        return done;
      },
    });
    const refused: string[] = [];
    const watched: RepositoryLeaseStore = {
      ...store,
      acquire: async (server, node, ttlMs) => {
        const isHeld = await store.acquire(server, node, ttlMs);
        if (!isHeld) refused.push(node);
        return isHeld;
      },
    };
    const clock = new ManualClock();
    const at = (node: string) =>
      createResticStorage(config, { restic: program(node), writes: leasesOf(watched, node, { clock }) });
    const [old, now] = [at('old'), at('new')];
    const removed = await fixture.store(createResticStorage(config));
    const removal = old.delete(removed);
    await waitUntil('the removal to begin', () => order.length > 0);
    await writeFile(path.join(volume, 'world/c'), randomBytes(50_000));
    const backup = fixture.store(now);
    await waitUntil('the new node to be refused', () => refused.includes('new'));
    expect(await reasonOf(at('third').delete(removed))).to.equal('STORAGE_UNAVAILABLE');
    goOn();
    await removal;
    await clock.advance(1_000);
    await now.verify(await backup, new AbortController().signal, () => undefined);
    expect(order).to.deep.equal(['old begins to remove', 'old has removed', 'new backs up']);
  });
});
