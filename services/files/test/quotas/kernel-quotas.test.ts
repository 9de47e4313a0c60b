import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readTestConfig } from '@panel/testing';
import { missingForVirtualMachine, runInVirtualMachine } from './virtual-machine.js';

const mebibyte = 1024 * 1024;
const timeoutMs = 9 * 60_000;

/** In a virtual machine whose kernel has project quotas. */
describe('disk limits held by the kernel', () => {
  let directory = '';
  let output = '';
  let facts = new Map<string, unknown>();

  before(async function () {
    this.timeout(timeoutMs + 30_000);
    const { isFast, isCi } = readTestConfig();
    if (isFast) this.skip();
    const missing = await missingForVirtualMachine();
    if (missing.length > 0) {
      const message = `no virtual machine with project quotas: ${missing.join(', ')}`;
      if (isCi) throw new Error(message);
      process.stdout.write(`      skipped, ${message}\n`);
      this.skip();
    }
    directory = await mkdtemp(path.join(tmpdir(), 'panel-quotas-'));
    const program = await bundle(directory);
    output = await runInVirtualMachine({ directory, program, timeoutMs });
    facts = factsOf(output);
    if (facts.get('done') !== true) throw new Error(`the program has failed:\n${output.slice(-4_000)}`);
  });

  after(async () => {
    if (directory !== '') await rm(directory, { recursive: true, force: true });
  });

  for (const fileSystem of ['ext4', 'xfs']) {
    describe(fileSystem, () => {
      const fact = (name: string) => facts.get(`${fileSystem}.${name}`);
      const refused = fileSystem === 'ext4' ? 'Disk quota exceeded' : 'No space left on device';

      it('says at start-up that the kernel holds the limits', () => {
        expect(output).to.include(`project quotas of ${fileSystem} on /mnt/${fileSystem}`);
      });

      it('stops a game that writes at its limit', () => {
        const game = fact('game') as { bytes: number };
        expect(game).to.include({ isRefused: true, says: refused });
        expect(game.bytes).to.be.within(3.8 * mebibyte, 4 * mebibyte);
      });

      it('gives a raised limit at once', () => {
        expect((fact('raised') as { bytes: number }).bytes).to.be.within(5.8 * mebibyte, 6 * mebibyte);
      });

      it('holds nothing for a limit of 0', () => {
        expect(fact('unlimited')).to.include({ isRefused: false });
      });

      it('stops root of a container, which is an installer', () => {
        expect(fact('container_root')).to.include({ isRefused: true, says: refused });
      });

      it('counts new files of new directories for the server', () => {
        expect(fact('inherited')).to.deep.equal([true, true]);
      });

      // ext4 exempts root, so the measured usage applies
      it('answers DISK_LIMIT where the kernel refuses the panel', () => {
        expect(fact('api')).to.equal(fileSystem === 'ext4' ? 'done' : 'DISK_LIMIT');
      });

      it('frees the project of a deleted server', () => {
        expect(fact('freed')).to.equal(null);
      });

      it('does not count the trash, so that a game can have the room', () => {
        expect(fact('trash.game')).to.be.within(6.8, 7);
      });

      it('still counts a file whose other name was deleted', () => {
        expect(fact('trash.kept_name')).to.equal(true);
      });

      it('restores files, directories and links from the trash and counts them again', () => {
        expect(fact('trash.restored')).to.deep.equal([true, 'big', 'region', true, true, true]);
      });

      it('moves a restored file into a restored directory', () => {
        expect(fact('trash.moved')).to.equal(2 * mebibyte);
      });

      it('puts an upload in its place by one rename', () => {
        expect(fact('upload')).to.deep.equal([true, true, true]);
      });

      it('restores a backup while old and new files exceed the limit together', () => {
        expect(fact('restore')).to.deep.equal([true, mebibyte, true, true]);
      });

      it('holds the limit again after a restore', () => {
        expect(fact('restore.limit')).to.equal(8 * mebibyte);
        expect(fact('restore.game')).to.equal(true);
      });

      it('gives files of a volume further names outside of it', () => {
        expect(fact('links')).to.equal(true);
      });

      it('counts a volume that was there before the quotas', () => {
        expect(fact('legacy.counted')).to.deep.equal([true, true, true]);
        expect(fact('legacy.game')).to.equal(true);
      });

      it('moves a link of such a volume', () => {
        expect(fact('legacy.link')).to.equal('a/b/old');
      });

      it('holds the limit of a server on the node it has moved to', () => {
        expect(fact('transfer')).to.deep.equal([true, 2, 4 * mebibyte, true]);
      });
    });
  }
});

async function bundle(directory: string): Promise<string> {
  const esbuild = createRequire(import.meta.url).resolve('@esbuild/linux-x64/bin/esbuild');
  const program = path.join(directory, 'program.mjs');
  const require = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  await promisify(execFile)(esbuild, [
    fileURLToPath(new URL('quota-guest.js', import.meta.url)),
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--minify-whitespace',
    '--external:*.node',
    '--define:__dirname="/"',
    `--banner:js=${require}`,
    `--outfile=${program}`,
    '--log-level=error',
  ]);
  return program;
}

function factsOf(output: string): Map<string, unknown> {
  const facts = new Map<string, unknown>();
  for (const [, name, value] of output.matchAll(/^fact (\S+) (.*)$/gm)) {
    if (name !== undefined && value !== undefined) facts.set(name, JSON.parse(value));
  }
  return facts;
}
