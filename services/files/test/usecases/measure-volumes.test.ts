import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createLogger, createTaskGroup } from '@panel/kit/process';
import { expect } from 'chai';
import type { FilesContext } from '../../src/context.js';
import { openTrusted, withHandle } from '../../src/jail/node.js';
import { TempNames } from '../../src/jail/temp-names.js';
import { measureVolumes } from '../../src/usecases/volumes/measure-volumes.js';
import { createTempDir, type TempDir } from '../temp-dir.js';

const directories = 500;

describe('time limits of volume measurements', () => {
  let temp: TempDir;
  let opened: number;
  const failures: string[] = [];

  before(async () => {
    temp = await createTempDir();
    for (let n = 0; n < directories; n += 1) await mkdir(path.join(temp.root, `${n}`));
  });
  beforeEach(() => {
    opened = 0;
    failures.length = 0;
  });
  after(async () => temp.remove());

  /** Of `count` volumes with 500 directories each. */
  const measure = async (count: number, limits: { readonly totalMs: number; readonly volumeMs: number }) => {
    const open = async <T>(_volume: unknown, work: (root: Awaited<ReturnType<typeof openTrusted>>) => Promise<T>) => {
      opened += 1;
      return withHandle(await openTrusted(temp.root), work);
    };
    const deps = {
      volumes: { open } as unknown as FilesContext['volumes'],
      tempNames: new TempNames(new Date()),
      tasks: createTaskGroup(createLogger({ service: 'test', level: 'silent' })),
      attempt: async (_job: string, id: string, work: () => Promise<unknown>) =>
        work().then(
          () => true,
          () => {
            failures.push(id);
            return false;
          },
        ),
    };
    const ids = Array.from({ length: count }, (_, n) => `volume-${n}`);
    return (await measureVolumes(deps, ids, limits)).map(({ serverId }) => serverId);
  };

  it('measures large volumes when there is time', async () => {
    expect(await measure(2, { totalMs: 60_000, volumeMs: 60_000 })).to.deep.equal(['volume-0', 'volume-1']);
  });

  it('leaves out a volume that takes longer and goes on with the next one', async () => {
    expect(await measure(3, { totalMs: 60_000, volumeMs: 1 })).to.deep.equal([]);
    expect(opened).to.equal(3);
    expect(failures).to.deep.equal([]);
  });

  it('opens no further volume after the limit of all', async () => {
    expect(await measure(3, { totalMs: 1, volumeMs: 60_000 })).to.deep.equal([]);
    expect(opened).to.equal(1);
    expect(failures).to.deep.equal([]);
  });
});
