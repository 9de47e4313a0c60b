import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { needPrograms } from '@panel/testing';
import { expect } from 'chai';
import { type SftpFixture, startSftpFixture } from './fixture.js';

const mebibyte = 1024 * 1024;
const sizeBytes = 96 * mebibyte;
/** Kilobits per second, slow enough for an interruption. */
const slowly = String(160 * 1024);

describe('SFTP transfers that are cut off', function () {
  this.timeout(180_000);
  let fixture: SftpFixture;
  let digest: string;
  before(async function () {
    needPrograms(this, 'sftp', 'scp', 'lftp');
    fixture = await startSftpFixture();
    const content = randomBytes(sizeBytes);
    digest = createHash('sha256').update(content).digest('hex');
    await writeFile(local('world'), content);
  });
  after(async () => fixture?.stop());

  const local = (name: string) => path.join(fixture.local, name);
  const remote = (name: string) => path.join(fixture.directory, name);
  const sizeOf = async (file: string) => (await stat(file).catch(() => ({ size: 0 }))).size;

  const cutOff = async (command: string, arriving: string) => {
    const { options, port, username } = fixture;
    await rm(arriving, { force: true });
    const client = spawn('sftp', [...options, '-l', slowly, '-P', String(port), '-b', '-', `${username}@127.0.0.1`], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(client, 'close');
    client.stdin.end(`${command}\n`);
    await waitUntil('a part of the file', async () => (await sizeOf(arriving)) > 16 * mebibyte, 60_000);
    client.kill('SIGKILL');
    await ended;
    expect(await sizeOf(arriving)).to.be.below(sizeBytes);
  };

  it('continues an upload and a download with sftp', async () => {
    await cutOff(`put ${local('world')} world`, remote('world'));
    const up = await fixture.sftp(`reput ${local('world')} world`);
    expect(up.code, up.output).to.equal(0);
    expect(await sha256Of(remote('world'))).to.equal(digest);
    await cutOff(`get world ${local('world.back')}`, local('world.back'));
    const down = await fixture.sftp(`reget world ${local('world.back')}`);
    expect(down.code, down.output).to.equal(0);
    expect(await sha256Of(local('world.back'))).to.equal(digest);
  });

  it('continues an upload with lftp', async () => {
    await cutOff(`put ${local('world')} world`, remote('world'));
    const commands = [
      `set sftp:connect-program "${['ssh', '-a', '-x', ...fixture.options].join(' ')}"`,
      'set net:max-retries 2',
      `open sftp://${fixture.username}:@127.0.0.1:${fixture.port}`,
      `put -c ${local('world')} -o /world`,
      'bye',
    ];
    const { code, output } = await fixture.run('lftp', ['-c', commands.join('; ')]);
    expect(code, output).to.equal(0);
    expect(await sha256Of(remote('world'))).to.equal(digest);
  });

  it('moves 1,000 small files with sftp and scp and loses none', async () => {
    const many = `many-${randomUUID()}`;
    await mkdir(local(many));
    for (let i = 0; i < 1_000; i += 1) await writeFile(local(`${many}/f${i}`), `content ${i}`);
    const up = await fixture.sftp(`put -r ${local(many)} ${many}`);
    expect(up.code, up.output).to.equal(0);
    const source = `scp://${fixture.username}@127.0.0.1:${fixture.port}/${many}`;
    const down = await fixture.run('scp', [...fixture.options, '-r', source, local(`${many}.back`)]);
    expect(down.code, down.output).to.equal(0);
    for (const copy of [remote(many), local(`${many}.back`)]) {
      const compared = await fixture.run('diff', ['-rq', local(many), copy]);
      expect(compared.code, compared.output).to.equal(0);
    }
  });
});

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
