import { execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { needPrograms } from '@panel/testing';
import { expect } from 'chai';
import type { BackupRef, BackupStorage } from '../../../src/backups/storage/backup-storage.js';
import { repositoriesInBucket } from '../../../src/backups/create-backups.js';
import { parseBucket } from '../../../src/backups/restic/objects.js';
import { createResticProgram, type ResticConfig, type ResticProgram } from '../../../src/backups/restic/run-restic.js';
import type { RepositoryWrites } from '../../../src/backups/restic/repository-writes.js';
import { createResticStorage } from '../../../src/backups/restic/storage.js';
import { withHandle } from '../../../src/jail/node.js';
import { fail } from '../../../src/reasons.js';
import { reasonOf } from '../../harness.js';
import { ResticFixture } from './fixture.js';
import { password } from './quick-repository.js';
import { S3Server } from '../s3-server.js';

const never = new AbortController().signal;
const ignoreShare = () => undefined;
const owner = { uid: process.getuid?.() || 1000, gid: process.getgid?.() || 1000 };

function recording(restic: ResticProgram) {
  const commands: string[] = [];
  const printed: string[] = [];
  const program: ResticProgram = {
    ...restic,
    lines: async function* (serverId, args, options) {
      commands.push(args[0] ?? '');
      for await (const line of restic.lines(serverId, args, options)) {
        printed.push(line);
        yield line;
      }
    },
    run: async (serverId, args, options) => {
      commands.push(args[0] ?? '');
      return restic.run(serverId, args, options);
    },
  };
  return { program, commands, printed };
}

describe('a restic repository', () => {
  const fixture = new ResticFixture();
  const { serverId, store } = fixture;
  let first: BackupRef;
  let directory: string;
  let volume: string;
  let repository: string;
  let config: ResticConfig;

  before(async function () {
    needPrograms(this, 'restic');
    first = await fixture.make();
  });
  after(async () => fixture.remove());
  beforeEach(async () => ({ directory, volume, repository, config } = await fixture.copy()));
  afterEach(async () => fixture.removeCopy());

  const extract = async (storage: BackupStorage, backup: BackupRef): Promise<string> => {
    const target = await mkdtemp(path.join(directory, 'target-'));
    if (process.getuid?.() === 0) execFileSync('chown', [`${owner.uid}:${owner.gid}`, target]);
    await withHandle(await open(target, constants.O_RDONLY | constants.O_DIRECTORY), async (handle) =>
      storage.extract(backup, { directory: handle, owner, paths: [], signal: never, onExtracted: ignoreShare }),
    );
    return target;
  };
  const objectsIn = async (below: string) => {
    const names = await readdir(path.join(repository, below), { recursive: true, withFileTypes: true });
    return names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  };

  it('starts the program once for a backup, which reads no unchanged file again', async () => {
    const { program, commands, printed } = recording(createResticProgram(config));
    const storage = createResticStorage(config, { restic: program });
    await rm(repository, { recursive: true });
    await store(storage);
    expect(commands).to.deep.equal(['init', 'backup']);
    await writeFile(path.join(volume, 'world/b'), randomBytes(60_000));
    commands.length = 0;
    const second = await store(storage);
    expect(commands).to.deep.equal(['backup']);
    const summary = JSON.parse(printed.findLast((line) => line.includes('"summary"')) ?? '{}');
    expect(summary).to.include({ files_unmodified: 1, files_changed: 1, files_new: 0 });
    expect(second.checksum).to.match(/^sha256:[0-9a-f]{64}$/);
    expect(await readFile(path.join(await extract(storage, second), 'world/b'))).to.have.length(60_000);
  });

  for (const below of ['data', 'index', 'snapshots']) {
    it(`refuses a backup of which something in ${below} is not what was written`, async () => {
      const restic = createResticProgram(config);
      const program: ResticProgram = {
        ...restic,
        lines: async function* (...call) {
          const before = await objectsIn(below);
          yield* restic.lines(...call);
          for (const file of await objectsIn(below)) if (!before.includes(file)) await flipByte(file);
        },
      };
      await writeFile(path.join(volume, 'world/c'), randomBytes(50_000));
      expect(await reasonOf(store(createResticStorage(config, { restic: program })))).to.equal('BACKUP_DAMAGED');
      expect(await objectsIn('snapshots')).to.have.length(1);
    });
  }

  it('keeps nothing of a backup that failed or was aborted', async () => {
    const restic = createResticProgram(config);
    const before = (await readdir(repository, { recursive: true })).toSorted();
    await writeFile(path.join(volume, 'world/c'), randomBytes(20_000_000));
    const program: ResticProgram = {
      ...restic,
      lines: async function* (...call) {
        yield* restic.lines(...call);
        throw new Error('enough');
      },
    };
    expect(await reasonOf(store(createResticStorage(config, { restic: program })))).not.to.equal('none');
    const stored = (names: string[]) => names.filter((name) => /[0-9a-f]{64}$/.test(name) && !name.startsWith('locks'));
    const after = (await readdir(repository, { recursive: true })).toSorted();
    expect(stored(after)).to.deep.equal(stored(before));
  });

  it('removes nothing of a backup that failed once another node may write', async () => {
    const { program } = recording(createResticProgram(config));
    const restic: ResticProgram = {
      ...program,
      lines: async function* (...call) {
        yield* program.lines(...call);
        throw fail('STORAGE_UNAVAILABLE', 'another node has it');
      },
    };
    for (const isHeld of [false, true]) {
      await writeFile(path.join(volume, 'world/c'), randomBytes(50_000));
      const before = await objectsIn('data');
      const writes: RepositoryWrites = {
        run: async (_serverId, { signal }, work) => work({ signal, isHeld: () => isHeld }),
      };
      expect(await reasonOf(store(createResticStorage(config, { restic, writes })))).to.equal('STORAGE_UNAVAILABLE');
      expect((await objectsIn('data')).length - before.length, String(isHeld)).to.equal(isHeld ? 0 : 2);
    }
  });

  it('ends the program, and keeps nothing, when the tree cannot be linked', async () => {
    const storage = createResticStorage(config);
    const before = await objectsIn('.');
    const notLinked = () => {
      throw new Error('not linked');
    };
    const failure = await store(storage, notLinked).catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'not linked');
    expect(await objectsIn('.')).to.deep.equal(before);
    for (const work of ['trees', 'gates']) expect(await readdir(path.join(config.workDirectory, work))).to.be.empty;
    await store(storage);
  });

  it('leaves the node the space that it keeps free', async () => {
    const storage = createResticStorage(config, { minFreeBytes: 2 ** 50 });
    expect(await reasonOf(store(storage))).to.equal('NODE_DISK_LOW');
    expect(await objectsIn('snapshots')).to.have.length(1);
  });

  const losses: readonly [string, (directory: string) => Promise<void>, string][] = [
    ['its snapshot', async (at) => emptyOut(path.join(at, 'snapshots')), 'BACKUP_MISSING'],
    ['its config', async (at) => rm(path.join(at, 'config')), 'BACKUP_MISSING'],
    ['everything', async (at) => rm(at, { recursive: true }), 'BACKUP_MISSING'],
    ['its index', async (at) => emptyOut(path.join(at, 'index')), 'BACKUP_DAMAGED'],
    ['the bytes of its snapshot', async (at) => flipAll(path.join(at, 'snapshots')), 'BACKUP_DAMAGED'],
    ['the bytes of its index', async (at) => flipAll(path.join(at, 'index')), 'BACKUP_DAMAGED'],
    ['the bytes of its packs', async (at) => flipAll(path.join(at, 'data')), 'BACKUP_DAMAGED'],
  ];
  for (const [lost, lose, reason] of losses) {
    it(`says ${reason} once ${lost} has been lost`, async () => {
      const storage = createResticStorage(config);
      await lose(repository);
      const reasons = await Promise.all([
        reasonOf(storage.verify(first, never, ignoreShare)),
        reasonOf(storage.list(first, 'world', 10, never)),
        reasonOf(storage.open(first, { offset: 0, limit: 0 }, never)),
      ]);
      expect(reasons).to.deep.equal([reason, reason, reason]);
    });
  }

  it('says STORAGE_UNAVAILABLE with the wrong password, and damages nothing', async () => {
    const storage = createResticStorage(config);
    const wrong = createResticStorage({ ...config, password: 'another long password' });
    const calls = [wrong.verify(first, never, ignoreShare), extract(wrong, first), store(wrong), wrong.delete(first)];
    const reasons = await Promise.all(calls.map(reasonOf));
    expect(reasons).to.deep.equal(Array(4).fill('STORAGE_UNAVAILABLE'));
    await storage.verify(first, never, ignoreShare);
  });

  it('makes the repository again when the first attempt was killed', async () => {
    const storage = createResticStorage(config);
    const key = path.join(directory, 'keys');
    await cp(path.join(repository, 'keys'), key, { recursive: true });
    await rm(repository, { recursive: true });
    // restic writes its key first
    await mkdir(repository);
    await cp(key, path.join(repository, 'keys'), { recursive: true });
    const backup = await store(storage);
    await storage.verify(backup, never, ignoreShare);
    expect(await objectsIn('keys')).to.have.length(1);
  });

  it('sweeps the trees that killed processes have left, whatever their modes', async () => {
    const trees = path.join(config.workDirectory, 'trees');
    await mkdir(path.join(trees, serverId, 'locked'), { recursive: true, mode: 0o500 });
    await createResticStorage(config).sweep(async () => true, never);
    expect(await readdir(trees)).to.deep.equal([]);
  });

  it('never makes a repository again over snapshots', async () => {
    await rm(path.join(repository, 'config'));
    expect(await reasonOf(store(createResticStorage(config)))).to.equal('STORAGE_UNAVAILABLE');
    expect(await objectsIn('snapshots')).to.have.length(1);
  });

  it('sends a backup to its end while another one is deleted', async () => {
    const names = Array.from({ length: 300 }, (_, i) => path.join(volume, 'world', `c${1000 + i}`));
    for (const name of names) await writeFile(name, randomBytes(100_000));
    const storage = createResticStorage(config);
    const larger = await store(storage);
    for (const name of names.filter((_name, i) => i % 2 === 1)) await rm(name);
    const smaller = await store(storage);
    const packs = await objectsIn('data');
    const { chunks } = await storage.open(smaller, { offset: 0, limit: 0 }, never);
    const reading = chunks[Symbol.asyncIterator]();
    const parts = [(await reading.next()).value as Buffer];
    await storage.delete(larger);
    for (let next = await reading.next(); next.done !== true; next = await reading.next()) parts.push(next.value);
    const listed = execFileSync('tar', ['-tzf', '-'], { input: Buffer.concat(parts), encoding: 'utf8' });
    expect(listed.split('\n').filter((line) => line.includes('world/c'))).to.have.length(150);
    // without a reader
    await storage.delete(first);
    expect(await objectsIn('data')).not.to.include.members(packs);
  });

  it('fails a backup of files that cannot be read', async () => {
    const restic = createResticProgram(config);
    const lines: ResticProgram['lines'] = async function* (server, args, options) {
      yield* restic.lines(server, args, options);
      // restic exits with 3 after a snapshot
      if (args[0] !== 'backup' || options.acceptedCodes?.includes(3) === true) return;
      throw fail('BACKUP_TOOL_FAILED', 'restic has failed: permission denied');
    };
    const before = await objectsIn('snapshots');
    const storage = createResticStorage(config, { restic: { ...restic, lines } });
    expect(await reasonOf(store(storage))).to.equal('BACKUP_TOOL_FAILED');
    expect(await objectsIn('snapshots')).to.deep.equal(before);
  });

  describe('of a file that grows meanwhile', () => {
    /** Reports wrong lengths at first, like restic 0.14 by chance. */
    const growing = (wrongTimes: number) => {
      const restic = createResticProgram(config);
      let lists = 0;
      const program: ResticProgram = {
        ...restic,
        lines: async function* (repositoryId, args, options) {
          const [command] = args;
          if (command === 'backup') await appendFile(path.join(volume, 'world/a'), randomBytes(1_000));
          if (command === 'ls') lists += 1;
          for await (const line of restic.lines(repositoryId, args, options)) {
            const isWrong = command === 'ls' && lists <= wrongTimes && line.includes('"/world/a"');
            yield isWrong ? line.replace(/"size":\d+/, '"size":99000') : line;
          }
        },
      };
      return recording(program);
    };

    it('makes the snapshot again that has a wrong length of it, and keeps the right one', async () => {
      const { program, commands } = growing(1);
      const storage = createResticStorage(config, { restic: program });
      const second = await store(storage);
      expect(commands).to.deep.equal(['backup', 'ls', 'backup', 'ls']);
      expect(await objectsIn('snapshots')).to.have.length(2);
      expect(await readFile(path.join(await extract(storage, second), 'world/a'))).to.have.length(52_000);
    });

    it('stores one whose name is not UTF-8, which restic does not find by the name that it shows', async () => {
      const odd = Buffer.concat([Buffer.from(`${path.join(volume, 'world')}/`), Buffer.from([0x61, 0xff])]);
      await writeFile(odd, 'x');
      const restic = createResticProgram(config);
      const program: ResticProgram = {
        ...restic,
        lines: async function* (repositoryId, args, options) {
          yield* restic.lines(repositoryId, args, options);
          if (args[0] === 'backup') await appendFile(odd, randomBytes(1_000));
        },
      };
      const storage = createResticStorage(config, { restic: program });
      expect(await readdir(path.join(await extract(storage, await store(storage)), 'world'))).to.have.length(3);
    });

    it('fails in the end, names it, and keeps nothing', async () => {
      const before = await objectsIn('');
      const failed = store(createResticStorage(config, { restic: growing(100).program }));
      const error: unknown = await failed.catch((caught: unknown) => caught);
      expect(error).to.include({ reason: 'BACKUP_TOOL_FAILED' });
      expect(String(error)).to.include('"world/a" grows too fast');
      expect(await objectsIn('')).to.have.members(before);
    });
  });

  it('unlocks a repository that a killed process has left locked', async () => {
    const storage = createResticStorage(config);
    const lock = await exclusiveLock(repository);
    await store(storage);
    await writeFile(lock.file, lock.content);
    await storage.delete(first);
    expect(await objectsIn('snapshots')).to.have.length(1);
  });

  describe('in a bucket', () => {
    const s3 = new S3Server();
    let inBucket: ResticConfig;
    let url: string;
    before(async () => (url = await s3.start()));
    after(async () => s3.stop());
    beforeEach(() => (inBucket = { ...config, repository: `s3:${url}/backups/restic` }));
    afterEach(() => {
      s3.fault = 'none';
      s3.objects.clear();
    });
    const open = () => createResticStorage(inBucket, { bucket: repositoriesInBucket(inBucket, () => new Date()) });

    it('keeps backups, and is removed with its server', async () => {
      const storage = open();
      const older = await store(storage);
      const second = await store(storage);
      await storage.delete(older);
      await storage.verify(second, never, ignoreShare);
      expect(await readFile(path.join(await extract(storage, second), 'world/a'))).to.have.length(50_000);
      await storage.deleteServer(serverId);
      expect([...s3.objects.keys()]).to.deep.equal([]);
    });

    it('reads a backup back and fails it when bytes differ', async () => {
      s3.fault = 'damages what is put into data/';
      expect(await reasonOf(store(open()))).to.equal('BACKUP_DAMAGED');
    });

    it('reports a repository that does not answer as unavailable', async () => {
      const silent = createServer(() => undefined);
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const at = `s3:http://127.0.0.1:${(silent.address() as AddressInfo).port}/backups`;
      const program = createResticProgram({ ...config, repository: at }, 300);
      const storage = createResticStorage({ ...config, repository: at }, { restic: program });
      const backup = { id: randomUUID(), serverId, checksum: `sha256:${'0'.repeat(64)}` };
      expect(await reasonOf(storage.verify(backup, never, ignoreShare))).to.equal('STORAGE_UNAVAILABLE');
      expect(await reasonOf(storage.delete(backup))).to.equal('STORAGE_UNAVAILABLE');
      silent.closeAllConnections();
      silent.close();
    });
  });

  /** Lock of `prune`, as left by a killed process. */
  async function exclusiveLock(at: string): Promise<{ file: string; content: Buffer }> {
    const locks = path.join(at, 'locks');
    const args = ['--no-cache', '--repo', at, 'check', '--read-data'];
    for (let tries = 0; tries < 20; tries += 1) {
      const child = spawn('restic', args, { env: { ...process.env, RESTIC_PASSWORD: password }, stdio: 'ignore' });
      const exited = new Promise((resolve) => child.once('exit', resolve));
      while (child.exitCode === null && child.signalCode === null) {
        const [name] = await readdir(locks);
        if (name !== undefined) child.kill('SIGKILL');
        if (name !== undefined) break;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await exited;
      const [left] = await readdir(locks);
      if (left !== undefined) return { file: path.join(locks, left), content: await readFile(path.join(locks, left)) };
    }
    throw new Error('no lock was left');
  }
});

describe('the address of a restic repository', () => {
  const addresses: readonly [string, ReturnType<typeof parseBucket>][] = [
    ['s3:https://host/bucket', { endpoint: 'https://host', bucket: 'bucket', prefix: '' }],
    ['s3:http://host:9000/bucket/a/b/', { endpoint: 'http://host:9000', bucket: 'bucket', prefix: 'a/b/' }],
    ['s3:s3.amazonaws.com/bucket', { endpoint: 'https://s3.amazonaws.com', bucket: 'bucket', prefix: '' }],
    ['s3://s3.amazonaws.com/bucket/', { endpoint: 'https://s3.amazonaws.com', bucket: 'bucket', prefix: '' }],
    ['s3:https://host', null],
    ['rest:https://host/bucket', null],
    ['/var/lib/panel/restic', null],
  ];
  for (const [address, bucket] of addresses) {
    it(`${address} is ${bucket ? `a bucket at ${bucket.endpoint}` : 'no bucket'}`, () => {
      expect(parseBucket(address)).to.deep.equal(bucket);
    });
  }
});

async function flipByte(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  await rm(file);
  await writeFile(file, bytes);
}

async function flipAll(directory: string): Promise<void> {
  for (const name of await readdir(directory, { recursive: true })) {
    const file = path.join(directory, name);
    if ((await stat(file)).isFile()) await flipByte(file);
  }
}

async function emptyOut(directory: string): Promise<void> {
  await rm(directory, { recursive: true });
  await mkdir(directory);
}
