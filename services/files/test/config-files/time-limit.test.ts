import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '@panel/kit/process';
import { expect } from 'chai';
import type { ConfigFile } from '../../src/domain/config-file.js';
import { rewriteFiles, type RewriteOptions } from '../../src/config-files/rewrite-files.js';
import { createRewriter } from '../../src/config-files/rewriter.js';
import { TempNames } from '../../src/jail/temp-names.js';
import { replacementOf } from './rewriting.js';

describe('time limit for config files', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-config-'));
  });
  afterEach(async () => rm(directory, { recursive: true }));

  const file = (name: string): ConfigFile => ({
    path: name,
    parser: 'properties',
    isCreated: true,
    replacements: [replacementOf(['a', '1'])],
  });
  const rewrite = async (options: Partial<RewriteOptions>) => {
    const root = await open(directory);
    const rewriter = createRewriter();
    try {
      return await rewriteFiles(root, [file('one.properties'), file('two.properties')], {
        owner: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
        rewriter,
        tempNames: new TempNames(new Date()),
        lock: async (_path, work) => work(),
        timeoutMs: 20_000,
        signal: new AbortController().signal,
        log: createLogger({ service: 'test', level: 'silent' }),
        ...options,
      });
    } finally {
      await rewriter.close();
      await root.close();
    }
  };

  it('skips the remaining rules when it is reached', async () => {
    await writeFile(path.join(directory, 'one.properties'), 'a=0\n');
    const results = await rewrite({ timeoutMs: 0 });
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(['skipped', 'skipped']);
    for (const { message } of results) expect(message).to.match(/too long/);
    expect(await readFile(path.join(directory, 'one.properties'), 'utf8')).to.equal('a=0\n');
  });

  it('applies no further rules after the caller has cancelled', async () => {
    const nobody = new AbortController();
    const lock: RewriteOptions['lock'] = async (_path, work) => {
      const done = await work();
      nobody.abort(new Error('gone'));
      return done;
    };
    const thrown: unknown = await rewrite({ lock, signal: nobody.signal }).catch((error: unknown) => error);
    expect(thrown).to.have.property('message', 'gone');
    expect(await readdir(directory)).to.deep.equal(['one.properties']);
  });
});
