import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { send } from './security/support/requests.js';
import { createGame } from './support/game.js';
import { bootStack, type TestStack } from './support/stack.js';

describe('SFTP of an installation', function () {
  this.timeout(120_000);
  let test: TestStack;
  let serverId: string;
  let username: string;
  let directory: string;

  before(async () => {
    test = await bootStack();
    directory = mkdtempSync(path.join(tmpdir(), 'panel-e2e-sftp-'));
    ({ id: serverId } = await createGame(test));
    const { data: account } = await test.admin.get('/account');
    username = `${account.username}.${serverId.slice(0, 8)}`;
    const made = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(directory, 'key')]);
    expect(made.status, String(made.stderr)).to.equal(0);
    const publicKey = readFileSync(path.join(directory, 'key.pub'), 'utf8');
    await test.admin.post('/account/ssh-keys', { body: { name: 'laptop', public_key: publicKey } });
  });
  after(async () => {
    rmSync(directory, { recursive: true, force: true });
    await test?.stop();
  });

  const sftp = async (...commands: string[]): Promise<{ code: number | null; output: string }> => {
    const port = test.stack.sftp.split(':')[1] ?? '';
    const options = [
      '-F',
      '/dev/null',
      '-o',
      'BatchMode=yes',
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      'IdentitiesOnly=yes',
      '-o',
      'UserKnownHostsFile=/dev/null',
      '-i',
      path.join(directory, 'key'),
      '-P',
      port,
      '-b',
      '-',
    ];
    return new Promise((resolve, reject) => {
      const child = spawn('sftp', [...options, `${username}@127.0.0.1`], { stdio: ['pipe', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += String(chunk)));
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, output }));
      child.stdin.end(`${commands.join('\n')}\n`);
    });
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
    for (let tries = 1; ; tries += 1) {
      const answer = await send(test.stack.baseUrl, activity, { token });
      const events = (answer.body.data as { event: string }[]).map(({ event }) => event);
      if (events.includes('server:sftp.create')) break;
      if (tries === 50) expect.fail(events.join(', '));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
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
