import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createProcessRuntime } from '../src/process/process-runtime.js';
import { readProcesses } from '../src/process/processes.js';
import { read } from '../src/testing/reading.js';
import { runtimeConformance } from './conformance.js';
import { Fixture } from './fixture.js';

const dyingInstaller = fileURLToPath(new URL('./dying-installer.js', import.meta.url));

describe('process runtime', function () {
  this.timeout(180_000);
  // Exceeds a socket path's limit, as an operator's directory may.
  const base = mkdtempSync(join(tmpdir(), 'panel-run-'));
  const runDir = join(base, 'a'.repeat(60), 'b'.repeat(60));
  after(() => rmSync(base, { recursive: true, force: true }));

  runtimeConformance({ open: () => createProcessRuntime({ runDir }), image: 'ignored:1' });

  it('keeps no credentials of a registry, which it does not need', async () => {
    const fixture = new Fixture({ open: () => createProcessRuntime({ runDir }), image: 'ignored:1' });
    try {
      const credentials = { registry: 'ghcr.io', username: 'ada', password: 'pass-4711', identityToken: '' };
      const spec = await fixture.run('env; echo ran', { credentials });
      const { text } = await read(fixture.runtime, spec.serverId);
      expect(text).to.include('ran').and.not.include(credentials.password);
      const files = readdirSync(runDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
        statSync(join(runDir, name)).isFile(),
      );
      expect(files.length).to.be.above(0);
      for (const name of files)
        expect(readFileSync(join(runDir, name), 'latin1'), name).not.to.include(credentials.password);
    } finally {
      await fixture.close();
    }
  });

  it('starts no installation that nobody would find after kill -9', async () => {
    const fixture = new Fixture({ open: () => createProcessRuntime({ runDir }), image: 'ignored:1' });
    try {
      const spec = fixture.install('touch /mnt/server/begun; while :; do sleep 0.1; done');
      const begun = join(spec.volume.path, 'begun');
      const args = [runDir, JSON.stringify(spec), begun];
      const service = spawn(process.execPath, [dyingInstaller, ...args], { stdio: 'inherit' });
      expect(await once(service, 'exit')).to.deep.equal([null, 'SIGKILL']);
      await waitUntil('no process in the volume', () => !hasProcessIn(spec.volume.path));
      expect(existsSync(begun)).to.equal(false);
    } finally {
      await fixture.close();
    }
  });
});

function hasProcessIn(directory: string): boolean {
  return readProcesses().some(({ pid }) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory;
    } catch {
      return false; // it has ended
    }
  });
}
