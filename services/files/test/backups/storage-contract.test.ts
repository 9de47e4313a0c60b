import { randomBytes, randomUUID } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { needPrograms, readTestConfig } from '@panel/testing';
import { expect } from 'chai';
import { createArchiveStorage } from '../../src/backups/archive/archive-storage.js';
import type { BackupRef, BackupStorage } from '../../src/backups/storage/backup-storage.js';
import { openDiskBlobs } from '../../src/backups/archive/disk-blobs.js';
import { repositoriesInBucket } from '../../src/backups/create-backups.js';
import { createResticStorage } from '../../src/backups/restic/storage.js';
import { createS3Blobs } from '../../src/backups/archive/s3-blobs.js';
import { openTrusted, withHandle } from '../../src/jail/node.js';
import { fileLengths, makeDeepFile, removeDeepTree } from '../deep-tree.js';
import { reasonOf } from '../harness.js';
import { makeQuickRepository, password, quickRepository } from './restic/quick-repository.js';
import { scanning } from './scanning.js';
import { S3Server } from './s3-server.js';
import { Swift } from './swift.js';

const never = new AbortController().signal;
const owner = { uid: process.getuid?.() || 1000, gid: process.getgid?.() || 1000 };
const s3 = new S3Server();
const swift = new Swift();
const ignoreShare = () => undefined;
const noKeys = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_DEFAULT_REGION: '' };

const storages: readonly {
  readonly name: string;
  /** With an empty repository of the server where it has them. */
  readonly create: (directory: string, serverId: string) => Promise<BackupStorage>;
  readonly damage: (directory: string, backup: BackupRef) => Promise<void>;
  readonly needs?: readonly ('restic' | 'Swift')[];
}[] = [
  {
    name: 'the disk of the node',
    create: async (directory) => createArchiveStorage('node', await openDiskBlobs(directory, 0), never),
    damage: async (directory, { serverId, id }) => flipByte(path.join(directory, serverId, `${id}.tar.gz`)),
  },
  {
    name: 'a bucket',
    create: async () => {
      const config = { bucket: 'backups', endpoint: s3Url, region: 'us-east-1', accessKey: 'a', secretKey: 'b' };
      const blobs = createS3Blobs({ ...config, prefix: 'panel/', usesPathStyle: true }, () => new Date());
      return createArchiveStorage('s3', blobs, never);
    },
    damage: async (_directory, { serverId, id }) => {
      const object = s3.objects.get(`panel/${serverId}/${id}.tar.gz`);
      object?.writeUInt8(object.readUInt8(20) ^ 1, 20);
    },
  },
  {
    name: 'a restic repository',
    needs: ['restic'],
    create: async (directory, serverId) => {
      const paths = { repository: path.join(directory, 'repository'), workDirectory: path.join(directory, 'work') };
      await mkdir(paths.workDirectory, { recursive: true });
      await makeQuickRepository(path.join(paths.repository, serverId));
      return createResticStorage({ ...paths, password, environment: noKeys });
    },
    damage: async (directory, { serverId }) => {
      const data = path.join(directory, 'repository', serverId, 'data');
      for (const name of await readdir(data, { recursive: true })) {
        const file = path.join(data, name);
        if ((await stat(file)).isFile()) await flipByte(file);
      }
      await rm(path.join(directory, 'work', 'cache'), { recursive: true, force: true });
    },
  },
  {
    name: 'a bucket of OpenStack Swift',
    needs: ['Swift'],
    create: async () => {
      const config = { bucket: Swift.bucket, endpoint: swift.url, region: 'us-east-1', ...Swift.keys };
      const blobs = createS3Blobs({ ...config, prefix: 'panel/', usesPathStyle: true }, () => new Date());
      return createArchiveStorage('s3', blobs, never);
    },
    damage: async (_directory, { serverId, id }) => swift.damage(`panel/${serverId}/${id}.tar.gz`),
  },
  {
    name: 'a restic repository in OpenStack Swift',
    needs: ['restic', 'Swift'],
    create: async (directory, serverId) => {
      const workDirectory = path.join(directory, 'work');
      await mkdir(workDirectory, { recursive: true });
      const { accessKey, secretKey } = Swift.keys;
      const environment = {
        AWS_ACCESS_KEY_ID: accessKey,
        AWS_SECRET_ACCESS_KEY: secretKey,
        AWS_DEFAULT_REGION: 'us-east-1',
        SSL_CERT_FILE: swift.certificate,
      };
      for (const [name, content] of quickRepository) await swift.put(`restic/${serverId}/${name}`, content);
      const config = { repository: `s3:${swift.tlsUrl}/${Swift.bucket}/restic`, workDirectory, password, environment };
      const plain = { ...config, repository: `s3:${swift.url}/${Swift.bucket}/restic` };
      return createResticStorage(config, { bucket: repositoriesInBucket(plain, () => new Date()) });
    },
    damage: async (directory, { serverId }) => {
      await swift.damage(`restic/${serverId}/data/`);
      await rm(path.join(directory, 'work', 'cache'), { recursive: true, force: true });
    },
  },
];
let s3Url = '';
let hasSwift = false;

