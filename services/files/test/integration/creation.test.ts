import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pause } from '@panel/kit/async';
import { expect } from 'chai';
import { openCreationJournal } from '../../src/workspace/creation-journal.js';
import { type ChildFiles, startChildFiles } from '../child.js';
import { fileGrant, newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

describe('repeated creations of files', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
    await writeFile(path.join(directory, 'a.txt'), 'a');
  });

  const grant = () => running.grant(serverId, 'file.create');
  const copy = async (idempotencyId?: string, to = '') =>
    running.files.copyFile({ grant: grant(), path: '/a.txt', to }, { idempotencyId });
  const make = async (idempotencyId?: string) =>
    running.files.createDirectory({ grant: grant(), path: '/new' }, { idempotencyId });
  const fifty = async <T>(call: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 50 }, call));

  it('copies a file once for 50 requests and returns the result to all', async () => {
    const idempotencyId = randomUUID();
    const answers = await fifty(async () => copy(idempotencyId));
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(await copy(idempotencyId)).to.deep.equal(answers[0]);
    expect(await readdir(directory)).to.have.length(2);
  });

  it('creates a directory once for 50 requests', async () => {
    const idempotencyId = randomUUID();
    const answers = await fifty(async () => make(idempotencyId));
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(await reasonOf(make(randomUUID()))).to.equal('FILE_EXISTS');
    expect(await reasonOf(make())).to.equal('FILE_EXISTS');
  });

  it('executes a creation again after a failure', async () => {
    const idempotencyId = randomUUID();
    const other = running.grant(serverId, 'file.create', { diskLimitBytes: 1 });
    const failing = running.files.copyFile({ grant: other, path: '/a.txt', to: '/b.txt' }, { idempotencyId });
    expect(await reasonOf(failing)).to.equal('DISK_LIMIT');
    expect((await copy(idempotencyId, '/b.txt')).path).to.equal('/b.txt');
  });

  it('requires the permission for a repeated creation', async () => {
    const idempotencyId = randomUUID();
    await copy(idempotencyId);
    const reader = running.grant(serverId, 'file.read');
    const repeated = running.files.copyFile({ grant: reader, path: '/a.txt', to: '' }, { idempotencyId });
    expect(await reasonOf(repeated)).to.equal('GRANT_INSUFFICIENT');
  });
});

