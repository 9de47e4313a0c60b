import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createArchiveStorage } from '../../src/backups/archive/archive-storage.js';
import { createS3Blobs } from '../../src/backups/archive/s3-blobs.js';
import { openTrusted, withHandle } from '../../src/jail/node.js';
import { reasonOf } from '../harness.js';
import { S3Server } from './s3-server.js';
import { scanning } from './scanning.js';

const never = new AbortController().signal;
const ignoreShare = () => undefined;
const s3 = new S3Server();

describe('a bucket that fails', () => {
  let now = () => new Date();
  let directory: string;
  let small: string;
  let url: string;
  before(async () => {
    url = await s3.start();
    directory = await mkdtemp(path.join(tmpdir(), 'panel-storage-'));
    small = await mkdtemp(path.join(tmpdir(), 'panel-storage-'));
    // a multipart upload
    await writeFile(path.join(directory, 'a'), randomBytes(18 * 1024 * 1024));
    await writeFile(path.join(small, 'a'), randomBytes(50_000));
  });
  after(async () => {
    await s3.stop();
    for (const each of [directory, small]) await rm(each, { recursive: true, force: true });
  });
  afterEach(() => (s3.fault = 'none'));

  const open = (idleMs?: number) => {
    const config = { bucket: 'backups', endpoint: url, region: 'us-east-1', accessKey: 'a', secretKey: 'b' };
    const blobs = createS3Blobs({ ...config, prefix: '', usesPathStyle: true }, () => now(), idleMs);
    return createArchiveStorage('s3', blobs, never);
  };
  const store = async (from: string, fault: S3Server['fault'], idleMs?: number) => {
    const ref = { id: randomUUID(), serverId: randomUUID(), checksum: '' };
    const stored = await withHandle(await openTrusted(from), async (root) => {
      const scan = scanning(root);
      // parts of a large volume are stored before the fault starts
      if (from === small) s3.fault = fault;
      const onArchived = () => void (s3.fault = fault);
      return open(idleMs).create(ref, {
        root,
        scan,
        signal: never,
        onArchived,
        onVerified: ignoreShare,
      });
    });
    return { ...stored, stored: s3.objects.get(`${ref.serverId}/${ref.id}.tar.gz`) };
  };

  const failures: [S3Server['fault'], string, number?][] = [
    ['refuses', 'STORAGE_UNAVAILABLE'],
    ['hangs', 'STORAGE_UNAVAILABLE', 300],
    ['stops in the middle of an object', 'STORAGE_UNAVAILABLE', 300],
    ['ends in the middle of an object', 'STORAGE_UNAVAILABLE'],
    ['flips a byte', 'BACKUP_DAMAGED'],
    ['shortens an object', 'BACKUP_DAMAGED'],
    ['announces a smaller object', 'BACKUP_DAMAGED'],
    ['announces a larger object', 'BACKUP_DAMAGED'],
  ];
  for (const [fault, reason, idleMs] of failures) {
    it(`fails a backup with ${reason} when the bucket ${fault}`, async () => {
      const from = fault === 'refuses' || fault === 'hangs' ? directory : small;
      expect(await reasonOf(store(from, fault, idleMs))).to.equal(reason);
    });
  }

  for (const fault of ['none', 'refuses every first attempt', 'loses the last answer of an upload'] as const) {
    it(`stores a backup in parts and leaves no upload behind (fault: ${fault})`, async () => {
      const { sizeBytes, stored } = await store(directory, fault);
      expect(sizeBytes).to.be.greaterThan(16 * 1024 * 1024);
      expect(stored).to.have.length(sizeBytes);
      expect([...s3.uploads.values()].filter(({ parts }) => parts.size > 0)).to.deep.equal([]);
    });
  }

  it('says STORAGE_UNAVAILABLE when the bucket refuses to list what it has', async () => {
    s3.fault = 'refuses';
    expect(await reasonOf(open().deleteServer(randomUUID()))).to.equal('STORAGE_UNAVAILABLE');
  });

  it('removes uploads of a dead process from the bucket after two days, and not before', async () => {
    const storage = open();
    s3.uploads.clear();
    s3.uploadsPerPage = 2;
    const orphans = ['orphan 1', 'orphan 2', 'orphan 3', 'orphan 4', 'orphan 5'];
    for (const id of orphans) s3.uploads.set(id, { key: 'a server/a backup.tar.gz', at: new Date(), parts: new Map() });
    await storage.sweep(async () => true, never);
    expect([...s3.uploads.keys()]).to.deep.equal(orphans);
    now = () => new Date(Date.now() + 49 * 60 * 60_000);
    await storage.sweep(async () => true, never);
    now = () => new Date();
    s3.uploadsPerPage = 1_000;
    expect([...s3.uploads.keys()]).to.deep.equal([]);
  });
});