function needSwift(context: Mocha.Context): void {
  if (hasSwift) return;
  if (readTestConfig().isCi) throw new Error('CI needs python3-swift');
  context.skip();
}

async function flipByte(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  await rm(file);
  await writeFile(file, bytes);
}

describe('backup storages', () => {
  before(async () => {
    s3Url = await s3.start();
    hasSwift = await Swift.isInstalled();
    if (hasSwift) await swift.start();
  });
  after(async () => {
    await s3.stop();
    if (hasSwift) await swift.stop();
  });
  afterEach(() => (s3.fault = 'none'));

  for (const { name, create, damage, needs = [] } of storages) {
    describe(name, () => {
      let directory: string;
      let volume: string;
      let storage: BackupStorage;
      let serverId: string;

      before(function () {
        if (needs.includes('restic')) needPrograms(this, 'restic');
        if (needs.includes('Swift')) needSwift(this);
      });
      beforeEach(async () => {
        directory = await mkdtemp(path.join(tmpdir(), 'panel-storage-'));
        volume = path.join(directory, 'volume');
        await mkdir(path.join(volume, 'world'), { recursive: true });
        serverId = randomUUID();
        storage = await create(directory, serverId);
      });
      afterEach(() => removeDeepTree(directory));

      const store = async (patterns: readonly string[] = []) => {
        const ref = { id: randomUUID(), serverId, checksum: '' };
        const stored = await withHandle(await openTrusted(volume), async (root) => {
          const scan = scanning(root, patterns);
          return storage.create(ref, {
            root,
            scan,
            signal: never,
            onArchived: ignoreShare,
            onVerified: ignoreShare,
          });
        });
        return { ...ref, ...stored };
      };
      const extract = async (backup: BackupRef, paths: readonly string[] = []) => {
        const target = await mkdtemp(path.join(directory, 'target-'));
        if (process.getuid?.() === 0) execFileSync('chown', [`${owner.uid}:${owner.gid}`, target]);
        await withHandle(await openFile(target, constants.O_RDONLY | constants.O_DIRECTORY), async (handle) =>
          storage.extract(backup, { directory: handle, owner, paths, signal: never, onExtracted: ignoreShare }),
        );
        return target;
      };

      it('gives back files, links, modes and times as they were', async () => {
        const content = randomBytes(300_000);
        await writeFile(path.join(volume, 'world/level.dat'), content, { mode: 0o640 });
        await writeFile(path.join(volume, 'odd name ü\\.txt'), 'x');
        await symlink('/etc/passwd', path.join(volume, 'outside'));
        const backup = await store();
        expect(backup.checksum).to.match(/^sha256:[0-9a-f]{64}$/);
        await storage.verify(backup, never, ignoreShare);
        const target = await extract(backup);
        expect(await readFile(path.join(target, 'world/level.dat'))).to.deep.equal(content);
        expect((await readdir(target)).toSorted()).to.deep.equal(['odd name ü\\.txt', 'outside', 'world']);
        expect(await readlink(path.join(target, 'outside'))).to.equal('/etc/passwd');
        const before = await stat(path.join(volume, 'world/level.dat'));
        const restored = await stat(path.join(target, 'world/level.dat'));
        expect(restored.mode & 0o777).to.equal(0o640);
        // restic rounds tar times to seconds
        expect(restored.mtimeMs).to.be.closeTo(before.mtimeMs, 1000);
      });

      it('takes the first backup of a server', async () => {
        serverId = randomUUID();
        await writeFile(path.join(volume, 'world/a'), 'a');
        expect(await readFile(path.join(await extract(await store()), 'world/a'), 'utf8')).to.equal('a');
      });

      it('leaves out what is ignored', async () => {
        await writeFile(path.join(volume, 'world/a.log'), 'x');
        await writeFile(path.join(volume, 'world/b.txt'), 'x');
        const target = await extract(await store(['*.log']));
        expect(await readdir(path.join(target, 'world'))).to.deep.equal(['b.txt']);
      });

      it('gives back single paths', async () => {
        await writeFile(path.join(volume, 'world/a'), 'a');
        await writeFile(path.join(volume, 'b'), 'b');
        const backup = await store();
        const target = await extract(backup, ['world/a']);
        expect(await readdir(target)).to.deep.equal(['world']);
        expect(await reasonOf(extract(backup, ['nothing']))).to.equal('FILE_NOT_FOUND');
      });

      it('leaves out names that end with a space or contain a line end, and no others', async () => {
        const retained = ['name', 'other', 'a-b', 'tab'];
        for (const name of [...retained, 'name ', 'other\n', 'a\nb', 'tab\t'])
          await writeFile(path.join(volume, name), 'x');
        await rm(path.join(volume, 'world'), { recursive: true });
        const patterns = ['name\\ ', 'other[!a]', 'a[[:space:]]b', 'tab\t'];
        expect(await readdir(await extract(await store(patterns)))).to.have.members(retained);
      });

      it('gives back paths that lie in each other, with the modes of the directories above', async () => {
        await mkdir(path.join(volume, 'deep/er'), { recursive: true });
        await writeFile(path.join(volume, 'deep/er/a\\tb'), 'a');
        await writeFile(path.join(volume, 'deep/er/-x'), 'x');
        await writeFile(path.join(volume, 'deep/other'), 'other');
        await chmod(path.join(volume, 'deep'), 0o750);
        const target = await extract(await store(), ['deep/er/a\\tb', 'deep/er', 'deep/er']);
        expect(await readdir(path.join(target, 'deep'))).to.deep.equal(['er']);
        expect(await readdir(path.join(target, 'deep/er'))).to.have.members(['a\\tb', '-x']);
        expect((await stat(path.join(target, 'deep'))).mode & 0o777).to.equal(0o750);
      });

      it('gives back every path that it takes, and refuses a longer one', async () => {
        const results = new Map<number, string>();
        for (const bytes of [3_500, 4_026, 4_093, 4_094, 4_096]) {
          await makeDeepFile(volume, bytes);
          const restored = store().then(extract).then(fileLengths);
          results.set(bytes, await reasonOf(restored.then((lengths) => expect(lengths).to.deep.equal([bytes]))));
          removeDeepTree(path.join(volume, 'd'.repeat(99)));
        }
        expect(new Set(results.values())).to.deep.equal(new Set(['none', 'TREE_UNSUPPORTED']));
        expect([results.get(3_500), results.get(4_094)]).to.deep.equal(['none', 'TREE_UNSUPPORTED']);
      });

      it('lists directories', async () => {
        await writeFile(path.join(volume, 'world/a'), 'abc');
        const backup = await store();
        const top = await storage.list(backup, '', 10, never);
        expect(top.map((entry) => [entry.path, entry.kind])).to.deep.equal([['world', 'directory']]);
        const below = await storage.list(backup, 'world', 10, never);
        expect(below.map((entry) => [entry.path, entry.sizeBytes])).to.deep.equal([['world/a', 3]]);
        expect(await reasonOf(storage.list(backup, 'nothing', 10, never))).to.equal('FILE_NOT_FOUND');
      });

      it('sends a gzipped tar', async () => {
        await writeFile(path.join(volume, 'world/a'), 'abc');
        const { chunks, totalBytes } = await storage.open(await store(), { offset: 0, limit: 0 }, never);
        const collected: Buffer[] = [];
        for await (const chunk of chunks) collected.push(chunk);
        const archive = Buffer.concat(collected);
        if (totalBytes !== null) expect(archive).to.have.length(totalBytes);
        const listed = execFileSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' });
        expect(listed).to.match(/world\/a$/m);
      });

      it('stores a volume whose files are written, cut and removed meanwhile', async () => {
        const steady = randomBytes(300_000);
        const world = (name: string) => path.join(volume, 'world', name);
        for (let i = 0; i < 40; i += 1) await writeFile(world(`chunk-${i}`), randomBytes(100_000));
        await writeFile(world('steady'), steady);
        const ending = new AbortController();
        const game = async () => {
          for (let i = 0; !ending.signal.aborted; i += 1) {
            await appendFile(world('log'), randomBytes(20_000));
            await rm(world(`chunk-${i % 40}`), { force: true });
            await writeFile(world(`chunk-${(i * 7) % 40}`), randomBytes((i % 5) * 40_000));
          }
        };
        const playing = game();
        const backup = await store().finally(() => ending.abort());
        await playing;
        await storage.verify(backup, never, ignoreShare);
        expect(await readFile(path.join(await extract(backup), 'world/steady'))).to.deep.equal(steady);
      });

      it('fails on damaged bytes', async () => {
        await writeFile(path.join(volume, 'world/a'), randomBytes(50_000));
        const backup = await store();
        await damage(directory, backup);
        const work = storage.verify(backup, never, ignoreShare).then(async () => extract(backup));
        expect(await reasonOf(work)).to.equal('BACKUP_DAMAGED');
      });

      it('keeps other backups when one is deleted', async () => {
        await writeFile(path.join(volume, 'world/a'), 'first');
        const first = await store();
        await writeFile(path.join(volume, 'world/a'), 'second');
        const second = await store();
        await storage.delete(first);
        await storage.delete(first);
        const target = await extract(second);
        expect(await readFile(path.join(target, 'world/a'), 'utf8')).to.equal('second');
        expect(await reasonOf(extract(first))).not.to.equal('none');
        expect(await reasonOf(storage.list(first, '', 10, never))).to.equal('BACKUP_MISSING');
        await storage.deleteServer(serverId);
        expect(await reasonOf(extract(second))).not.to.equal('none');
      });

      it('ends when it is aborted', async () => {
        await writeFile(path.join(volume, 'big'), randomBytes(18 * 1024 * 1024));
        const abort = new AbortController();
        const ref = { id: randomUUID(), serverId, checksum: '' };
        const work = withHandle(await openTrusted(volume), async (root) => {
          const scan = scanning(root);
          const source = {
            root,
            scan,
            signal: abort.signal,
            onArchived: ignoreShare,
            onVerified: ignoreShare,
          };
          queueMicrotask(() => abort.abort(new Error('enough')));
          return storage.create(ref, source);
        });
        expect(await reasonOf(work)).not.to.equal('none');
        await storage.delete(ref);
        expect([...s3.uploads.values()]).to.deep.equal([]);
      });
    });
  }
});