describe('repeated creations after a crash', function () {
  this.timeout(180_000);
  let child: ChildFiles;
  before(async () => {
    child = await startChildFiles();
  });
  after(async () => child.stop());

  async function makeUser() {
    const serverId = randomUUID();
    const { path: directory } = await child.volumes.createVolume({ serverId });
    await writeFile(path.join(directory, 'a.txt'), 'a');
    const grant = (more = {}) => fileGrant(serverId, 'file.create', more);
    return {
      directory,
      copy: async (idempotencyId: string | undefined, to = '') =>
        child.files.copyFile({ grant: grant(), path: '/a.txt', to }, { idempotencyId }),
      make: async (idempotencyId: string | undefined, at = '/new/inner', more = {}) =>
        child.files.createDirectory({ grant: grant(more), path: at }, { idempotencyId }),
    };
  }
  const die = async () => {
    await child.kill();
    await child.start();
  };

  describe('that comes when they are complete', () => {
    const checks = new Map<string, () => Promise<void>>();
    // one crash for all
    before(async () => {
      for (const [name, arrange] of Object.entries(arrangements)) checks.set(name, await arrange());
      await die();
    });

    /** Run before the crash; return checks for after it. */
    const arrangements: Record<string, () => Promise<() => Promise<void>>> = {
      ...Object.fromEntries(['', '/b.txt', '/new/inner/b.txt'].map((to) => [nameOfCopy(to), async () => copyTo(to)])),

      'create a directory once and return it again with its current content': async () => {
        const { directory, make } = await makeUser();
        const idempotencyId = randomUUID();
        const first = await make(idempotencyId);
        await writeFile(path.join(directory, 'new/inner/file'), '');
        return async () => {
          const again = await make(idempotencyId);
          expect(again.entry).to.include({ name: first.entry?.name, mode: first.entry?.mode });
          expect(await readdir(path.join(directory, 'new/inner'))).to.deep.equal(['file']);
          expect(await reasonOf(make(randomUUID()))).to.equal('FILE_EXISTS');
          expect(await reasonOf(make(undefined))).to.equal('FILE_EXISTS');
        };
      },

      'complete a directory that had just been created': async () => {
        const { directory, make } = await makeUser();
        const idempotencyId = randomUUID();
        await make(idempotencyId, '/half');
        await rmdir(path.join(directory, 'half'));
        await mkdir(path.join(directory, 'half'), 0o700);
        return async () => {
          expect((await make(idempotencyId, '/half')).entry?.modeBits).to.equal('755');
          const { uid, gid } = await stat(directory);
          expect(await stat(path.join(directory, 'half'))).to.include({ uid, gid });
        };
      },

      'never adopt an entry of somebody else': async () => {
        const { directory, copy, make } = await makeUser();
        const [refused, gone, limited] = [randomUUID(), randomUUID(), randomUUID()];
        expect(await reasonOf(make(limited, '/later', { diskLimitBytes: 1 }))).to.equal('DISK_LIMIT');
        await mkdir(path.join(directory, 'later'));
        await mkdir(path.join(directory, 'taken'));
        await writeFile(path.join(directory, 'b.txt'), 'of somebody else');
        expect(await reasonOf(make(refused, '/taken'))).to.equal('FILE_EXISTS');
        expect(await reasonOf(copy(refused, '/b.txt'))).to.equal('FILE_EXISTS');
        await copy(gone, '/c.txt');
        await rm(path.join(directory, 'c.txt'));
        await writeFile(path.join(directory, 'c.txt'), 'of somebody else');
        return async () => {
          expect(await reasonOf(make(limited, '/later'))).to.equal('FILE_EXISTS');
          expect(await reasonOf(make(refused, '/taken'))).to.equal('FILE_EXISTS');
          expect(await reasonOf(copy(refused, '/b.txt'))).to.equal('FILE_EXISTS');
          expect(await reasonOf(copy(gone, '/c.txt'))).to.equal('FILE_EXISTS');
        };
      },
    };

    function nameOfCopy(to: string): string {
      return `copy once${to === '' ? ' beside the file' : ` to ${to}`} and return the entry again`;
    }

    async function copyTo(to: string): Promise<() => Promise<void>> {
      const { directory, copy } = await makeUser();
      const idempotencyId = randomUUID();
      const first = await copy(idempotencyId, to);
      return async () => {
        expect(await copy(idempotencyId, to)).to.deep.equal(first);
        const copies = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.txt'));
        expect(copies).to.have.length(2);
        const other = await copy(randomUUID(), to).catch(() => null);
        if (other && other.path !== first.path) await rm(path.join(directory, other.path));
        expect(other?.path).not.to.equal(first.path);
      };
    }

    for (const name of Object.keys(arrangements)) {
      it(name, async () => checks.get(name)?.());
    }
  });

  it('creates one copy and one directory after a crash at any point', async () => {
    const { directory, copy, make } = await makeUser();
    await writeFile(path.join(directory, 'a.txt'), Buffer.alloc(4 * 1024 * 1024, 'a'));
    for (const delayMs of [2, 10, 30]) {
      const [copying, making] = [randomUUID(), randomUUID()];
      const before = (await readdir(directory)).filter((name) => !name.endsWith('.part')).length;
      const calls = Promise.allSettled([copy(copying), make(making, `/after-${delayMs}`)]);
      await pause(delayMs);
      await die();
      await calls;
      await Promise.all([copy(copying), make(making, `/after-${delayMs}`)]);
      const names = (await readdir(directory)).filter((name) => !name.endsWith('.part'));
      expect(names.length - before, `after ${delayMs} ms`).to.equal(2);
    }
  });

  it('forgets a creation after a day', async () => {
    const { copy } = await makeUser();
    await copy(randomUUID());
    const directory = path.join(child.dataRoot, 'creations');
    let now = new Date();
    const creations = await openCreationJournal(directory, () => now);
    const { signal } = new AbortController();
    now = new Date(Date.now() + 23 * 3_600_000);
    await creations.sweep(signal);
    expect(await readdir(directory)).not.to.deep.equal([]);
    now = new Date(Date.now() + 25 * 3_600_000);
    await creations.sweep(signal);
    expect(await readdir(directory)).to.deep.equal([]);
  });
});
