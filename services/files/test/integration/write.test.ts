import { createHash, randomUUID } from 'node:crypto';
import { chmod, link, mkdir, readdir, readFile, readlink, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import type { FileGrant } from '@panel/rpc';
import { isAppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import type { WriteFileRequest } from '@panel/protos/files';
import { expect } from 'chai';
import { newVolume, readAll, reasonOf, type RunningFiles, startTestFiles, writeAll } from '../harness.js';
import path from 'node:path';

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const isRoot = process.getuid?.() === 0;

describe('WriteFile', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
  });

  const at = (name: string) => path.join(directory, name);
  const grant = (diskLimitBytes = 0, denylist: string[] = []) =>
    running.grant(serverId, 'file.update', { diskLimitBytes, denylist });
  const write = async (asked: string, content: string | Buffer, limit = 0) =>
    writeAll(running, { grant: grant(limit), path: asked }, content);
  const used = async () => (await running.volumes.getVolumeUsage({ serverId })).usedBytes;

  it('creates a file owned by the game user and returns its entry', async () => {
    const { entry, sha256: sum } = await write('/a.properties', 'motd=hi');
    expect(await readFile(at('a.properties'), 'utf8')).to.equal('motd=hi');
    expect(sum).to.equal(sha256('motd=hi'));
    expect(entry).to.include({
      name: 'a.properties',
      sizeBytes: 7,
      modeBits: '644',
      isFile: true,
      mimetype: 'text/plain',
    });
    if (isRoot) expect(await stat(at('a.properties'))).to.include({ uid: 988, gid: 988 });
  });

  it('replaces a whole file and keeps its mode', async () => {
    await writeFile(at('start.sh'), 'a much longer text than the new one');
    await chmod(at('start.sh'), 0o4750);
    await write('/start.sh', 'short');
    expect(await readFile(at('start.sh'), 'utf8')).to.equal('short');
    expect((await stat(at('start.sh'))).mode & 0o7777).to.equal(0o750);
  });

  it('creates missing parent directories', async () => {
    await write('/plugins/a/config.yml', 'x: 1');
    expect(await readFile(at('plugins/a/config.yml'), 'utf8')).to.equal('x: 1');
    const made = await stat(at('plugins/a'));
    expect(made.mode & 0o777).to.equal(0o755);
    if (isRoot) expect(made).to.include({ uid: 988, gid: 988 });
  });

  it('writes empty and large files and leaves no other files', async () => {
    await write('/empty', '');
    const big = Buffer.alloc(5 * 1024 * 1024 + 1, 'panel');
    await write('/big', big);
    expect((await readFile(at('big'))).equals(big)).to.equal(true);
    expect(await readdir(directory)).to.have.members(['empty', 'big']);
  });

  it('shows readers the old or the new file and nothing in between', async () => {
    const [old, next] = [Buffer.alloc(600_000, 'a'), Buffer.alloc(600_000, 'b')];
    await write('/f', old);
    const state = { isDone: false };
    const seen = new Set<string>();
    const watch = async () => {
      while (!state.isDone) seen.add(sha256(await readFile(at('f'))));
    };
    const watching = watch();
    for (let i = 0; i < 20; i += 1) await write('/f', i % 2 ? old : next);
    state.isDone = true;
    await watching;
    expect([...seen].filter((sum) => sum !== sha256(old) && sum !== sha256(next))).to.deep.equal([]);
  });

  it('leaves one complete file after 50 concurrent writes', async () => {
    const contents = Array.from({ length: 50 }, (_, i) => `${i}`.repeat(10_000));
    await Promise.all(contents.map(async (content) => write('/same', content)));
    expect(contents).to.include(await readFile(at('same'), 'utf8'));
    expect(await readdir(directory)).to.deep.equal(['same']);
  });

  describe('up to the upload limit of the node', () => {
    const limited = (more: Partial<FileGrant> = {}) =>
      running.grant(serverId, 'file.update', { uploadLimitBytes: 1000, ...more });
    const refusal = async (content: Buffer, sizeBytes: number, token = limited()) =>
      writeAll(running, { grant: token, path: '/f', sizeBytes }, content, 300).then(
        () => expect.fail('the file was taken'),
        (error: unknown) => (isAppError(error) ? [error.reason, error.metadata] : [String(error)]),
      );
    const tooLarge = ['UPLOAD_TOO_LARGE', { limitBytes: 1000 }];

    it('accepts a file of exactly that size', async () => {
      await writeAll(running, { grant: limited(), path: '/f', sizeBytes: 1000 }, Buffer.alloc(1000));
      expect((await stat(at('f'))).size).to.equal(1000);
    });

    it('refuses a larger declared size before a byte is stored', async () => {
      expect(await refusal(Buffer.alloc(1001), 1001)).to.deep.equal(tooLarge);
      expect(await readdir(directory)).to.deep.equal([]);
    });

    for (const said of [0, 10, 1000]) {
      it(`refuses a larger body when the sender declares ${said}, and keeps the old file`, async () => {
        await write('/f', 'old');
        const before = await used();
        expect(await refusal(Buffer.alloc(1001), said)).to.deep.equal(tooLarge);
        expect(await readFile(at('f'), 'utf8')).to.equal('old');
        expect(await readdir(directory)).to.deep.equal(['f']);
        expect(await used()).to.equal(before);
      });
    }

    it('applies whatever disk space remains', async () => {
      expect(await refusal(Buffer.alloc(1001), 1001, limited({ diskLimitBytes: 100 }))).to.deep.equal(tooLarge);
    });
  });

  describe('with a precondition', () => {
    const writeIf = async (seen: string, content: string) =>
      writeAll(running, { grant: grant(), path: '/f', ifMatchSha256: sha256(seen) }, content);

    it('writes when the checksum matches', async () => {
      await write('/f', 'one');
      await writeIf('one', 'two');
      expect(await readFile(at('f'), 'utf8')).to.equal('two');
    });

    it('changes nothing when the checksum differs or the file is missing', async () => {
      expect(await reasonOf(writeIf('one', 'two'))).to.equal('FILE_CHANGED');
      await write('/f', 'three');
      expect(await reasonOf(writeIf('one', 'two'))).to.equal('FILE_CHANGED');
      expect(await readFile(at('f'), 'utf8')).to.equal('three');
    });

    it('writes over whatever is there, and creates nothing, when there has to be a file', async () => {
      const replace = async () => writeAll(running, { grant: grant(), path: '/f', mustExist: true }, 'two');
      expect(await reasonOf(replace())).to.equal('FILE_CHANGED');
      expect(await readdir(directory)).to.deep.equal([]);
      await write('/f', 'one');
      await replace();
      expect(await readFile(at('f'), 'utf8')).to.equal('two');
    });

    it('lets one of 50 concurrent writes succeed', async () => {
      await write('/f', 'one');
      const reasons = await Promise.all(
        Array.from({ length: 50 }, async (_, i) => reasonOf(writeIf('one', `two ${i}`))),
      );
      expect(reasons.filter((reason) => reason === 'none')).to.have.length(1);
      expect(reasons.filter((reason) => reason === 'FILE_CHANGED')).to.have.length(49);
    });

    it('accepts only a checksum', async () => {
      const call = writeAll(running, { grant: grant(), path: '/f', ifMatchSha256: 'abc' }, '');
      expect(await reasonOf(call)).to.equal('INVALID_FIELDS');
    });
  });

  describe('within the disk limit', () => {
    const limit = 1024 * 1024;
    const free = async () => Math.floor((limit - (await used())) / 4096) * 4096;

    it('counts the blocks of a sparse file against the disk limit, not its length', async () => {
      await writeFile(at('sparse'), '');
      await truncate(at('sparse'), 10 * limit);
      expect(await reasonOf(write('/sparse', Buffer.alloc(2 * limit, 1), limit))).to.equal('DISK_LIMIT');
      expect((await stat(at('sparse'))).blocks).to.equal(0);
    });

    it('counts blocks kept by hard links against the disk limit between overwrites', async () => {
      const half = Math.floor((await free()) / 2 / 4096) * 4096;
      await write('/f', Buffer.alloc(half, 1), limit);
      await link(at('f'), at('g'));
      expect(await reasonOf(write('/f', Buffer.alloc(half, 2), limit))).to.equal('none');
      await link(at('f'), at('h'));
      expect(await reasonOf(write('/f', Buffer.alloc(half, 3), limit))).to.equal('DISK_LIMIT');
      expect(await used()).to.be.at.most(limit);
    });

    it('counts a file as freed once, however many replace it at the same time', async () => {
      const [retained, replaced] = [600 * 1024, 250 * 1024];
      await write('/kept', Buffer.alloc(retained, 1), limit);
      await write('/f', Buffer.alloc(replaced, 1), limit);
      await Promise.all(Array.from({ length: 20 }, async (_, i) => write('/f', Buffer.from([i]), limit)));
      expect(await reasonOf(write('/more', Buffer.alloc(retained, 2), limit))).to.equal('DISK_LIMIT');
      expect(await used()).to.be.at.most(limit);
    });

    it('refuses any growth above it and allows shrinking', async () => {
      await writeFile(at('f'), Buffer.alloc(3 * limit, 1));
      expect(await reasonOf(write('/g', 'x', limit))).to.equal('DISK_LIMIT');
      expect(await reasonOf(write('/f', Buffer.alloc(3 * limit + 4096, 1), limit))).to.equal('DISK_LIMIT');
      expect(await reasonOf(write('/f', Buffer.alloc(2 * limit, 1), limit))).to.equal('none');
    });

    it('counts blocks, so that each of 300 small files counts one', async () => {
      const room = await free();
      const reasons = await Promise.all(
        Array.from({ length: 300 }, async (_, i) => reasonOf(write(`/tiny${i}`, 'x', limit))),
      );
      expect(reasons.filter((reason) => reason === 'none')).to.have.length(room / 4096);
    });

    it('accepts the last byte and refuses the next', async () => {
      const room = await free();
      expect(await reasonOf(write('/f', Buffer.alloc(room + 1), limit))).to.equal('DISK_LIMIT');
      expect(await readdir(directory)).to.deep.equal([]);
      await write('/f', Buffer.alloc(room), limit);
      expect(await reasonOf(write('/g', 'x', limit))).to.equal('DISK_LIMIT');
    });

    it('does not trust the declared size', async () => {
      const start = { grant: grant(limit), path: '/f', sizeBytes: 1 };
      expect(await reasonOf(writeAll(running, start, Buffer.alloc(limit)))).to.equal('DISK_LIMIT');
      expect(await readdir(directory)).to.deep.equal([]);
    });

    it('refuses an excessive declared size before a byte is sent', async () => {
      for (const sizeBytes of [limit + 1, Number.MAX_SAFE_INTEGER]) {
        const start = { grant: grant(limit), path: '/f', sizeBytes };
        expect(await reasonOf(writeAll(running, start, 'x'))).to.equal('DISK_LIMIT');
      }
      expect(await reasonOf(writeAll(running, { grant: grant(limit), path: '/f', sizeBytes: -1 }, ''))).to.equal(
        'INVALID_FIELDS',
      );
    });

    it('reports the limit and keeps the old file when the new one is too large', async () => {
      await write('/f', 'old', limit);
      const error = await write('/f', Buffer.alloc(2 * limit), limit).catch((cause: unknown) => cause);
      expect(isAppError(error, 'DISK_LIMIT') && error.metadata).to.deep.equal({ disk_limit: limit });
      expect(await readFile(at('f'), 'utf8')).to.equal('old');
      expect(await readdir(directory)).to.deep.equal(['f']);
    });

    it('lets a full server replace a file with one of equal or smaller size', async () => {
      const room = await free();
      await write('/f', Buffer.alloc(room, 'a'), limit);
      await write('/f', Buffer.alloc(room, 'b'), limit);
      await write('/f', 'small', limit);
      await write('/g', Buffer.alloc(room - 8192), limit);
    });

    it('holds for 50 concurrent writes that fit one by one', async function () {
      this.timeout(180_000);
      const room = await free();
      const size = Math.floor(room / 5 / 4096) * 4096;
      const reasons = await Promise.all(
        Array.from({ length: 50 }, async (_, i) => reasonOf(write(`/f${i}`, Buffer.alloc(size, 1), limit))),
      );
      expect(reasons.filter((reason) => reason === 'none')).to.have.length(5);
      expect(reasons.filter((reason) => reason === 'DISK_LIMIT')).to.have.length(45);
      expect(await readdir(directory)).to.have.length(5);
    });

    it('releases the reservation when a writer disconnects midway', async () => {
      await writeFile(at('f'), 'old');
      const abort = new AbortController();
      async function* endless(): AsyncGenerator<WriteFileRequest> {
        const start = { grant: grant(limit), path: '/f', sizeBytes: limit - 100_000, ifMatchSha256: '' };
        yield { part: { $case: 'start', value: start } };
        yield { part: { $case: 'chunk', value: Buffer.alloc(1000) } };
        await waitUntil('the file to be begun', async () => (await readdir(directory)).length > 1);
        abort.abort(new Error('gone'));
        await new Promise(() => undefined);
      }
      await reasonOf(running.files.writeFile(endless(), { signal: abort.signal }));
      await waitUntil('the rest to be removed', async () => (await readdir(directory)).length === 1);
      expect(await readFile(at('f'), 'utf8')).to.equal('old');
      await write('/g', Buffer.alloc((await free()) - 4096), limit);
    });
  });

  describe('refused writes', () => {
    const secret = 'a secret of the host';
    let outside: string;
    beforeEach(async () => {
      outside = path.join(running.dataRoot, 'outside');
      await mkdir(outside, { recursive: true });
      await writeFile(path.join(outside, 'file'), secret);
    });
    const untouched = async () => {
      expect(await readdir(outside)).to.deep.equal(['file']);
      expect(await readFile(path.join(outside, 'file'), 'utf8')).to.equal(secret);
    };

    for (const [what, link, asked] of [
      ['through a link to a directory outside', '../../outside', '/x/new'],
      ['through a link to a file outside', '../../outside/file', '/x'],
      ['through an absolute link', '/tmp', '/x/new'],
      ['through a link to itself', 'x', '/x/new'],
      ['to a name that is a link inside', 'inside', '/x'],
      ['to a name that is a broken link', 'nothing', '/x'],
    ] as const) {
      it(`writes nothing ${what}`, async () => {
        await writeFile(at('inside'), 'inside');
        await symlink(link, at('x'));
        expect(await reasonOf(write(asked, 'gotcha'))).to.equal('LINK_REFUSED');
        expect(await readlink(at('x'))).to.equal(link);
        expect(await readFile(at('inside'), 'utf8')).to.equal('inside');
        expect(await readdir(directory)).to.have.members(['inside', 'x']);
        await untouched();
      });
    }

    for (const asked of [
      '',
      '/',
      '.',
      '..',
      '/..',
      '/a/../../b',
      '/a\0',
      '/a\nb',
      '/a\\b',
      `/${'x'.repeat(256)}`,
      '/d'.repeat(65),
    ]) {
      it(`refuses the path ${JSON.stringify(asked.slice(0, 20))}`, async () => {
        expect(await reasonOf(write(asked, 'x'))).to.equal('INVALID_FIELDS');
        expect(await readdir(directory)).to.deep.equal([]);
      });
    }

    it('refuses to write directories and paths below a file', async () => {
      await mkdir(at('dir'));
      await writeFile(at('file'), 'x');
      expect(await reasonOf(write('/dir', 'x'))).to.equal('NOT_A_FILE');
      expect(await reasonOf(write('/file/deeper', 'x'))).to.equal('FILE_NOT_FOUND');
    });

    it('refuses to write protected paths in any spelling, for new files too', async () => {
      await mkdir(at('world'));
      await symlink('world', at('w'));
      for (const asked of ['/world/level.dat', '/w/level.dat', '/new/level.dat', '/private/x']) {
        const start = { grant: grant(0, ['*.dat', 'private/']), path: asked };
        expect(await reasonOf(writeAll(running, start, 'x'))).to.equal('FILE_DENIED');
      }
      expect(await readdir(directory)).to.have.members(['world', 'w']);
    });

    it('refuses to write without a grant', async () => {
      for (const permission of ['file.read', 'file.read-content', 'file.create', 'file.delete', '*']) {
        const start = { grant: running.grant(serverId, permission), path: '/f' };
        expect(await reasonOf(writeAll(running, start, 'x'))).to.equal('GRANT_INSUFFICIENT');
      }
      expect(await reasonOf(writeAll(running, { grant: '', path: '/f' }, 'x'))).to.equal('GRANT_INVALID');
      expect(await readdir(directory)).to.deep.equal([]);
    });

    it('refuses messages out of order', async () => {
      const send = async (...parts: WriteFileRequest['part'][]) => {
        async function* requests(): AsyncGenerator<WriteFileRequest> {
          for (const part of parts) yield { part };
        }
        return reasonOf(running.files.writeFile(requests()));
      };
      const start = { $case: 'start', value: { grant: grant(), path: '/f', sizeBytes: 0, ifMatchSha256: '' } } as const;
      const chunk = { $case: 'chunk', value: Buffer.from('x') } as const;
      const finish = { $case: 'finish', value: { sizeBytes: 1 } } as const;
      for (const parts of [[], [chunk], [finish], [chunk, start], [start, start], [start, chunk, undefined]] as const) {
        expect(await send(...parts)).to.equal('INVALID_FIELDS');
      }
      for (const parts of [[start], [start, chunk], [start, finish], [start, chunk, chunk, finish]] as const) {
        expect(await send(...parts)).to.equal('UPLOAD_INCOMPLETE');
      }
      expect(await readdir(directory)).to.deep.equal([]);
    });
  });

  it('keeps the names of files that are being written for itself, and lists none of them', async () => {
    const name = `.panel-${randomUUID()}.part`;
    await mkdir(at('kept'));
    await writeFile(at(`kept/${name}`), 'x');
    expect(await reasonOf(write(`/kept/${name}`, 'y'))).to.equal('INVALID_FIELDS');
    const renamed = { grant: grant(), root: '', files: [{ from: 'kept', to: name }] };
    expect(await reasonOf(running.files.renameFiles(renamed))).to.equal('INVALID_FIELDS');
    for (const page of [undefined, { page: 1, perPage: 10, sort: [], search: '' }]) {
      const list = { grant: running.grant(serverId, 'file.read'), directory: '/kept', page };
      expect((await running.files.listDirectory(list)).entries).to.deep.equal([]);
    }
    expect(await readFile(at(`kept/${name}`), 'utf8')).to.equal('x');
  });

  it('removes only its own temporary files of an earlier process at start', async () => {
    const stale = '.panel-11111111-1111-4111-8111-111111111111.part';
    for (const name of [stale, '.panel-mine.part']) await writeFile(at(name), Buffer.alloc(100_000, 1));
    await running.restart();
    await waitUntil('the sweep', async () => !(await readdir(directory)).includes(stale));
    expect(await readdir(directory)).to.deep.equal(['.panel-mine.part']);
    const young = '.panel-22222222-2222-4222-8222-222222222222.part';
    await writeFile(at(young), 'x');
    await used();
    expect(await readdir(directory)).to.have.members([young, '.panel-mine.part']);
  });
});

