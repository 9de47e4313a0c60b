import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readTestConfig } from '@panel/testing';
import { expect } from 'chai';
import { sharedStack } from '../support/shared-stack.js';
import { adminPassword, type SharedStack } from '../support/stack.js';

const run = promisify(execFile);
const here = fileURLToPath(new URL('../..', import.meta.url));
const root = path.join(here, '..', '..');
const samples = path.join(here, 'generated-clients');

/** The program of a package, by its own account of it. */
function programOf(name: string, program: string): string {
  const require = createRequire(path.join(here, 'package.json'));
  const directory = require.resolve.paths(name)?.map((modules) => path.join(modules, name)) ?? [];
  const found = directory.find((candidate) => isPackage(require, candidate));
  if (found === undefined) throw new Error(`${name} is not installed`);
  const { bin } = require(path.join(found, 'package.json')) as { bin: Record<string, string> };
  return path.join(found, bin[program] ?? '');
}

function isPackage(require: NodeJS.Require, directory: string): boolean {
  try {
    require.resolve(path.join(directory, 'package.json'));
    return true;
  } catch {
    return false;
  }
}

const compilerOptions = {
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  noEmit: true,
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
};

/* What client authors do with the document: generate a client, compile it and use it. One generator stands for all by day. */
const itLong = readTestConfig().isLong ? it : it.skip;

describe('generated clients', function () {
  this.timeout(180_000);
  let test: SharedStack;
  /** Below this workspace, so that the clients find their packages. */
  let directory: string;

  before(async () => {
    test = await sharedStack();
    await mkdir(path.join(here, 'dist'), { recursive: true });
    directory = await mkdtemp(path.join(here, 'dist', 'clients-'));
    const document = await test.admin.download('/openapi.json');
    await writeFile(path.join(directory, 'openapi.json'), Buffer.from(await document.arrayBuffer()));
    await writeFile(path.join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  });

  after(async () => {
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  const node = async (program: string, ...args: string[]) =>
    run(process.execPath, [program, ...args], { cwd: directory });

  async function compile(): Promise<void> {
    const compiled = await node(path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', directory).catch(
      (error: { stdout: string }) => error,
    );
    expect(compiled.stdout).to.equal('');
  }

  /** Compile a program that uses a client, run it against the panel, and answer what it prints. */
  async function use(name: string, change: (sample: string) => string = (sample) => sample): Promise<unknown> {
    const source = path.join(directory, `${name}.ts`);
    const bundle = path.join(directory, `${name}.mjs`);
    const sample = await readFile(path.join(samples, `${name.replace('-zod', '')}.sample.txt`), 'utf8');
    await writeFile(source, change(sample));
    await compile();
    const esbuild = path.join(root, 'node_modules', '.bin', 'esbuild');
    await run(esbuild, [source, '--bundle', '--platform=node', '--format=esm', `--outfile=${bundle}`]);
    const env = {
      PATH: process.env.PATH,
      PANEL_URL: test.stack.baseUrl,
      PANEL_EMAIL: test.adminEmail,
      PANEL_PASSWORD: adminPassword,
    };
    const { stdout } = await run(process.execPath, [bundle], { cwd: directory, env });
    return JSON.parse(stdout);
  }

  const expected = {
    created: 201,
    deleted: 204,
    code: 'not_found',
    details: { description: ['must have at least 1 character'] },
  };

  it('compiles and runs a client of openapi-typescript with openapi-fetch', async () => {
    await node(programOf('openapi-typescript', 'openapi-typescript'), 'openapi.json', '-o', 'schema.ts');
    expect(await use('openapi-fetch'))
      .to.deep.include(expected)
      .and.to.have.property('total')
      .that.is.a('number');
  });

  itLong('compiles and runs a client of @hey-api/openapi-ts that validates answers with zod', async () => {
    const config = {
      input: './openapi.json',
      output: 'hey-api-zod',
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', 'zod', { name: '@hey-api/sdk', validator: true }],
    };
    await writeFile(path.join(directory, 'hey-api.config.mjs'), `export default ${JSON.stringify(config)};`);
    await node(programOf('@hey-api/openapi-ts', 'openapi-ts'), '-f', 'hey-api.config.mjs');
    // Its validators send no body that is wrong: the sample asks for something else.
    const wrong = "postAccountApiKeys({ body: { description: '' } })";
    const used = await use('hey-api-zod', (sample) =>
      sample.replaceAll('./hey-api/', './hey-api-zod/').replace(wrong, 'getServersId({ path: { id } })'),
    );
    expect(used)
      .to.deep.include({ ...expected, details: {} })
      .and.to.have.property('total')
      .that.is.a('number');
  });

  itLong('compiles clients and schemas of orval', async () => {
    // orval sends no JSON where bytes can be sent instead: its setting leaves one of the two.
    const override = { contentType: { exclude: ['application/octet-stream'] } };
    const config = {
      client: { input: './openapi.json', output: { target: 'orval/client.ts', client: 'fetch', override } },
      zod: { input: './openapi.json', output: { target: 'orval/zod.ts', client: 'zod' } },
    };
    await writeFile(path.join(directory, 'orval.config.mjs'), `export default ${JSON.stringify(config)};`);
    await node(programOf('orval', 'orval'), '--config', 'orval.config.mjs');
    for (const file of ['client', 'zod']) {
      expect((await stat(path.join(directory, 'orval', `${file}.ts`))).size).to.be.above(100_000);
    }
    await compile();
  });

  itLong('compiles and runs a client of @hey-api/openapi-ts', async () => {
    await node(programOf('@hey-api/openapi-ts', 'openapi-ts'), '-i', 'openapi.json', '-o', 'hey-api');
    expect(await use('hey-api'))
      .to.deep.include(expected)
      .and.to.have.property('total')
      .that.is.a('number');
  });
});
