import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { InstallSpec } from '../src/runtime.js';
import { expectNoBeat } from './beats.js';
import { Fixture, type Subject } from './fixture.js';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { within } from '../src/testing/reading.js';

export function installConformance(subject: Subject): void {
  describe('installation', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    const install = async (spec: InstallSpec, signal = new AbortController().signal, runtime = fixture.runtime) => {
      let output = '';
      const result = await runtime.install(spec, (chunk) => (output += chunk.toString()), signal);
      return { ...result, output: output.replaceAll('\r\n', '\n') };
    };
    /** A script that beats until killed, and its beats. */
    const endless = 'cd /mnt/server; echo started; while :; do echo x >> beat; sleep 0.05; done';
    const beats = (spec: InstallSpec) => {
      const file = join(spec.volume.path, 'beat');
      return existsSync(file) ? statSync(file).size : 0;
    };

    it('runs the script on the volume and assigns the files to its user', async () => {
      const script = [
        '\ufeffcd /mnt/server',
        'mkdir -p deep/er && echo "$WORLD" > deep/er/file',
        'ln -s /etc/passwd link',
        'echo installed',
      ].join('\r\n');
      const spec = fixture.install(script, { environment: { WORLD: `it's $(here)` } });
      const { exitCode, outOfMemory, output } = await install(spec);
      expect({ exitCode, outOfMemory, output }).to.deep.equal({
        exitCode: 0,
        outOfMemory: false,
        output: 'installed\n',
      });
      const file = join(spec.volume.path, 'deep/er/file');
      expect(readFileSync(file, 'utf8')).to.equal(`it's $(here)\n`);
      for (const path of [file, join(spec.volume.path, 'deep'), spec.volume.path]) {
        expect(statSync(path).uid, path).to.equal(spec.volume.uid);
        expect(statSync(path).gid, path).to.equal(spec.volume.gid);
      }
      expect(statSync('/etc/passwd').uid).to.equal(0);
    });

    it('streams the output', async () => {
      const spec = fixture.install('cd /mnt/server; echo waiting; while [ ! -e go ]; do sleep 0.1; done; echo went');
      let output = '';
      const signal = new AbortController().signal;
      const result = fixture.runtime.install(spec, (chunk) => (output += chunk.toString()), signal);
      await waitUntil('the first line', () => output.includes('waiting'));
      expect(output).not.to.include('went');
      writeFileSync(join(spec.volume.path, 'go'), '');
      expect(await result).to.deep.equal({ exitCode: 0, outOfMemory: false });
      expect(output).to.include('went');
    });

    it('lists no installation as an instance', async () => {
      const spec = fixture.install(endless);
      const abort = new AbortController();
      const result = reasonOf(install(spec, abort.signal));
      await waitUntil('the script', () => beats(spec) > 0);
      const listed = (await fixture.runtime.list()).map((instance) => instance.serverId);
      expect(listed).not.to.include(spec.serverId);
      abort.abort();
      expect(await result).to.equal('INSTALL_ABORTED');
    });

    it('reports a failed script with its exit code and keeps its files', async () => {
      const spec = fixture.install('echo half > /mnt/server/half; echo broken; exit 23');
      const { exitCode, output } = await install(spec);
      expect({ exitCode, output }).to.deep.equal({ exitCode: 23, output: 'broken\n' });
      expect(statSync(join(spec.volume.path, 'half')).uid).to.equal(spec.volume.uid);
    });

    it('kills a script at its time limit', async () => {
      const spec = fixture.install(endless, { timeoutMs: 1500 });
      expect(await reasonOf(within(15_000, 'the time-out', install(spec)))).to.equal('INSTALL_TIMEOUT');
      expect(beats(spec)).to.be.above(0);
      await expectNoBeat(join(spec.volume.path, 'beat'));
      expect(statSync(join(spec.volume.path, 'beat')).uid).to.equal(spec.volume.uid);
    });

    it('kills a script when aborted', async () => {
      const spec = fixture.install(endless);
      const abort = new AbortController();
      const result = reasonOf(install(spec, abort.signal));
      await waitUntil('the script', () => beats(spec) > 0);
      abort.abort();
      expect(await within(15_000, 'the abort', result)).to.equal('INSTALL_ABORTED');
      await expectNoBeat(join(spec.volume.path, 'beat'));
    });

    it('starts no installation that is already aborted', async () => {
      const spec = fixture.install('touch /mnt/server/ran');
      expect(await reasonOf(install(spec, AbortSignal.abort()))).to.equal('INSTALL_ABORTED');
      expect(existsSync(join(spec.volume.path, 'ran'))).to.equal(false);
    });

    it('removes a remaining installer and installs again', async () => {
      const spec = fixture.install(endless);
      const left = install(spec, new AbortController().signal, fixture.open()).catch(() => undefined);
      await waitUntil('the first script', () => beats(spec) > 0);
      const { exitCode } = await install({ ...spec, script: 'echo again > /mnt/server/again' });
      expect(exitCode).to.equal(0);
      await within(15_000, 'the end of the first', left);
      await expectNoBeat(join(spec.volume.path, 'beat'));
      expect(readFileSync(join(spec.volume.path, 'again'), 'utf8')).to.equal('again\n');
    });

    it('ends when its server is removed', async () => {
      const spec = fixture.install(endless);
      const left = install(spec, new AbortController().signal, fixture.open()).catch(() => undefined);
      await waitUntil('the script', () => beats(spec) > 0);
      await fixture.runtime.remove(spec.serverId);
      await within(15_000, 'the end of the installation', left);
      await expectNoBeat(join(spec.volume.path, 'beat'));
    });

    it('bounds the output and not the script', async () => {
      const spec = fixture.install('i=0; while [ $i -lt 10000 ]; do printf "%01000d\\n" 0; i=$((i+1)); done; exit 5');
      const { exitCode, output } = await install({ ...spec, timeoutMs: 60_000 });
      expect(exitCode).to.equal(5);
      expect(output.length).to.be.below(8.5 * 1024 * 1024);
    }).timeout(60_000);

    it('refuses an interpreter that is not a plain name', async () => {
      const spec = fixture.install('true', { entrypoint: 'sh -c id' });
      expect(await reasonOf(install(spec))).to.equal('INVALID_SPEC');
    });
  });
}