describe('large backups in a bucket of OpenStack Swift', () => {
  let directory: string;
  before(async function () {
    hasSwift = await Swift.isInstalled();
    needSwift(this);
    await swift.start();
    directory = await mkdtemp(path.join(tmpdir(), 'panel-storage-'));
    for (const name of ['a', 'b']) await writeFile(path.join(directory, name), randomBytes(20 * 1024 * 1024));
  });
  after(async () => {
    if (!hasSwift) return;
    await swift.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const blobsAt = (now: () => Date) => {
    const config = { bucket: Swift.bucket, endpoint: swift.url, region: 'us-east-1', ...Swift.keys };
    return createS3Blobs({ ...config, prefix: 'panel/', usesPathStyle: true }, now);
  };
  const open = (now: () => Date) => createArchiveStorage('s3', blobsAt(now), never);
  const store = async (signal: AbortSignal, onArchived: () => void = ignoreShare) => {
    const ref = { id: randomUUID(), serverId: randomUUID(), checksum: '' };
    return withHandle(await openTrusted(directory), async (root) => {
      const scan = scanning(root);
      const source = { root, scan, signal, onArchived, onVerified: ignoreShare };
      return { ...ref, ...(await open(() => new Date()).create(ref, source)) };
    });
  };

  it('stores them in parts, reads them back, and leaves no upload behind', async () => {
    const backup = await store(never);
    expect(backup.sizeBytes).to.be.greaterThan(40 * 1024 * 1024);
    await open(() => new Date()).verify(backup, never, ignoreShare);
    expect(await swift.uploads()).to.deep.equal([]);
    expect(await swift.partsOf(`panel/${backup.serverId}/${backup.id}.tar.gz`)).to.equal(9);
  });

  it('divides them into no more than about 9,000 parts', async () => {
    const content = async function* () {
      for (let at = 0; at < 20; at += 1) yield randomBytes(1024 * 1024);
    };
    await blobsAt(() => new Date()).put('large', content(), 9_000 * 8 * 1024 * 1024, never);
    expect(await swift.partsOf('panel/large')).to.equal(3);
  });

  it('leaves neither an object nor an upload behind when one is aborted half way', async () => {
    const before = await swift.keysBelow('');
    const abort = new AbortController();
    let calls = 0;
    const work = store(abort.signal, () => {
      calls += 1;
      if (calls === 3) abort.abort(new Error('enough'));
    });
    expect(await reasonOf(work)).not.to.equal('none');
    expect(await swift.uploads()).to.deep.equal([]);
    expect(await swift.keysBelow('')).to.deep.equal(before);
  });

  it('removes the uploads of a dead process after two days, and not before', async () => {
    await swift.beginUpload('panel/left');
    const at = (days: number) => () => new Date(Date.now() + days * 24 * 60 * 60_000);
    await open(at(1)).sweep(async () => true, never);
    expect(await swift.uploads()).to.deep.equal(['panel/left']);
    await open(at(3)).sweep(async () => true, never);
    expect(await swift.uploads()).to.deep.equal([]);
  });
});
