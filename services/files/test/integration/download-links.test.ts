import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import type { UseDownloadLinkRequest } from '@panel/protos/files';
import type { PathRule, UserActor } from '@panel/rpc';
import { newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

const maker: UserActor = {
  kind: 'user',
  userId: randomUUID(),
  permissions: [],
  method: 'session',
  credentialId: randomUUID(),
  ip: '192.0.2.9',
};

describe('download links', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  let aheadMs = 0;
  before(async () => {
    running = await startTestFiles({ clock: () => new Date(Date.now() + aheadMs) });
  });
  after(async () => running.stop());
  beforeEach(async () => {
    aheadMs = 0;
    ({ serverId, directory } = await newVolume(running));
    await writeFile(path.join(directory, 'a.txt'), 'one two three');
  });

  const grant = (more = {}) => running.grant(serverId, 'file.read-content', more);
  const create = async (name: string, more = {}, actor = maker) =>
    running.files.createDownloadLink({ grant: grant(more), path: name }, { actorToken: running.tokenOf(actor) });
  const use = async (linkId: string, more: Partial<UseDownloadLinkRequest> = {}) =>
    running.files.useDownloadLink({ grant: grant(), linkId, ip: '192.0.2.1', isRange: false, ...more });

  const release = async (linkId: string, claim: string) =>
    running.files.releaseDownloadLink({ grant: grant(), linkId, claim });

  it('uses a download link once, and says what it is for and who made it', async () => {
    const { linkId, name, expireTime } = await create('/a.txt');
    expect(name).to.equal('a.txt');
    expect(Number(expireTime) - Date.now()).to.be.within(50_000, 60_000);
    const { claim, ...used } = await use(linkId);
    expect(claim).to.not.equal('');
    expect(used).to.deep.equal({
      path: '/a.txt',
      name: 'a.txt',
      isDirectory: false,
      credential: { $case: 'sessionId', value: maker.credentialId },
    });
    expect(await reasonOf(use(linkId))).to.equal('DOWNLOAD_LINK_INVALID');
    const byKey = await create('/a.txt', {}, { ...maker, method: 'api_key' });
    expect((await use(byKey.linkId)).credential?.$case).to.equal('apiKeyId');
  });

  it('lets one of 50 concurrent callers use a download link', async () => {
    const { linkId } = await create('/a.txt');
    const outcomes = await Promise.all(Array.from({ length: 50 }, async () => reasonOf(use(linkId))));
    expect(outcomes.filter((reason) => reason === 'none')).to.have.length(1);
    expect(outcomes.filter((reason) => reason === 'DOWNLOAD_LINK_INVALID')).to.have.length(49);
  });

  it('lets one of 50 concurrent addresses that ask for a part begin a download', async () => {
    const { linkId } = await create('/a.txt');
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => reasonOf(use(linkId, { ip: `192.0.2.${i}`, isRange: true }))),
    );
    expect(outcomes.filter((reason) => reason === 'none')).to.have.length(1);
  });

  it('serves further parts of a file to the client that has begun, and to nobody else', async () => {
    const { linkId } = await create('/a.txt');
    await use(linkId, { isRange: true });
    await use(linkId, { isRange: true });
    expect(await reasonOf(use(linkId, { isRange: true, ip: '192.0.2.2' }))).to.equal('DOWNLOAD_LINK_INVALID');
    expect(await reasonOf(use(linkId))).to.equal('DOWNLOAD_LINK_INVALID');
  });

  it('ends a download link after 60 seconds, after an hour without another part, and after a day', async () => {
    const [unused, idle, busy] = [await create('/a.txt'), await create('/a.txt'), await create('/a.txt')];
    const isRange = true;
    for (const { linkId } of [idle, busy]) await use(linkId, { isRange });
    aheadMs = 60_001;
    expect(await reasonOf(use(unused.linkId))).to.equal('DOWNLOAD_LINK_INVALID');
    for (; aheadMs < 24 * 3_600_000; aheadMs += 3_500_000) await use(busy.linkId, { isRange });
    expect(await reasonOf(use(idle.linkId, { isRange }))).to.equal('DOWNLOAD_LINK_INVALID');
    expect(await reasonOf(use(busy.linkId, { isRange }))).to.equal('DOWNLOAD_LINK_INVALID');
  });

  it('lets one of 50 concurrent callers download, while others release what they could not send', async () => {
    const { linkId } = await create('/a.txt');
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        for (let attempt = 0; ; attempt += 1) {
          try {
            const { claim } = await use(linkId, { ip: `192.0.2.${i}`, isRange: i % 3 === 0 });
            if (i % 2 === 0) return 'sent';
            await release(linkId, claim);
          } catch {
            if (attempt === 20) return 'refused';
          }
        }
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'sent')).to.have.length(1);
    expect(await reasonOf(use(linkId))).to.equal('DOWNLOAD_LINK_INVALID');
  });

  it('releases a use for the rest of the 60 seconds, once, and not after a further part', async () => {
    const { linkId } = await create('/a.txt');
    const first = await use(linkId);
    await release(linkId, randomUUID());
    expect(await reasonOf(use(linkId))).to.equal('DOWNLOAD_LINK_INVALID');
    await release(linkId, first.claim);
    const second = await use(linkId, { ip: '192.0.2.2', isRange: true });
    await release(linkId, first.claim);
    expect(await reasonOf(use(linkId))).to.equal('DOWNLOAD_LINK_INVALID');
    const part = await use(linkId, { ip: '192.0.2.2', isRange: true });
    expect(part.claim).to.equal('');
    for (const { claim } of [second, part]) await release(linkId, claim);
    expect(await reasonOf(use(linkId))).to.equal('DOWNLOAD_LINK_INVALID');
    const late = await create('/a.txt');
    await release(late.linkId, (await use(late.linkId)).claim);
    aheadMs = 60_001;
    expect(await reasonOf(use(late.linkId))).to.equal('DOWNLOAD_LINK_INVALID');
  });

  it('serves a directory once, whatever part is asked for', async () => {
    await mkdir(path.join(directory, 'world'));
    const { linkId } = await create('/world');
    expect((await use(linkId, { isRange: true })).isDirectory).to.equal(true);
    expect(await reasonOf(use(linkId, { isRange: true }))).to.equal('DOWNLOAD_LINK_INVALID');
  });

  it('refuses a link for what cannot be read, by a service, and with the grant of another server', async () => {
    await symlink('/etc/passwd', path.join(directory, 'passwd'));
    const pathRules = [[{ path: '/a.txt', access: 'deny' as const }]];
    expect(await reasonOf(create('/missing'))).to.equal('FILE_NOT_FOUND');
    expect(await reasonOf(create('/passwd'))).to.equal('LINK_REFUSED');
    expect(await reasonOf(create('/a.txt', { denylist: ['*.txt'] }))).to.equal('FILE_DENIED');
    expect(await reasonOf(create('/a.txt', { pathRules }))).to.equal('PATH_FORBIDDEN');
    expect(await reasonOf(running.files.createDownloadLink({ grant: grant(), path: '/a.txt' }))).to.not.equal('none');
    const { linkId } = await create('/a.txt');
    const other = await newVolume(running);
    const foreign = running.grant(other.serverId, 'file.read-content');
    expect(await reasonOf(use(linkId, { grant: foreign }))).to.equal('DOWNLOAD_LINK_INVALID');
    for (const id of [randomUUID(), '', '$ne', 'x'.repeat(1_000)]) {
      expect(await reasonOf(use(id)), id).to.equal('DOWNLOAD_LINK_INVALID');
    }
  });

  it('names the place that a symbolic link leads to', async () => {
    await mkdir(path.join(directory, 'world'));
    await symlink('world', path.join(directory, 'current'));
    const { linkId, name } = await create('/current');
    expect(name).to.equal('current.tar.gz');
    expect((await use(linkId)).path).to.equal('/world');
  });
});

