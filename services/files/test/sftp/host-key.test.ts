import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import ssh2 from 'ssh2';
import { generateUsableKey, loadHostKey } from '../../src/sftp/host-key.js';

describe('SFTP host key', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-host-key-'));
  });
  afterEach(async () => rm(directory, { recursive: true, force: true }));

  it('generates an SFTP host key once and keeps it, readable by its owner only', async () => {
    const key = await loadHostKey(directory);
    expect(await loadHostKey(directory)).to.equal(key);
    expect((await stat(path.join(directory, 'sftp-host-key'))).mode & 0o777).to.equal(0o600);
  });

  it('generates no SFTP host key that cannot sign', () => {
    const usable = generateUsableKey(() => ssh2.utils.generateKeyPairSync('ed25519').private);
    const given = ['no key', usable];
    expect(generateUsableKey(() => given.shift() ?? '')).to.equal(usable);
    let malformed = '';
    while (malformed === '') {
      const pair = ssh2.utils.generateKeyPairSync('ed25519');
      if (Buffer.from(pair.public.split(' ')[1] ?? '', 'base64').length < 51) malformed = pair.private;
    }
    const offered = [malformed, usable];
    expect(generateUsableKey(() => offered.shift() ?? '')).to.equal(usable);
  });
});
