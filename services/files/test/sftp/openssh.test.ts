import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { needPrograms } from '@panel/testing';
import { expect } from 'chai';
import { type SftpFixture, startSftpFixture } from './fixture.js';

const mebibyte = 1024 * 1024;

describe('SFTP with the clients of OpenSSH', () => {
  let fixture: SftpFixture;
  before(async function () {
    needPrograms(this, 'sftp', 'scp', 'lftp');
    fixture = await startSftpFixture();
  });
  after(async () => fixture?.stop());

  beforeEach(async () => {
    for (const name of await readdir(fixture.directory)) await rm(remote(name), { recursive: true });
  });

  const local = (...names: string[]) => path.join(fixture.local, ...names);
  const remote = (...names: string[]) => path.join(fixture.directory, ...names);

  it('puts, lists, reads, renames and removes files', async () => {
    await writeFile(local('a.txt'), 'hello');
    const { code, output } = await fixture.sftp(
      'mkdir d',
      `put ${local('a.txt')} d/a.txt`,
      'rename d/a.txt d/b.txt',
      'ls -la d',
      'chmod 600 d/b.txt',
      `get d/b.txt ${local('back.txt')}`,
      'df -h',
      'pwd',
      'rm d/b.txt',
      'rmdir d',
      'ls',
    );
    expect(code, output).to.equal(0);
    expect(await readFile(local('back.txt'), 'utf8')).to.equal('hello');
    expect(output).to.match(/-rw-r--r-- .* 5 .* d\/b\.txt|-rw-r--r-- .* 5 .*b\.txt/);
    expect(output).to.include('Remote working directory: /');
    expect(await readdir(fixture.directory)).to.deep.equal([]);
  });

  it('moves 64 MiB in both directions', async () => {
    await writeFile(local('big'), randomBytes(64 * mebibyte));
    const { code, output } = await fixture.sftp(`put ${local('big')} big`, `get big ${local('big.back')}`, 'rm big');
    expect(code, output).to.equal(0);
    expect(await sha256Of(local('big.back'))).to.equal(await sha256Of(local('big')));
  });

  it('resumes an upload that was cut off', async () => {
    const content = randomBytes(3 * mebibyte);
    await writeFile(local('resumed'), content);
    await writeFile(remote('resumed'), content.subarray(0, mebibyte));
    const { code, output } = await fixture.sftp(`reput ${local('resumed')} resumed`);
    expect(code, output).to.equal(0);
    expect((await readFile(remote('resumed'))).equals(content)).to.equal(true);
  });

  it('uploads and downloads a directory of many small files', async () => {
    for (const name of ['many', 'many.back']) await rm(local(name), { recursive: true, force: true });
    await mkdir(local('many'));
    for (let i = 0; i < 500; i += 1) await writeFile(local('many', `f${i}`), `content ${i}`);
    const { code, output } = await fixture.sftp(`put -r ${local('many')} many`, `get -r many ${local('many.back')}`);
    expect(code, output).to.equal(0);
    expect(await readdir(remote('many'))).to.have.length(500);
    expect(await readFile(local('many.back', 'f499'), 'utf8')).to.equal('content 499');
  });

  it('serves scp, preserving times', async () => {
    await writeFile(local('scp.txt'), 'by scp');
    const target = `scp://${fixture.username}@127.0.0.1:${fixture.port}/scp.txt`;
    const there = await fixture.run('scp', [...fixture.options, '-p', local('scp.txt'), target]);
    expect(there.code, there.output).to.equal(0);
    const [sent, retained] = [await stat(local('scp.txt')), await stat(remote('scp.txt'))];
    expect(Math.floor(retained.mtimeMs / 1000)).to.equal(Math.floor(sent.mtimeMs / 1000));
    const back = await fixture.run('scp', [...fixture.options, target, local('scp.back')]);
    expect(back.code, back.output).to.equal(0);
    expect(await readFile(local('scp.back'), 'utf8')).to.equal('by scp');
  });

  it('serves a mirror of lftp over several connections', async () => {
    await mkdir(local('mirror', 'deep', 'er'), { recursive: true });
    for (let i = 0; i < 40; i += 1) await writeFile(local('mirror', 'deep', 'er', `m${i}.txt`), `mirrored ${i}`);
    const ssh = ['ssh', '-a', '-x', ...fixture.options].join(' ');
    const commands = [
      `set sftp:connect-program "${ssh}"`,
      'set net:max-retries 2',
      `open sftp://${fixture.username}:@127.0.0.1:${fixture.port}`,
      `mirror -R -P 4 ${local('mirror')} /mirror`,
      'bye',
    ];
    const { code, output } = await fixture.run('lftp', ['-c', commands.join('; ')]);
    expect(code, output).to.equal(0);
    expect(await readdir(remote('mirror', 'deep', 'er'))).to.have.length(40);
  });

  it('keeps writes at any offset, as mounted file systems make them', async () => {
    const sftp = await fixture.open();
    const handle = await sftp.open('/sparse.bin', 'w');
    await sftp.write(handle, Buffer.from('end'), 100_000);
    await sftp.write(handle, Buffer.from('start'), 0);
    await sftp.close(handle);
    const file = await open(remote('sparse.bin'));
    expect((await file.stat()).size).to.equal(100_003);
    await file.close();
    expect((await readFile(remote('sparse.bin'))).subarray(0, 5).toString()).to.equal('start');
  });

  it('appends at the end, and where a resumed transfer begins when the file has grown since its client looked', async () => {
    const sftp = await fixture.open();
    const append = async (pieces: readonly string[], offset: number) => {
      const handle = await sftp.open('/grown.txt', 'a');
      let at = offset;
      for (const piece of pieces) {
        await sftp.write(handle, Buffer.from(piece), at);
        at += piece.length;
      }
      await sftp.close(handle);
      return readFile(remote('grown.txt'), 'utf8');
    };
    await writeFile(remote('grown.txt'), 'abcdef');
    expect(await append(['gh', 'ij'], 0)).to.equal('abcdefghij');
    expect(await append(['kl', 'mn'], 10)).to.equal('abcdefghijklmn');
    expect(await append(['IJ', 'KLMNOP', 'qr'], 8)).to.equal('abcdefghIJKLMNOPqr');
    expect(await append(['st'], 1_000)).to.equal('abcdefghIJKLMNOPqrst');
  });
});

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
