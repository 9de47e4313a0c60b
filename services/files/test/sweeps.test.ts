import { randomUUID } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KeyedMutex } from '@panel/kit/async';
import {
  createJobs,
  createLogger,
  createMetrics,
  createTaskGroup,
  type Jobs,
  type TaskGroup,
} from '@panel/kit/process';
import { reasonOf } from '@panel/kit/testing';
import { MemoryLocker } from '@tus/server';
import { expect } from 'chai';
import { TempNames } from '../src/jail/temp-names.js';
import type { FileVersionStore } from '../src/models/file-version-store.js';
import type { TrashStore } from '../src/models/trash-store.js';
import type { UploadStore } from '../src/models/upload-store.js';
import { noDiskQuotas } from '../src/quotas/disk-quotas.js';
import { createTrash } from '../src/trash/trash.js';
import { sweepUploads } from '../src/uploads/sweep-uploads.js';
import { createUploadFiles } from '../src/uploads/upload-files.js';
import { createFileVersions } from '../src/versions/file-versions.js';
import { createTempDir, type TempDir } from './temp-dir.js';

const log = createLogger({ service: 'test', level: 'silent' });

describe('sweeps of what is kept', () => {
  const serverId = randomUUID();
  const damaged = '22222222-2222-4222-8222-222222222222';
  const ids = ['11111111-1111-4111-8111-111111111111', damaged, '33333333-3333-4333-8333-333333333333'] as const;
  const hourMs = 3_600_000;
  let aheadMs = 0;
  let directory: TempDir;
  let tasks: TaskGroup;
  let jobs: Jobs;
  let metrics: ReturnType<typeof createMetrics>;
  beforeEach(async () => {
    aheadMs = 25 * hourMs;
    directory = await createTempDir();
    tasks = createTaskGroup(log);
    metrics = createMetrics('test');
    jobs = createJobs({ log, metrics, clock: () => new Date() });
    await mkdir(path.join(directory.root, serverId));
    for (const id of ids) await writeFile(path.join(directory.root, serverId, id), 'bytes');
  });
  afterEach(async () => {
    await tasks.stop();
    await jobs.stop();
    await directory.remove();
  });

  /** One record fails. */
  const store = (expired: readonly { readonly id: string }[]) => ({
    listExpired: async () => expired.map(({ id }) => ({ id, serverId })),
    remove: async (id: string) => {
      if (id === damaged) throw new Error('this record is damaged');
      return true;
    },
    find: async (_serverId: string, id: string) => {
      if (id === damaged) throw new Error('this record is damaged');
      return null;
    },
  });

  type Sweep = (expired: readonly { readonly id: string }[], signal?: AbortSignal) => Promise<void>;
  const common = () => ({
    directory: directory.root,
    nodeId: 'node',
    clock: () => new Date(Date.now() + aheadMs),
    systemClock: () => new Date(Date.now() + aheadMs),
    retentionMs: 24 * hourMs,
    attempt: async (...item: Parameters<Jobs['attempt']>) => jobs.attempt(...item),
  });
  const never = new AbortController().signal;
  const sweeps: readonly [string, string, Sweep][] = [
    [
      'deleted files',
      'sweep-deleted-files',
      async (expired, signal = never) =>
        createTrash({
          ...common(),
          store: store(expired) as unknown as TrashStore,
          quotas: noDiskQuotas,
          tempNames: new TempNames(new Date()),
          tasks,
        }).sweep(signal),
    ],
    [
      'file versions',
      'sweep-file-versions',
      async (expired, signal = never) =>
        createFileVersions({ ...common(), store: store(expired) as unknown as FileVersionStore }).sweep(signal),
    ],
    [
      'uploads',
      'sweep-resumable-uploads',
      async (expired, signal = never) =>
        sweepUploads(
          {
            ...common(),
            uploads: {
              store: store(expired) as unknown as UploadStore,
              files: createUploadFiles(directory.root),
              nodeId: 'node',
              locker: new MemoryLocker(),
            },
            fileMutex: new KeyedMutex(),
            usage: {
              reserve: async () => ({ hold: () => undefined, commit: () => undefined, release: () => undefined }),
            },
          } as unknown as Parameters<typeof sweepUploads>[0],
          signal,
        ),
    ],
  ];
  for (const [what, job, sweep] of sweeps) {
    const failures = async () => {
      const { values } = (await metrics.registry.getSingleMetric('job_item_failures_total')?.get()) ?? { values: [] };
      return values.find(({ labels }) => labels['job'] === job)?.value ?? 0;
    };

    it(`removes the other expired ${what} when one of them fails, and counts it`, async () => {
      await sweep(ids.map((id) => ({ id })));
      expect(await readdir(path.join(directory.root, serverId))).to.deep.equal([damaged]);
      expect(await failures()).to.be.at.least(1);
    });

    it(`removes the other bytes without a record of ${what} when one of them fails, and counts it`, async () => {
      await sweep([]);
      expect(await readdir(path.join(directory.root, serverId))).to.deep.equal([damaged]);
      expect(await failures()).to.equal(1);
    });

    it(`keeps bytes of ${what} that an older dump of the database has no record of as long as others`, async () => {
      aheadMs = 23 * hourMs;
      await sweep([]);
      expect(await readdir(path.join(directory.root, serverId))).to.have.length(3);
    });

    it(`ends the sweep of ${what} when the process stops`, async () => {
      const stopping = AbortSignal.abort(new Error('stopping'));
      expect(await reasonOf(sweep([], stopping))).to.equal('stopping');
      expect(await readdir(path.join(directory.root, serverId))).to.have.length(3);
    });
  }
});
