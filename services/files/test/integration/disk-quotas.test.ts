import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { ConfigError, createLogger, createTaskGroup } from '@panel/kit/process';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { openVolumes } from '../../src/volumes/volumes.js';
import { createDiskProjectStore, type DiskProjectStore } from '../../src/models/disk-project-store.js';
import { createQuotaPrograms } from '../../src/quotas/quota-programs.js';
import { ProjectQuotas } from '../../src/quotas/disk-quotas.js';
import { startTestFiles, type RunningFiles, reasonOf } from '../harness.js';

const log = createLogger({ service: 'files', level: 'silent' });

describe('disk quotas', () => {
  let mongo: MongoConnection;
  let store: DiskProjectStore;
  let dataRoot = '';
  /** Last kernel limits, in KiB by project. */
  let limits = new Map<number, number>();
  let isBroken = false;
  const tasks = createTaskGroup(log);
  const programs = createQuotaPrograms(async ([program, ...args], input) => {
    if (isBroken) throw new Error('no such device');
    for (const line of program === 'setquota' ? input.trim().split('\n') : []) {
      const [id, , hard] = line.split(' ').map(Number);
      limits.set(id ?? 0, hard ?? 0);
    }
    return args
      .filter((one) => one.startsWith('/proc/'))
      .map(() => 'projid = 0\n')
      .join('');
  });
  const quotasOf = async (nodeId: string) => {
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const volumes = await openVolumes(dataRoot, owner);
    const mount = { fileSystem: 'ext4', mountPoint: '/' };
    const uploadsOf = (serverId: string) => path.join(dataRoot, 'uploads', serverId);
    return {
      volumes,
      quotas: new ProjectQuotas({ mount, programs, store, nodeId, volumes, uploadsOf, tasks, log }),
    };
  };
  const limitOf = async (nodeId: string, serverId: string) => limits.get((await store.find(nodeId, serverId))?.id ?? 0);

  before(async () => {
    mongo = await connectMongo(testMongoUrl('files'), { appName: 'test' });
    store = createDiskProjectStore(mongo);
    await createIndexes(mongo);
  });
  after(async () => {
    await tasks.stop();
    await mongo.dropDatabase();
    await mongo.close();
  });
  beforeEach(async () => {
    dataRoot = await mkdtemp(path.join(tmpdir(), 'panel-quotas-'));
    [limits, isBroken] = [new Map(), false];
  });
  afterEach(async () => rm(dataRoot, { recursive: true, force: true }));

  it('gives 50 volumes on two nodes different projects and each volume one', async () => {
    const nodes = [randomUUID(), randomUUID()];
    const servers = Array.from({ length: 25 }, () => randomUUID());
    const keys = nodes.flatMap((nodeId) => servers.map((serverId) => [nodeId, serverId] as const));
    const assign = async () => Promise.all(keys.map(async ([nodeId, serverId]) => store.assign(nodeId, serverId)));
    const [first, second] = await Promise.all([assign(), assign()]);
    const ids = (projects: typeof first) => projects.map(({ id }) => id);
    expect(new Set(ids(first)).size).to.equal(50);
    expect(ids(second)).to.deep.equal(ids(first));
    expect(Math.min(...ids(first))).to.be.above(1_048_576);
  });

  it('holds the limit of a new volume, a changed one, and none after the deletion', async () => {
    const [nodeId, serverId] = [randomUUID(), randomUUID()];
    const { volumes, quotas } = await quotasOf(nodeId);
    await volumes.create(serverId);
    await quotas.hold(serverId, 1_048_576);
    const project = await store.find(nodeId, serverId);
    expect([project?.isComplete, await limitOf(nodeId, serverId)]).to.deep.equal([true, 1_024]);
    await quotas.setLimits([{ serverId, limitBytes: 2_097_152 }]);
    expect(await limitOf(nodeId, serverId)).to.equal(2_048);
    await quotas.release(serverId);
    expect(limits.get(project?.id ?? 0)).to.equal(0);
    expect(await store.find(nodeId, serverId)).to.equal(null);
  });

  it('makes no project for a limit of a server that is not on this node', async () => {
    const [nodeId, serverId] = [randomUUID(), randomUUID()];
    const { quotas } = await quotasOf(nodeId);
    await quotas.setLimits([{ serverId, limitBytes: 1_048_576 }]);
    expect(await store.list(nodeId)).to.deep.equal([]);
  });

  it('holds the limits of all volumes again at a start, also of those that were there before', async () => {
    const [nodeId, serverId, legacyId] = [randomUUID(), randomUUID(), randomUUID()];
    const before = await quotasOf(nodeId);
    await before.volumes.create(serverId);
    await before.volumes.create(legacyId);
    await before.quotas.hold(serverId, 1_048_576);
    limits.clear();
    const { quotas } = await quotasOf(nodeId);
    await quotas.repair(tasks.signal);
    expect(await limitOf(nodeId, serverId)).to.equal(1_024);
    expect((await store.find(nodeId, legacyId))?.isComplete).to.equal(true);
    await quotas.setLimits([{ serverId: legacyId, limitBytes: 3_145_728 }]);
    expect(await limitOf(nodeId, legacyId)).to.equal(3_072);
  });

  it('holds no limit while a server has two trees, and the one that was set meanwhile afterwards', async () => {
    const [nodeId, serverId] = [randomUUID(), randomUUID()];
    const { volumes, quotas } = await quotasOf(nodeId);
    await volumes.create(serverId);
    await quotas.hold(serverId, 1_048_576);
    const [first, second] = [await quotas.lift(serverId), await quotas.lift(serverId)];
    await quotas.setLimits([{ serverId, limitBytes: 2_097_152 }]);
    await first();
    expect(await limitOf(nodeId, serverId)).to.equal(0);
    await second();
    expect(await limitOf(nodeId, serverId)).to.equal(2_048);
  });

  it('creates a volume although its limit cannot be held, and holds it with the next repair', async () => {
    const [nodeId, serverId] = [randomUUID(), randomUUID()];
    const { volumes, quotas } = await quotasOf(nodeId);
    await volumes.create(serverId);
    isBroken = true;
    await quotas.hold(serverId, 1_048_576);
    isBroken = false;
    await quotas.repair(tasks.signal);
    expect(await limitOf(nodeId, serverId)).to.equal(1_024);
  });
});

