import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { needPrograms, testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import type { WriteLease } from '../../src/backups/restic/repository-writes.js';
import { RepositoryLeases } from '../../src/backups/repository-leases.js';
import { createResticProgram, type ResticProgram } from '../../src/backups/restic/program.js';
import { createResticStorage } from '../../src/backups/restic/storage.js';
import { createRepositoryLeaseStore, type RepositoryLeaseStore } from '../../src/models/repository-lease-store.js';
import { reasonOf } from '../harness.js';
import { ResticFixture } from './restic/fixture.js';

const log = createLogger({ service: 'test', level: 'silent' });

const leasesOf = (store: RepositoryLeaseStore, nodeId: string, ttlMs?: number) =>
  new RepositoryLeases({ store, nodeId, log, ...(ttlMs === undefined ? {} : { ttlMs }) });

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
    const other = leasesOf(store, 'b');
    expect(await reasonOf(other.run(serverId, atOnce, async () => undefined))).to.equal('STORAGE_UNAVAILABLE');
    const patient = other.run(serverId, { ...atOnce, patienceMs: 10_000 }, async () => 'mine');
    await wait(50);
    held.end();
    await held.done;
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
    const held = hold(leasesOf(store, 'a', 500));
    await held.untilHeld();
    for (let turn = 0; turn < 15; turn += 1) {
      expect(await store.acquire(serverId, 'b', 500)).to.equal(false);
      await wait(100);
    }
    held.end();
    await held.done;
    // of a dead process
    await store.acquire(serverId, 'a', 300);
    expect(await store.acquire(serverId, 'b', 500)).to.equal(false);
    await wait(400);
    expect(await store.acquire(serverId, 'b', 500)).to.equal(true);
  });

  it('keeps no renewal that its end has overtaken', async () => {
    const done: string[] = [];
    const slow = {
      acquire: async () => {
        if (done.length > 0) await wait(100);
        done.push('held');
        return true;
      },
      release: async () => void done.push('released'),
    };
    await leasesOf(slow, 'a', 500).run(serverId, atOnce, async () => wait(180));
    await wait(150);
    expect(done).to.deep.equal(['held', 'held', 'released']);
  });

  it('aborts the work when another node has it, or the database does not answer, before its time is over', async () => {
    let answers: () => Promise<boolean> = async () => true;
    let takenAt = 0;
    const fragile = {
      acquire: async () => {
        if (takenAt === 0) takenAt = performance.now();
        return answers();
      },
      release: async () => undefined,
    };
    const begin = async () => {
      takenAt = 0;
      answers = async () => true;
      const held = hold(leasesOf(fragile, 'a', 1_000));
      await held.untilHeld();
      return held;
    };
    const lost = await begin();
    expect(lost.mayWrite()).to.equal(true);
    answers = async () => false;
    expect(await reasonOf(lost.done)).to.equal('STORAGE_UNAVAILABLE');
    expect(lost.mayWrite()).to.equal(false);
    expect(performance.now() - takenAt).to.be.below(500);
    const failing = await begin();
    answers = async () => Promise.reject(new Error('no primary'));
    expect(await reasonOf(failing.done)).to.equal('STORAGE_UNAVAILABLE');
    expect(performance.now() - takenAt).to.be.within(700, 1_000);
    expect(failing.mayWrite()).to.equal(false);
    const hanging = await begin();
    let goOn: () => void = () => undefined;
    const answer = new Promise<boolean>((resolve) => (goOn = () => resolve(true)));
    answers = async () => answer;
    const reason = reasonOf(hanging.done);
    await wait(1_000);
    goOn();
    expect(await reason).to.equal('STORAGE_UNAVAILABLE');
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
    const at = (node: string) => createResticStorage(config, { restic: program(node), writes: leasesOf(store, node) });
    const [old, now] = [at('old'), at('new')];
    const removed = await fixture.store(createResticStorage(config));
    const removal = old.delete(removed);
    await waitUntil('the removal to begin', () => order.length > 0);
    await writeFile(path.join(volume, 'world/c'), randomBytes(50_000));
    const backup = fixture.store(now);
    await wait(300);
    expect(await reasonOf(at('third').delete(removed))).to.equal('STORAGE_UNAVAILABLE');
    goOn();
    await removal;
    await now.verify(await backup, new AbortController().signal, () => undefined);
    expect(order).to.deep.equal(['old begins to remove', 'old has removed', 'new backs up']);
  });
});