describe('a directory read as an archive', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
    await mkdir(path.join(directory, 'world', 'region'), { recursive: true });
    await mkdir(path.join(directory, 'world', 'private'));
    await writeFile(path.join(directory, 'world', 'region', 'r.0.0.mca'), Buffer.alloc(100_000, 1));
    await writeFile(path.join(directory, 'world', 'private', 'plan.txt'), 'plan');
    await writeFile(path.join(directory, 'world', 'secret.key'), 'secret');
    await writeFile(path.join(directory, 'a.txt'), 'one two three');
    await writeFile(path.join(directory, `.panel-${randomUUID()}.part`), 'half');
    await symlink('/etc/passwd', path.join(directory, 'world', 'passwd'));
  });

  const read = (asked: string, more = {}) =>
    running.files.readDirectoryAsArchive({ grant: running.grant(serverId, 'file.read-content', more), path: asked });
  const namesIn = async (asked: string, more = {}) => {
    const chunks: Buffer[] = [];
    for await (const { chunk } of read(asked, more)) chunks.push(chunk);
    const { status, stdout } = spawnSync('tar', ['-tzf', '-'], { input: Buffer.concat(chunks) });
    expect(status).to.equal(0);
    const lines = stdout.toString().trim().split('\n');
    return lines.map((line) => line.replace(/\/$/, '')).sort();
  };
  const deny = (denied: string): { pathRules: PathRule[][] } => ({ pathRules: [[{ path: denied, access: 'deny' }]] });

  it('leaves out links to the outside and protected files', async () => {
    expect(await namesIn('/world', { denylist: ['secret.key'] })).to.deep.equal([
      'world',
      'world/private',
      'world/private/plan.txt',
      'world/region',
      'world/region/r.0.0.mca',
    ]);
  });

  it('holds links that lead inside the archive', async () => {
    await symlink('region/r.0.0.mca', path.join(directory, 'world', 'spawn'));
    await symlink('../../a.txt', path.join(directory, 'world', 'up'));
    expect(await namesIn('/world', { denylist: ['secret.key', 'private/'] })).to.deep.equal([
      'world',
      'world/region',
      'world/region/r.0.0.mca',
      'world/spawn',
    ]);
  });

  it('leaves out what path rules deny', async () => {
    expect(await namesIn('/world', deny('/world/private'))).to.deep.equal([
      'world',
      'world/region',
      'world/region/r.0.0.mca',
      'world/secret.key',
    ]);
  });

  it('holds everything of the root but temporary files, and the way to what path rules allow', async () => {
    expect(await namesIn('/', { denylist: ['world/private/', 'secret.key'] })).to.deep.equal([
      'a.txt',
      'world',
      'world/region',
      'world/region/r.0.0.mca',
    ]);
    const pathRules: PathRule[][] = [
      [
        { path: '/', access: 'deny' },
        { path: '/world/region', access: 'read_only' },
      ],
    ];
    expect(await namesIn('/', { pathRules })).to.deep.equal(['world', 'world/region', 'world/region/r.0.0.mca']);
  });

  it('refuses what is no directory, missing, protected or denied, before the first byte', async () => {
    expect(await reasonOf(namesIn('/a.txt'))).to.equal('NOT_A_DIRECTORY');
    expect(await reasonOf(namesIn('/missing'))).to.equal('FILE_NOT_FOUND');
    expect(await reasonOf(namesIn('/world', { denylist: ['world/'] }))).to.equal('FILE_DENIED');
    expect(await reasonOf(namesIn('/world/private', deny('/world/private')))).to.equal('PATH_FORBIDDEN');
  });

  it('packs an archive for four readers of a server at a time', async () => {
    await writeFile(path.join(directory, 'world', 'large'), randomBytes(16 * 1024 * 1024));
    const readers = Array.from({ length: 4 }, () => read('/world')[Symbol.asyncIterator]());
    await Promise.all(readers.map(async (reader) => reader.next()));
    expect(await reasonOf(namesIn('/world'))).to.equal('OPERATION_LIMIT');
    await Promise.all(readers.map(async (reader) => reader.return?.()));
    await waitUntil('a place', async () => (await reasonOf(namesIn('/world'))) === 'none');
  });
});
