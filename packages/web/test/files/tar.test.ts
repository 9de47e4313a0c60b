import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createTar } from '../../src/files/tar.js';

describe('an archive of a folder', () => {
  it('writes an archive of a folder that tar unpacks, with long and foreign names', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'panel-tar-'));
    const long = `world/${'very-long-name-'.repeat(12)}.dat`;
    const names = ['world/a.txt', 'world/ünïcode/b.bin', long, 'world/empty'];
    const content = (name: string) => (name === 'world/empty' ? '' : `${name} ${'x'.repeat(name.length * 7)}`);
    const entries = names.map((name) => ({
      path: name,
      file: new Blob([content(name)]),
      modifiedAt: 1_700_000_000_000,
    }));
    const archive = path.join(directory, 'folder.tar');
    writeFileSync(archive, Buffer.from(await createTar(entries).arrayBuffer()));
    const { status, stderr } = spawnSync('tar', ['-xf', archive, '-C', directory], { encoding: 'utf8' });
    expect(stderr).to.equal('');
    expect(status).to.equal(0);
    for (const name of names) expect(readFileSync(path.join(directory, name), 'utf8'), name).to.equal(content(name));
    rmSync(directory, { recursive: true });
  });
});
