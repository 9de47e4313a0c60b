import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPanelClient } from '@panel/client';
import { needPrograms } from '@panel/testing';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { send } from '../security/support/requests.js';
import { createGame } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';

interface Session {
  readonly child: ChildProcessWithoutNullStreams;
  /** All output so far. */
  readonly output: string;
  /** The exit code at the connection's end. */
  readonly closed: Promise<number | null>;
}

const clientOptions =
  '-F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null'.split(
    ' ',
  );

describe('SFTP of an installation', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let serverId: string;
  let username: string;
  let directory: string;

  before(async function () {
    needPrograms(this, 'sftp', 'ssh-keygen');
    test = await sharedStack();
    directory = mkdtempSync(path.join(tmpdir(), 'panel-e2e-sftp-'));
    ({ id: serverId } = await createGame(test));
    const { data: account } = await test.admin.get('/account');
    username = `${account.username}.${serverId.slice(0, 8)}`;
    await test.admin.post('/account/ssh-keys', { body: { name: 'laptop', public_key: createKey('key') } });
  });
  after(async () => {
    if (directory) rmSync(directory, { recursive: true, force: true });
  });

  /** An OpenSSH client session that takes commands until its input closes. */
  const connect = (user = username, key = 'key'): Session => {
    const port = test.stack.sftp.split(':')[1] ?? '';
    const identity = ['-i', path.join(directory, key), '-P', port, '-b', '-'];
    const child = spawn('sftp', [...clientOptions, ...identity, `${user}@127.0.0.1`]);
    const session = { output: '', child };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (session.output += String(chunk)));
    const closed = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return Object.assign(session, { closed });
  };

  const sftp = async (...commands: string[]): Promise<{ code: number | null; output: string }> => {
    const session = connect();
    session.child.stdin.end(`${commands.join('\n')}\n`);
    return { code: await session.closed, output: session.output };
  };

  const createKey = (name: string): string => {
    const file = path.join(directory, name);
    const made = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
    expect(made.status, String(made.stderr)).to.equal(0);
    return readFileSync(`${file}.pub`, 'utf8');
  };

  it('moves files that the API shows, and records it', async () => {
    writeFileSync(path.join(directory, 'motd.txt'), 'by SFTP');
    const { code, output } = await sftp(`put ${path.join(directory, 'motd.txt')} motd.txt`, 'ls');
    expect(code, output).to.equal(0);
    const token = test.admin.token() ?? '';
    const contents = `/api/v1/servers/${serverId}/files/contents?path=/motd.txt`;
    const { body } = await send(test.stack.baseUrl, contents, { token });
    expect(body.data).to.deep.include({ content: 'by SFTP' });
    const activity = `/api/v1/servers/${serverId}/activity`;
    await waitUntil('its event', async () => {
      const answer = await send(test.stack.baseUrl, activity, { token });
      return (answer.body.data as { event: string }[]).some(({ event }) => event === 'server:sftp.create');
    });
  });

  it('ends the sessions of a subuser within five seconds of a change or a removal', async () => {
    const account = { email: 'sftp-guest@panel.test', username: 'sftpguest', password: 'a long enough password' };
    await test.admin.post('/admin/users', { body: account });
    const guest = createPanelClient({ baseUrl: test.stack.baseUrl });
    await guest.login(account.email, account.password);
    await guest.post('/account/ssh-keys', { body: { name: 'laptop', public_key: createKey('guest') } });
    const permissions = ['file.read', 'file.sftp'] as const;
    const body = { email: account.email, permissions: [...permissions] };
    const { data: subuser } = await test.admin.post('/servers/{id}/subusers', { params: { id: serverId }, body });
    const params = { id: serverId, subuser_id: subuser.id };
    const change = async (granted: ('file.read' | 'file.sftp')[]) =>
      test.admin.put('/servers/{id}/subusers/{subuser-id}', { params, body: { permissions: granted } });

    const login = `${account.username}.${serverId.slice(0, 8)}`;
    /** The subsystem on bare `ssh`, which ends with its connection, unlike `sftp`. */
    const open = async () => {
      const port = test.stack.sftp.split(':')[1] ?? '';
      const identity = ['-i', path.join(directory, 'guest'), '-p', port, '-s', `${login}@127.0.0.1`, 'sftp'];
      const child = spawn('ssh', [...clientOptions, ...identity]);
      const closed = once(child, 'close');
      const version = once(child.stdout, 'data');
      child.stdin.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]));
      await Promise.race([version, closed]);
      expect(child.exitCode).to.equal(null);
      return { closed };
    };
    const expectEnd = async ({ closed }: { readonly closed: Promise<unknown> }) => {
      const changedAt = performance.now();
      await closed;
      // By the first check, at most 4 s later, and not by the second.
      expect(performance.now() - changedAt).to.be.below(7_900);
    };
    const first = await open();
    await change(['file.read']);
    await expectEnd(first);

    await change([...permissions]);
    const second = await open();
    await test.admin.delete('/servers/{id}/subusers/{subuser-id}', { params });
    await expectEnd(second);
    const refused = connect(login, 'guest');
    await refused.closed;
    expect(refused.output).to.include('Permission denied');
  });

  it('refuses a suspended server and a deleted key', async () => {
    await test.admin.post('/admin/servers/{id}/suspend', { params: { id: serverId } });
    expect((await sftp('ls')).output).to.include('Permission denied');
    await test.admin.post('/admin/servers/{id}/unsuspend', { params: { id: serverId } });
    expect((await sftp('ls')).code).to.equal(0);
    const { data: keys } = await test.admin.get('/account/ssh-keys');
    for (const { id } of keys) {
      await test.admin.delete('/account/ssh-keys/{key-id}', { params: { key_id: id } });
    }
    expect((await sftp('ls')).output).to.include('Permission denied');
  });
});
