import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, open, readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createActorSigner, createGrantSigner, serviceActor } from '@panel/rpc';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import {
  bytesRead,
  newVolume,
  readAll,
  readingToPause,
  reasonOf,
  type RunningFiles,
  serviceSecret,
  startTestFiles,
} from '../harness.js';
import path from 'node:path';
import jwt from 'jsonwebtoken';

describe('file reads', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
    await mkdir(path.join(directory, 'world'));
    await writeFile(path.join(directory, 'world/level.dat'), 'level');
    await writeFile(path.join(directory, 'server.properties'), 'motd=hi');
  });

  const list = async (asked: string, grant = running.grant(serverId, 'file.read')) =>
    running.files.listDirectory({ grant, directory: asked, page: undefined });
  const read = async (asked: string, range: { offsetBytes?: number; limitBytes?: number } = {}) =>
    readAll(running, { grant: running.grant(serverId, 'file.read-content'), path: asked, ...range });

  it('lists entries with all documented fields', async () => {
    await chmod(path.join(directory, 'server.properties'), 0o644);
    const { entries, truncated } = await list('/');
    expect(truncated).to.equal(false);
    expect(entries.map(({ name }) => name)).to.deep.equal(['world', 'server.properties']);
    expect(entries[1]).to.include({
      mode: '-rw-r--r--',
      modeBits: '644',
      sizeBytes: 7,
      isFile: true,
      isSymlink: false,
      mimetype: 'text/plain',
    });
    expect(entries[1]?.modifyTime?.getTime()).to.be.closeTo(Date.now(), 60_000);
    expect(entries[0]).to.include({ isFile: false, mimetype: 'inode/directory' });
  });

  it('returns whole files with their type', async () => {
    const grant = running.grant(serverId, 'file.read-content');
    const parts = [];
    const request = { grant, path: '/server.properties', offsetBytes: 0, limitBytes: 0 };
    for await (const { part } of running.files.readFile(request)) parts.push(part);
    expect(parts.map((part) => part?.$case)).to.deep.equal(['entry', 'chunk']);
    expect(parts[0]).to.have.nested.property('value.sizeBytes', 7);
    expect(await read('/server.properties')).to.deep.equal(Buffer.from('motd=hi'));
  });

  it('streams pieces of at most 256 KiB in order', async () => {
    const content = Buffer.alloc(1024 * 1024 + 7);
    for (let i = 0; i < content.length; i += 4) content.writeUInt32LE(i, Math.min(i, content.length - 4));
    await writeFile(path.join(directory, 'big'), content);
    const grant = running.grant(serverId, 'file.read-content');
    const sizes: number[] = [];
    for await (const { part } of running.files.readFile({ grant, path: '/big', offsetBytes: 0, limitBytes: 0 })) {
      if (part?.$case === 'chunk') sizes.push(part.value.length);
    }
    expect(Math.max(...sizes)).to.be.at.most(256 * 1024);
    expect((await read('/big')).equals(content)).to.equal(true);
  });

  for (const [what, range, expected] of [
    ['from the middle', { offsetBytes: 3 }, 'd=hi'],
    ['a part', { offsetBytes: 1, limitBytes: 3 }, 'otd'],
    ['more than there is', { offsetBytes: 5, limitBytes: 100 }, 'hi'],
    ['nothing behind the end', { offsetBytes: 7 }, ''],
    ['nothing far behind the end', { offsetBytes: Number.MAX_SAFE_INTEGER - 1, limitBytes: 1 }, ''],
  ] as const) {
    it(`returns ${what} when requested`, async () => {
      expect((await read('/server.properties', range)).toString()).to.equal(expected);
    });
  }

  it('refuses a negative range', async () => {
    expect(await reasonOf(read('/server.properties', { offsetBytes: -1 }))).to.equal('INVALID_FIELDS');
    expect(await reasonOf(read('/server.properties', { limitBytes: -1 }))).to.equal('INVALID_FIELDS');
  });

  it('answers not found for missing files', async () => {
    expect(await reasonOf(read('/missing'))).to.equal('FILE_NOT_FOUND');
    expect(await reasonOf(list('/missing'))).to.equal('FILE_NOT_FOUND');
    expect(await reasonOf(list('/server.properties/x'))).to.equal('FILE_NOT_FOUND');
  });

  it('distinguishes files and directories', async () => {
    expect(await reasonOf(list('/server.properties'))).to.equal('NOT_A_DIRECTORY');
    expect(await reasonOf(read('/world'))).to.equal('NOT_A_FILE');
    expect(await reasonOf(read('/'))).to.equal('NOT_A_FILE');
  });

  for (const asked of [
    '/proc/self/environ',
    '/proc/1/root/etc/shadow',
    '/dev/zero',
    '/sys/kernel',
    '/var/run/docker.sock',
    '/etc/passwd',
    'etc/passwd',
    '//etc/passwd',
    '/world/etc/passwd',
  ]) {
    it(`refuses ${asked} of the host`, async () => {
      expect(await reasonOf(read(asked))).to.equal('FILE_NOT_FOUND');
      expect(await reasonOf(list(asked))).to.equal('FILE_NOT_FOUND');
    });
  }

  for (const asked of [
    '',
    '..',
    '/..',
    '/world/../..',
    '../../etc/passwd',
    '/a\0',
    '/a\nb',
    '/a\\b',
    `/${'x'.repeat(256)}`,
  ]) {
    it(`refuses the path ${JSON.stringify(asked.slice(0, 20))}`, async () => {
      expect(await reasonOf(read(asked))).to.equal('INVALID_FIELDS');
      expect(await reasonOf(list(asked))).to.equal('INVALID_FIELDS');
    });
  }

  for (const [what, target] of [
    ['/etc', '/etc'],
    ['a file of the host', '/etc/passwd'],
    ['another server', '../'],
    ['the data root', '../../servers'],
    ['the environment of the service', '/proc/self/environ'],
    ['itself', 'link'],
  ] as const) {
    it(`follows no link to ${what}`, async () => {
      await symlink(target, path.join(directory, 'link'));
      for (const asked of ['/link', '/link/passwd', '/link/..x', `/link/${serverId}/server.properties`]) {
        expect(await reasonOf(read(asked))).to.equal('LINK_REFUSED');
        expect(await reasonOf(list(asked))).to.equal('LINK_REFUSED');
      }
    });
  }

  it('follows links inside the server', async () => {
    await symlink('world', path.join(directory, 'w'));
    await symlink('../server.properties', path.join(directory, 'world/p'));
    expect((await read('/w/level.dat')).toString()).to.equal('level');
    expect((await read('/w/p')).toString()).to.equal('motd=hi');
    expect((await list('/w')).entries.map(({ name }) => name)).to.deep.equal(['level.dat', 'p']);
  });

  it('refuses pipes, sockets and devices immediately', async () => {
    execFileSync('mkfifo', [path.join(directory, 'pipe')]);
    const socket = createServer().listen(path.join(directory, 'socket'));
    await once(socket, 'listening');
    const special = ['pipe', 'socket'];
    if (process.getuid?.() === 0) {
      execFileSync('mknod', [path.join(directory, 'zero'), 'c', '1', '5']);
      special.push('zero');
    }
    for (const name of special) expect(await reasonOf(read(`/${name}`))).to.equal('NOT_A_FILE');
    await new Promise((resolve) => socket.close(resolve));
  });

  it('accepts unusual names as they are listed', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${directory}/save`), Buffer.from([0xff, 0x0a])]), 'odd');
    const name = (await list('/')).entries.find((entry) => entry.name.startsWith('save'))?.name;
    expect(name).to.equal('save\ufffd\ufffd');
    expect((await read(`/${name}`)).toString()).to.equal('odd');
  });

  describe('protected paths', () => {
    const denying = (permission: string) => running.grant(serverId, permission, { denylist: ['*.dat', 'private/'] });
    const readDenied = async (asked: string) => readAll(running, { grant: denying('file.read-content'), path: asked });

    it('reads no protected path in any spelling', async () => {
      await symlink('world/level.dat', path.join(directory, 'innocent.txt'));
      await symlink('world', path.join(directory, 'w'));
      for (const asked of ['/world/level.dat', 'world//level.dat', '/w/level.dat', '/innocent.txt']) {
        expect(await reasonOf(readDenied(asked))).to.equal('FILE_DENIED');
      }
      expect((await readDenied('/server.properties')).toString()).to.equal('motd=hi');
    });

    it('refuses protected paths whether they exist or not', async () => {
      expect(await reasonOf(readDenied('/missing.dat'))).to.equal('FILE_DENIED');
    });

    it('lists no protected path in any spelling', async () => {
      await mkdir(path.join(directory, 'private/deeper'), { recursive: true });
      await symlink('private', path.join(directory, 'public'));
      for (const asked of ['/private', '/private/deeper', '/public', '/public/deeper']) {
        expect(await reasonOf(list(asked, denying('file.read')))).to.equal('FILE_DENIED');
      }
    });
  });

  describe('file grants', () => {
    const forged = (claims: object, secret = serviceSecret, options: jwt.SignOptions = {}) =>
      jwt.sign(claims, secret, { algorithm: 'HS256', audience: 'panel-files', expiresIn: 60, ...options });
    const claims = (more: object = {}) => ({
      typ: 'grant',
      server_id: serverId,
      permission: 'file.read',
      volume: `servers/${serverId}`,
      disk_limit_bytes: 0,
      denylist: [],
      ...more,
    });

    it('accepts a valid file grant', async () => {
      expect((await list('/', forged(claims()))).entries).to.have.length(2);
    });

    for (const [what, token] of [
      ['nothing', () => ''],
      ['no token', () => 'x.y.z'],
      ['another secret', () => forged(claims(), 'another-secret-of-at-least-32-characters')],
      ['no signature', () => forged(claims(), '', { algorithm: 'none' })],
      ['another audience', () => forged(claims(), serviceSecret, { audience: 'panel-internal' })],
      ['another type', () => forged(claims({ typ: 'actor' }))],
      ['an expiry in the past', () => forged(claims(), serviceSecret, { expiresIn: -1 })],
      ['an actor token', () => createActorSigner(serviceSecret).sign(serviceActor('servers'))],
    ] as const) {
      it(`refuses a file grant when ${what}`, async () => {
        expect(await reasonOf(list('/', token()))).to.equal('GRANT_INVALID');
        const grant = token();
        expect(await reasonOf(readAll(running, { grant, path: '/server.properties' }))).to.equal('GRANT_INVALID');
      });
    }

    it('refuses a file grant for another kind of operation', async () => {
      const sign = (permission: string) => running.grant(serverId, permission);
      for (const permission of ['file.read-content', 'file.create', 'file.update', 'file.delete', '*', 'file.*']) {
        expect(await reasonOf(list('/', sign(permission)))).to.equal('GRANT_INSUFFICIENT');
      }
      for (const permission of ['file.read', 'file.update', 'file.delete', '*']) {
        const call = readAll(running, { grant: sign(permission), path: '/server.properties' });
        expect(await reasonOf(call)).to.equal('GRANT_INSUFFICIENT');
      }
    });

    it('refuses a file grant for a path outside the data root', async () => {
      const grants = createGrantSigner(serviceSecret);
      const sign = (volume: string) =>
        grants.sign({ serverId, permission: 'file.read', volume, diskLimitBytes: 0, denylist: [] });
      for (const volume of ['..', '../', 'servers/..', '/etc/../..']) {
        expect(await reasonOf(list('/', sign(volume)))).to.equal('INVALID_FIELDS');
      }
      for (const volume of ['/', '.', '/etc', 'servers/missing', `servers/${serverId}/server.properties`]) {
        expect(await reasonOf(list('/', sign(volume)))).to.equal('VOLUME_NOT_FOUND');
      }
    });
  });

  it('closes files when the reader disconnects midway', async () => {
    const file = await open(path.join(directory, 'huge'), 'w');
    await file.truncate(512 * 1024 * 1024);
    await file.close();
    const grant = running.grant(serverId, 'file.read-content');
    let seen = 0;
    for await (const { part } of running.files.readFile({ grant, path: '/huge', offsetBytes: 0, limitBytes: 0 })) {
      if (part?.$case === 'chunk') seen += part.value.length;
      if (seen > 1024 * 1024) break;
    }
    await waitUntil('the file to be closed', async () => !(await openPaths()).includes(path.join(directory, 'huge')));
  });

  it('sends data no faster than it is read', async () => {
    const file = await open(path.join(directory, 'huge'), 'w');
    await file.truncate(512 * 1024 * 1024);
    await file.close();
    const grant = running.grant(serverId, 'file.read-content');
    const before = process.memoryUsage().rss;
    const readBefore = await bytesRead();
    for await (const { part } of running.files.readFile({ grant, path: '/huge', offsetBytes: 0, limitBytes: 0 })) {
      if (part?.$case !== 'chunk') continue;
      await readingToPause();
      expect((await bytesRead()) - readBefore).to.be.lessThan(128 * 1024 * 1024);
      break;
    }
    expect(process.memoryUsage().rss - before).to.be.lessThan(128 * 1024 * 1024);
  });
});

async function openPaths(): Promise<string[]> {
  const names = await readdir('/proc/self/fd');
  return Promise.all(names.map(async (name) => readlink(`/proc/self/fd/${name}`).catch(() => 'closed')));
}
