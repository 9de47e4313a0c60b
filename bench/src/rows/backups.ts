import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createArchiveStorage } from '../../../services/files/dist/src/backups/archive/archive-storage.js';
import type { BackupStorage } from '../../../services/files/dist/src/backups/storage/backup-storage.js';
import { openDiskBlobs } from '../../../services/files/dist/src/backups/archive/disk-blobs.js';
import { createResticStorage } from '../../../services/files/dist/src/backups/restic/storage.js';
import { type ScanVisitor, scanTree } from '../../../services/files/dist/src/backups/storage/scan-tree.js';
import { openTrusted, withHandle } from '../../../services/files/dist/src/jail/node.js';
import { TempNames } from '../../../services/files/dist/src/jail/temp-names.js';
import { median } from '../measure/process.js';
import type { Line, Row } from './row.js';

const run = promisify(execFile);
const files = 20_000;
const fileBytes = 25_000;
const rounds = 3;
const days = 30;
/** Changed files per day. */
const changedShare = 0.01;
const megabyte = 1024 * 1024;
const never = new AbortController().signal;
const nothing = () => undefined;
const noKeys = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_DEFAULT_REGION: '' };

/** Backups on disk and in a restic repository, with verification, against `tar -czf` to the same disk. */
export const backups: Row = {
  name: 'backups',
  about: `backups of 500 MB in ${files} files against tar -czf, and ${days} daily ones with restic`,
  run: async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'panel-bench-backups-'));
    try {
      const volume = path.join(directory, 'volume');
      const disk = createArchiveStorage('node', await openDiskBlobs(path.join(directory, 'blobs'), 0), never);
      // first, in a process that has moved no bytes yet
      const grown = await memory(directory, disk);
      await makeVolume(volume);
      return [await againstTar(directory, volume, disk), ...(await daily(directory, volume)), grown];
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

/** A world that compresses by half. */
async function makeVolume(volume: string): Promise<void> {
  for (let at = 0; at < files; at += 1) {
    const region = path.join(volume, `region-${at % 100}`);
    if (at < 100) await mkdir(region, { recursive: true });
    await writeFile(path.join(region, `chunk-${at}`), content());
  }
}

function content(): Buffer {
  return Buffer.concat([randomBytes(fileBytes / 2), Buffer.alloc(fileBytes / 2, 'stone ')]);
}

async function store(storage: BackupStorage, serverId: string, volume: string): Promise<number> {
  const begin = performance.now();
  const ref = { id: randomUUID(), serverId, checksum: '' };
  await withHandle(await openTrusted(volume), async (root) => {
    const scan = async (visitor?: ScanVisitor) =>
      scanTree(root, [], { tempNames: new TempNames(new Date()), signal: never, visitor });
    await storage.create(ref, { root, scan, signal: never, onArchived: nothing, onVerified: nothing });
  });
  return performance.now() - begin;
}

async function againstTar(directory: string, volume: string, disk: BackupStorage): Promise<Line> {
  const archive = path.join(directory, 'plain.tar.gz');
  const [plain, ours]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const begin = performance.now();
    await run('tar', ['-czf', archive, '-C', volume, '.']);
    const plainMs = performance.now() - begin;
    const oursMs = await store(disk, randomUUID(), volume);
    // the first round warms the cache
    if (round > 0) {
      plain.push(plainMs);
      ours.push(oursMs);
    }
  }
  const ratio = median(plain) / median(ours);
  return {
    name: 'backup, read back, / tar -czf',
    value: `${ratio.toFixed(2)} x`,
    details: `${seconds(median(ours))} s, tar ${seconds(median(plain))} s; medians of ${rounds}`,
    target: '>= 1.0 x, 2.5 x',
    holds: ratio >= 1,
  };
}

async function daily(directory: string, volume: string): Promise<Line[]> {
  const repository = path.join(directory, 'repository');
  const workDirectory = path.join(directory, 'work');
  await mkdir(workDirectory, { recursive: true });
  const restic = createResticStorage({ repository, workDirectory, password: randomUUID(), environment: noKeys });
  const serverId = randomUUID();
  const times = [await store(restic, serverId, volume)];
  const first = await bytesOf(repository);
  for (let day = 1; day < days; day += 1) {
    for (let at = day; at < files; at += Math.round(1 / changedShare)) {
      await writeFile(path.join(volume, `region-${at % 100}`, `chunk-${at}`), content());
    }
    times.push(await store(restic, serverId, volume));
  }
  const growth = (await bytesOf(repository)) / first;
  const [one = 0, two = 0] = times;
  const share = two / one;
  return [
    {
      name: `${days} daily backups with restic / the first`,
      value: `${growth.toFixed(2)} x`,
      details: `first ${Math.round(first / megabyte)} MB; ${changedShare * 100} % of the files change in a day`,
      target: '< 1.6 x',
      holds: growth < 1.6,
    },
    {
      name: 'second backup with restic / the first, time',
      value: `${share.toFixed(2)} x`,
      details: `${seconds(two)} s, the first ${seconds(one)} s`,
      target: '<= 0.3 x',
      holds: share <= 0.3,
    },
  ];
}

async function memory(directory: string, disk: BackupStorage): Promise<Line> {
  const volume = path.join(directory, 'large');
  await mkdir(volume);
  await run('dd', ['if=/dev/urandom', `of=${path.join(volume, 'world')}`, 'bs=1M', 'count=1024']);
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
  await store(disk, randomUUID(), volume);
  clearInterval(timer);
  const grown = (peak - before) / megabyte;
  return {
    name: 'memory while 1 GiB is backed up, at its peak',
    value: `+ ${grown.toFixed(0)} MB`,
    details: 'the process that reads the archive; tar and pigz beside it',
    target: '<= 64 MB',
    holds: grown <= 64,
  };
}

async function bytesOf(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(path.join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
