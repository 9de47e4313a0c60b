import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@panel/kit/errors';
import { realTime, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { failureOf, openWrapper, password, Sftp, type SftpFixture, startSftpFixture } from './fixture.js';

const mebibyte = 1024 * 1024;

describe('what SFTP allows', () => {
  let fixture: SftpFixture;
  beforeEach(async () => {
    fixture = await startSftpFixture();
  });
  afterEach(async () => fixture.stop());

  const remote = (...names: string[]) => path.join(fixture.directory, ...names);
  const closed = async (client: { once(event: 'close', listener: () => void): unknown }) =>
    new Promise<void>((resolve) => client.once('close', resolve));

  it('accepts the password of the account, and nothing else', async () => {
    const ways: [string, { username?: string; password?: string }, boolean][] = [
      ['right password', { password }, true],
      ['wrong password', { password: 'wrong' }, false],
      ['no server in the name', { username: 'alex.smith', password }, false],
      ['another server', { username: 'alex.smith.00000000', password }, false],
      ['another user', { username: `eve.${fixture.serverId.slice(0, 8)}`, password }, false],
    ];
    for (const [title, given, isAccepted] of ways) {
      const outcome = await failureOf(fixture.connect(given));
      expect(outcome === 'none', `${title}: ${outcome}`).to.equal(isAccepted);
    }
    fixture.authority.isPasswordAllowed = false;
    expect(await failureOf(fixture.connect({ password }))).to.match(/authentication/);
  });

  it('refuses a server that is locked, suspended or not granted, and one of another node', async () => {
    for (const reason of ['SERVER_LOCKED', 'SERVER_SUSPENDED']) {
      fixture.authority.refusal = new AppError('failed_precondition', reason, 'not now');
      expect(await failureOf(fixture.connect()), reason).to.match(/authentication/);
    }
    fixture.authority.refusal = new AppError('permission_denied', 'SERVER_FORBIDDEN', 'no');
    expect(await failureOf(fixture.connect())).to.match(/authentication/);
    fixture.authority.refusal = null;
    await fixture.running.volumes.deleteVolume({ serverId: fixture.serverId });
    expect(await failureOf(fixture.connect())).to.match(/authentication/);
  });

  it('maps each operation to its file permission', async () => {
    await writeFile(remote('a.txt'), 'a');
    const operations: [string, (sftp: Sftp) => Promise<unknown>][] = [
      ['file.read', async (sftp) => sftp.list('/')],
      ['file.read', async (sftp) => sftp.stat('/a.txt')],
      ['file.read-content', async (sftp) => sftp.readFile('/a.txt')],
      ['file.update', async (sftp) => sftp.writeFile('/a.txt', 'changed')],
      ['file.update', async (sftp) => sftp.chmod('/a.txt', 0o600)],
      ['file.update', async (sftp) => sftp.rename('/a.txt', '/b.txt')],
      ['file.create', async (sftp) => sftp.writeFile('/new.txt', 'n')],
      ['file.create', async (sftp) => sftp.mkdir('/d')],
      ['file.delete', async (sftp) => sftp.rmdir('/d')],
      ['file.delete', async (sftp) => sftp.unlink('/b.txt')],
    ];
    const all = ['file.sftp', 'file.read', 'file.read-content', 'file.update', 'file.create', 'file.delete'];
    const withPermissions = async (permissions: string[], operation: (sftp: Sftp) => Promise<unknown>) => {
      fixture.authority.permissions = permissions;
      const client = await fixture.connect();
      const outcome = await failureOf(operation(new Sftp(await openWrapper(client))));
      client.destroy();
      return outcome;
    };
    for (const [permission, operation] of operations) {
      const others = all.filter((one) => one !== permission);
      expect(await withPermissions(others, operation)).to.include(`needs the right ${permission}`);
      expect(await withPermissions(all, operation), `with ${permission}`).to.equal('none');
    }
  });

  it('cuts a connection off within 5 s when the right goes', async () => {
    const client = await fixture.connect();
    const end = closed(client);
    const since = performance.now();
    fixture.authority.refusal = new AppError('permission_denied', 'SERVER_FORBIDDEN', 'no longer');
    await end;
    // By the first check, 4 s after the last one, and not by the second.
    expect(performance.now() - since).to.be.lessThan(7_900);
  });

  it('stays inside the server, whatever the path or link', async () => {
    await writeFile(path.join(fixture.running.dataRoot, 'secret.txt'), 'secret');
    await symlink('/etc', remote('etc'));
    await symlink('../../secret.txt', remote('up.txt'));
    await symlink('up.txt', remote('twice.txt'));
    await mkdir(remote('d'));
    const sftp = await fixture.open();
    for (const name of ['/etc/passwd', '/up.txt', '/twice.txt', '../../secret.txt', '/d/../../../secret.txt']) {
      expect(await failureOf(sftp.readFile(name)), name).to.not.equal('none');
    }
    for (const name of ['/etc/hosts', '/up.txt', '/twice.txt']) {
      expect(await failureOf(sftp.writeFile(name, 'x')), name).to.not.equal('none');
      expect(await failureOf(sftp.chmod(name, 0o777)), name).to.not.equal('none');
    }
    // `..` stops at the server's root
    await sftp.writeFile('../../secret.txt', 'mine');
    expect(await readFile(remote('secret.txt'), 'utf8')).to.equal('mine');
    expect(await readFile(path.join(fixture.running.dataRoot, 'secret.txt'), 'utf8')).to.equal('secret');
    expect(await sftp.realpath('/d/../../..')).to.equal('/');
    expect(await failureOf(sftp.symlink('/etc/passwd', '/link'))).to.include('not supported');
    expect(await failureOf(sftp.readFile('/a\0b'))).to.not.equal('none');
    expect(await failureOf(sftp.writeFile('/nul\u0000', 'x'))).to.not.equal('none');
  });

  it('holds the disk limit, also for pipelined writes and huge offsets', async () => {
    fixture.authority.more = { diskLimitBytes: 4 * mebibyte };
    const sftp = await fixture.open();
    expect(await failureOf(sftp.writeFile('/fits', Buffer.alloc(2 * mebibyte, 1)))).to.equal('none');
    expect(await failureOf(sftp.writeFile('/big', Buffer.alloc(6 * mebibyte, 1)))).to.include('disk limit');
    const handle = await sftp.open('/far', 'w');
    expect(await failureOf(sftp.write(handle, Buffer.from('x'), 2 ** 45))).to.include('disk limit');
    await sftp.close(handle);
    const used = await Promise.all((await readdir(fixture.directory)).map(async (name) => stat(remote(name))));
    expect(used.reduce((sum, { blocks }) => sum + blocks * 512, 0)).to.be.lessThan(4.2 * mebibyte);
    for (const name of ['/big', '/far']) await sftp.unlink(name);
    expect(await failureOf(sftp.writeFile('/again', Buffer.alloc(mebibyte, 1)))).to.equal('none');
  });

  it('holds the upload limit of the node', async () => {
    fixture.authority.more = { uploadLimitBytes: mebibyte };
    const sftp = await fixture.open();
    expect(await failureOf(sftp.writeFile('/big', Buffer.alloc(2 * mebibyte)))).to.include('at most 1048576 bytes');
  });

  it('protects what the egg denies', async () => {
    fixture.authority.more = { denylist: ['server.jar', 'protected/'] };
    await writeFile(remote('server.jar'), 'jar');
    await mkdir(remote('protected'));
    const sftp = await fixture.open();
    const refused = [
      sftp.readFile('/server.jar'),
      sftp.writeFile('/server.jar', 'x'),
      sftp.unlink('/server.jar'),
      sftp.rename('/server.jar', '/other'),
      sftp.chmod('/server.jar', 0o777),
      sftp.writeFile('/protected/x', 'x'),
      sftp.rmdir('/protected'),
    ];
    for (const call of refused) expect(await failureOf(call)).to.include('protected by the egg');
    await sftp.writeFile('/mine', 'x');
    expect(await failureOf(sftp.replace('/mine', '/server.jar'))).to.include('protected by the egg');
  });

  it('keeps the history of text files, and deleted files in the trash', async () => {
    await writeFile(remote('server.properties'), 'motd=first');
    const sftp = await fixture.open();
    await sftp.writeFile('/server.properties', 'motd=second');
    await sftp.writeFile('/next', 'motd=third');
    await sftp.replace('/next', '/server.properties');
    const grant = fixture.running.grant(fixture.serverId, 'file.read');
    const { versions } = await fixture.running.files.listFileVersions({ grant, path: '/server.properties' });
    expect(versions.map(({ sizeBytes }) => sizeBytes)).to.deep.equal([11, 10]);
    await sftp.unlink('/server.properties');
    const { entries } = await fixture.running.files.listTrash({ grant });
    expect(entries.map(({ path: name }) => name)).to.deep.equal(['/server.properties']);
  });

  it('renames over a file in one step, and refuses to without the extension', async () => {
    const sftp = await fixture.open();
    await sftp.writeFile('/old', 'old');
    await sftp.writeFile('/new', 'new');
    expect(await failureOf(sftp.rename('/new', '/old'))).to.include('something of this name');
    await sftp.replace('/new', '/old');
    expect(await readFile(remote('old'), 'utf8')).to.equal('new');
    expect(await sftp.list('/')).to.deep.equal(['old']);
  });

  it('refuses changes of a frozen server, also by open handles', async () => {
    const sftp = await fixture.open();
    const handle = await sftp.open('/file', 'w');
    await sftp.write(handle, Buffer.from('before'), 0);
    const operationId = '22222222-2222-4222-8222-222222222222';
    await fixture.running.volumes.freezeVolume({ serverId: fixture.serverId, operationId, freezeId: '' });
    expect(await failureOf(sftp.write(handle, Buffer.from('after'), 0))).to.include('moves or replaces');
    expect(await failureOf(sftp.unlink('/file'))).to.include('moves or replaces');
    expect((await sftp.readFile('/file')).toString()).to.equal('before');
  });

  it('asks for rights and path rules again at each request of an open handle', async () => {
    for (const name of ['secret', 'many']) await mkdir(remote(name));
    await writeFile(remote('secret', 'a.txt'), 'secret');
    await Promise.all(Array.from({ length: 1_000 }, async (_, i) => writeFile(remote('many', `f${i}`), '')));
    const sftp = await fixture.open();
    const file = await sftp.open('/secret/a.txt', 'r+');
    const directories = [await sftp.opendir('/secret'), await sftp.opendir('/many')] as const;
    const rechecked = async () => {
      const before = fixture.authority.rechecks;
      await waitUntil('the check of rights', async () => fixture.authority.rechecks > before + 1);
    };
    const hidden = [[{ path: '/secret', access: 'deny' }]] as const;
    fixture.authority.more = { pathRules: hidden };
    await rechecked();
    expect(await failureOf(sftp.read(file, 6))).to.include('does not include this');
    expect(await failureOf(sftp.write(file, Buffer.from('x'), 0))).to.include('does not include this');
    expect(await failureOf(sftp.fchmod(file, 0o600))).to.include('does not include this');
    expect(await failureOf(sftp.fstat(file))).to.include('does not include this');
    expect(await failureOf(sftp.readdir(directories[0]))).to.include('does not include this');
    expect(await failureOf(sftp.readdir(directories[1]))).to.equal('none');
    fixture.authority.permissions = ['file.sftp', 'file.read-content'];
    await rechecked();
    expect(await failureOf(sftp.readdir(directories[1]))).to.include('needs the right file.read');
    expect(await readFile(remote('secret', 'a.txt'), 'utf8')).to.equal('secret');
  });

  it('counts nothing as freed when a file is renamed over itself', async () => {
    await writeFile(remote('big'), Buffer.alloc(3 * mebibyte, 1));
    await realTime(100, 'the measurement of usage begins after the file times');
    fixture.authority.more = { diskLimitBytes: 4 * mebibyte };
    const sftp = await fixture.open();
    await sftp.writeFile('/small', 'x');
    for (const name of ['/big', '//big', '/x/../big']) await sftp.replace('/big', name);
    expect(await failureOf(sftp.writeFile('/more', Buffer.alloc(2 * mebibyte, 1)))).to.include('disk limit');
    expect((await stat(remote('big'))).size).to.equal(3 * mebibyte);
  });

  it('counts a file as freed once, however many are renamed over it at the same time', async () => {
    await writeFile(remote('kept'), Buffer.alloc(2.5 * mebibyte, 1));
    await writeFile(remote('old'), Buffer.alloc(mebibyte, 1));
    await realTime(100, 'the measurement of usage begins after the file times');
    fixture.authority.more = { diskLimitBytes: 4 * mebibyte };
    const sessions = await Promise.all(Array.from({ length: 8 }, async () => fixture.open()));
    await Promise.all(sessions.map(async (sftp, i) => sftp.writeFile(`/new${i}`, 'x')));
    await Promise.all(sessions.map(async (sftp, i) => sftp.replace(`/new${i}`, '/old')));
    const [sftp] = sessions;
    expect(sftp && (await failureOf(sftp.writeFile('/more', Buffer.alloc(2 * mebibyte, 1))))).to.include('disk limit');
  });

  it('moves no directory to where the egg protects what is in it', async () => {
    fixture.authority.more = { denylist: ['/plugins/core/config.yml'] };
    await mkdir(remote('mine'));
    await writeFile(remote('mine', 'config.yml'), 'mine');
    await mkdir(remote('plugins'));
    const sftp = await fixture.open();
    expect(await failureOf(sftp.rename('/mine', '/plugins/core'))).to.include('protected by the egg');
    expect(await failureOf(sftp.replace('/mine', '/plugins/core'))).to.include('protected by the egg');
    expect(await readdir(remote('plugins'))).to.deep.equal([]);
    await sftp.rename('/mine', '/plugins/other');
  });

  it('tells a client what it did wrong, and no internal error', async () => {
    const sftp = await fixture.open();
    await sftp.mkdir('/d');
    expect(await failureOf(sftp.replace('/d', '/d/e'))).to.include('invalid');
    const handle = await sftp.open('/far', 'w');
    expect(await failureOf(sftp.write(handle, Buffer.from('x'), 2 ** 53 - 1))).to.match(/length|almost full/);
    await copyFile(await realpath('/bin/sleep'), remote('game'));
    await chmod(remote('game'), 0o755);
    const game = spawn(remote('game'), ['60']);
    try {
      await once(game, 'spawn');
      expect(await failureOf(sftp.writeFile('/game', 'x'))).to.include('runs');
    } finally {
      game.kill('SIGKILL');
    }
  });

  it('closes a file that it cannot truncate', async () => {
    await writeFile(remote('a.txt'), 'content');
    const versions = path.join(fixture.running.dataRoot, 'versions', fixture.serverId);
    await rm(versions, { recursive: true, force: true });
    await writeFile(versions, 'no directory');
    const sftp = await fixture.open();
    const openFiles = async () => (await readdir('/proc/self/fd')).length;
    const before = await openFiles();
    for (let i = 0; i < 20; i += 1) expect(await failureOf(sftp.open('/a.txt', 'w'))).to.not.equal('none');
    expect(await openFiles()).to.be.lessThan(before + 10);
    expect(await readFile(remote('a.txt'), 'utf8')).to.equal('content');
  });

  it('records the truncation of a file by its path', async () => {
    await writeFile(remote('a.txt'), 'content');
    const client = await fixture.connect();
    const sftp = new Sftp(await openWrapper(client));
    await sftp.truncate('/a.txt', 0);
    client.end();
    await waitUntil('the activity', async () => fixture.authority.events.length > 0);
    const [event] = fixture.authority.events;
    expect([event?.event, event?.properties['files']]).to.deep.equal(['server:sftp.write', '/a.txt']);
  });

  it('records what was done as a few lines of activity', async () => {
    const client = await fixture.connect();
    const sftp = new Sftp(await openWrapper(client));
    for (let i = 0; i < 30; i += 1) await sftp.writeFile(`/f${i}`, 'x');
    await sftp.writeFile('/f0', 'y');
    await sftp.mkdir('/d');
    await sftp.unlink('/f1');
    client.end();
    await waitUntil('the activity', async () => fixture.authority.events.length >= 4);
    const counts = Object.fromEntries(
      fixture.authority.events.map(({ event, properties }) => [event, properties['count']]),
    );
    expect(counts).to.deep.equal({
      'server:sftp.create': '30',
      'server:sftp.write': '1',
      'server:sftp.create-directory': '1',
      'server:sftp.delete': '1',
    });
    expect(fixture.authority.events[0]).to.include({ serverId: fixture.serverId, ip: '127.0.0.1' });
  });
});