describe('disk quotas of a files service', () => {
  let running: RunningFiles;
  before(async () => {
    running = await startTestFiles({ env: { DISK_QUOTAS: 'off' } });
  });
  after(async () => running.stop());

  it('refuses to start without quotas that are required, and says why', async () => {
    const problem = await startTestFiles({ env: { DISK_QUOTAS: 'required' }, parent: '/dev/shm' }).catch(
      (error: unknown) => error,
    );
    expect(problem).to.be.instanceOf(ConfigError);
    expect((problem as ConfigError).message).to.include('DISK_QUOTAS is required, but project quotas cannot be used');
  });

  it('takes limits where they are watched only', async () => {
    const serverId = randomUUID();
    await running.volumes.createVolume({ serverId, diskLimitBytes: 1_048_576 });
    const { held } = await running.volumes.setVolumeLimits({ limits: [{ serverId, diskLimitBytes: 0 }] });
    expect(held).to.equal(false);
    const metrics = await (await fetch(`http://${running.metrics}/metrics`)).text();
    expect(metrics).to.match(/^disk_quotas_held(\{.*\})? 0$/m);
  });

  it('refuses limits that are no sizes', async () => {
    const serverId = randomUUID();
    const limits = [{ serverId, diskLimitBytes: -1 }];
    expect(await reasonOf(running.volumes.setVolumeLimits({ limits }))).to.equal('INVALID_FIELDS');
    expect(await reasonOf(running.volumes.createVolume(limits[0] ?? { serverId }))).to.equal('INVALID_FIELDS');
  });
});