describe('node below its free-space floor', () => {
  let running: RunningFiles;
  before(async () => {
    running = await startTestFiles({ env: { MIN_FREE_DISK_MB: '10000000' } });
  });
  after(async () => running.stop());

  it('refuses every write with the reason and still lists, reads and deletes', async () => {
    const { serverId, directory } = await newVolume(running);
    await writeFile(path.join(directory, 'old'), 'old');
    const grant = (permission: string) => running.grant(serverId, permission);
    expect(await reasonOf(writeAll(running, { grant: grant('file.update'), path: '/f' }, 'x'))).to.equal(
      'NODE_DISK_LOW',
    );
    expect(await reasonOf(running.files.copyFile({ grant: grant('file.create'), path: '/old', to: '' }))).to.equal(
      'NODE_DISK_LOW',
    );
    expect(await reasonOf(running.files.createDirectory({ grant: grant('file.create'), path: '/d' }))).to.equal(
      'NODE_DISK_LOW',
    );
    expect(await readdir(directory)).to.deep.equal(['old']);
    expect((await readAll(running, { grant: grant('file.read-content'), path: '/old' })).toString()).to.equal('old');
    await running.files.deleteFiles({ grant: grant('file.delete'), root: '', files: ['/old'] });
    expect(await readdir(directory)).to.deep.equal([]);
  });
});
