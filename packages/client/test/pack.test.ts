import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { FakePanel } from './support/panel.js';

const run = promisify(execFile);
const here = fileURLToPath(new URL('../..', import.meta.url));
const modules = path.join(here, '..', '..', 'node_modules');

const program = `import { ApiError, createPanelClient } from '@panel/client';

const panel = createPanelClient({ baseUrl: process.argv[2] ?? '', token: 'key' });
const { data } = await panel.get('/account');
const email: string = data.email;
const failed: unknown = await panel.get('/servers/{id}', { params: { id: 'x' } }).catch((error: unknown) => error);
console.log(JSON.stringify([email, failed instanceof ApiError && failed.status]));
`;

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
  typeRoots: [path.join(modules, '@types')],
};

/** What an author of a program does with the package. */
describe('packed client', function () {
  this.timeout(60_000);
  const panel = new FakePanel();
  let project: string;

  before(async () => {
    await panel.start();
    project = await mkdtemp(path.join(tmpdir(), 'panel-client-'));
    const npm = async (...args: string[]) => run('npm', args, { cwd: here });
    const { stdout } = await npm('pack', '--json', '--ignore-scripts', '--pack-destination', project);
    const [packed] = JSON.parse(stdout) as { filename: string }[];
    await writeFile(path.join(project, 'package.json'), JSON.stringify({ name: 'user', type: 'module' }));
    // What it depends on is taken from this repository: no registry is asked.
    const sources = [path.join(project, packed?.filename ?? ''), path.join(modules, 'ws')];
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...sources], { cwd: project });
  });

  after(async () => {
    panel.stop();
    if (project) await rm(project, { recursive: true, force: true });
  });

  it('holds what a program needs, and no tests', async () => {
    const installed = path.join(project, 'node_modules', '@panel', 'client');
    expect(await readFile(path.join(installed, 'README.md'), 'utf8')).to.contain('npm install');
    for (const file of [
      'dist/src/index.js',
      'dist/src/index.d.ts',
      'dist/src/node.js',
      'dist/src/generated/api.d.ts',
    ]) {
      expect((await readFile(path.join(installed, file))).length, file).to.be.greaterThan(0);
    }
    expect(await readFile(path.join(installed, 'dist/test/client.test.js')).catch(() => null)).to.equal(null);
  });

  it('loads every export of the package, with its types', async () => {
    const installed = path.join(project, 'node_modules', '@panel', 'client');
    const { exports } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as { exports: object };
    const names = Object.keys(exports).map((name) => path.posix.join('@panel/client', name));
    expect(names).to.include('@panel/client');
    const loads = names.map((name) => `await import('${name}');`).join('\n');
    await writeFile(path.join(project, 'exports.ts'), `${loads}\n`);
    const config = { compilerOptions: { ...compilerOptions, noEmit: true }, include: ['exports.ts'] };
    await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(config));
    const tsc = path.join(modules, 'typescript', 'bin', 'tsc');
    const failed = async (...args: string[]) =>
      run(process.execPath, args, { cwd: project }).then(
        () => '',
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      );
    expect(await failed(tsc, '-p', project)).to.equal('');
    expect(await failed('--input-type=module', '-e', loads)).to.equal('');
  });

  it('compiles in a strict program, for Node and for bundlers, and runs', async () => {
    await writeFile(path.join(project, 'program.ts'), program);
    const tsc = path.join(modules, 'typescript', 'bin', 'tsc');
    for (const module of [{ module: 'nodenext' }, { module: 'esnext', moduleResolution: 'bundler' }]) {
      const config = { compilerOptions: { ...compilerOptions, ...module, outDir: 'out' }, include: ['program.ts'] };
      await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(config));
      await mkdir(path.join(project, 'out'), { recursive: true });
      const compiled = await run(process.execPath, [tsc, '-p', project], { cwd: project }).catch(
        (error: { stdout: string }) => error,
      );
      expect(compiled.stdout).to.equal('');
    }
    panel.answer(({ url }, response) => {
      const isFound = url === '/api/v1/account';
      const body = isFound
        ? { data: { email: 'a@example.com' } }
        : { error: { code: 'not_found', message: '', details: {} } };
      response.writeHead(isFound ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const { stdout } = await run(process.execPath, [path.join(project, 'out', 'program.js'), panel.baseUrl]);
    expect(JSON.parse(stdout)).to.deep.equal(['a@example.com', 404]);
  });
});
