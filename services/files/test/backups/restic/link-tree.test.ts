import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { realTime } from '@panel/kit/testing';
import { isErrno } from '@panel/kit/errors';
import { expect } from 'chai';
import { linkTree } from '../../../src/backups/restic/link-tree.js';
import type { ScanVisitor } from '../../../src/backups/storage/scan-tree.js';
import { openTrusted, withHandle } from '../../../src/jail/node.js';
import { statEntry } from '../../../src/jail/tree.js';

const options = { signal: new AbortController().signal, onArchived: () => undefined };

describe('the links of a volume', () => {
  let directory: string;
  let target: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-links-'));
    target = path.join(directory, 'target');
    await mkdir(path.join(directory, 'volume'));
    await mkdir(target);
    await writeFile(path.join(directory, 'volume/world'), 'x');
  });
  afterEach(async () => rm(directory, { recursive: true, force: true }));

  const linkAs = async (paths: readonly string[], next: (visitor: ScanVisitor) => Promise<void>) =>
    withHandle(await openTrusted(path.join(directory, 'volume')), async (root) =>
      linkTree(
        async (visitor) => {
          const found = await statEntry(root, Buffer.from('world'));
          if (!found || !visitor) throw new Error('nothing to link');
          for (const name of paths) await visitor.entry(root, found.name, found.stats, name);
          await next(visitor);
          return { entries: paths.length, contentBytes: 1, excluded: [] };
        },
        target,
        options,
      ),
    );

  it('fails with the error of a link that fails before its batch is awaited', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    let error: unknown;
    try {
      await linkAs(['a', 'a'], async (visitor) => {
        await realTime(50, 'the kernel refuses the second link');
        await visitor.rest();
      });
    } catch (failure) {
      error = failure;
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(isErrno(error, 'EEXIST')).to.equal(true);
    expect(unhandled).to.deep.equal([]);
  });
});
