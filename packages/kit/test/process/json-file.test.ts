import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { readJson, writeJson } from '../../src/process/index.js';

describe('JSON files', () => {
  const schema = z.object({ count: z.number() });
  let directory = '';

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kit-json-'));
  });

  afterEach(async () => rm(directory, { recursive: true }));

  it('returns what was written to a JSON file, readable by the owner only', async () => {
    const path = join(directory, 'state.json');
    await writeJson(path, { count: 1 });
    await writeJson(path, { count: 2 });
    expect(await readJson(path, schema)).to.deep.equal({ count: 2 });
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect(await readdir(directory)).to.deep.equal(['state.json']);
  });

  it('reads null from a JSON file that is missing, cut off or of another shape', async () => {
    const path = join(directory, 'state.json');
    expect(await readJson(path, schema)).to.equal(null);
    await writeFile(path, '{"count":');
    expect(await readJson(path, schema)).to.equal(null);
    await writeFile(path, '{"total":1}');
    expect(await readJson(path, schema)).to.equal(null);
  });

  it('shows a reader the old content or the new content, never a part of it', async () => {
    const path = join(directory, 'state.json');
    const long = { text: 'x'.repeat(100_000) };
    await writeJson(path, long);
    for (let round = 0; round < 20; round++) {
      const writing = writeJson(path, long);
      const contents = await Promise.all(Array.from({ length: 5 }, async () => readFile(path, 'utf8')));
      for (const content of contents) expect(JSON.parse(content)).to.deep.equal(long);
      await writing;
    }
  });
});
