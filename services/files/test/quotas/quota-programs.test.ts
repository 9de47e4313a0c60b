import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { detectQuotas } from '../../src/quotas/detect-quotas.js';
import { createQuotaPrograms } from '../../src/quotas/quota-programs.js';

const here = '22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw,prjquota\n';

describe('quota programs', () => {
  let directory = '';
  let calls: { command: readonly string[]; input: string }[] = [];
  let output = '';
  const programs = createQuotaPrograms(async (command, input) => {
    calls.push({ command, input });
    return output;
  });
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-quota-'));
  });
  after(async () => rm(directory, { recursive: true }));
  beforeEach(() => {
    [calls, output] = [[], ''];
  });

  it('sets all limits in one call, in whole kibibytes', async () => {
    await programs.setLimits('/srv', [
      { projectId: 1_048_577, bytes: 4_097 },
      { projectId: 1_048_578, bytes: 0 },
    ]);
    expect(calls).to.deep.equal([
      { command: ['setquota', '-P', '-b', '/srv'], input: '1048577 0 5 0 0\n1048578 0 0 0 0\n' },
    ]);
  });

  it('calls nothing for no limits and no files', async () => {
    await programs.setLimits('/srv', []);
    await programs.setProject([], { projectId: 7 });
    expect(await programs.projectsOf([])).to.deep.equal([]);
    expect(calls).to.deep.equal([]);
  });

  it('names files by what is open, so that a link in their place is not followed', async () => {
    const handle = await open(directory);
    const at = `/proc/${process.pid}/fd/${handle.fd}`;
    await programs.setProject([handle], { projectId: 7, inherits: true });
    await programs.setProject([handle], { projectId: 0, inherits: false });
    await programs.setProject([handle], { projectId: 7 });
    expect(calls.map(({ command }) => command)).to.deep.equal([
      ['xfs_io', '-r', '-c', 'chproj 7', '-c', 'chattr +P', at],
      ['xfs_io', '-r', '-c', 'chproj 0', '-c', 'chattr -P', at],
      ['xfs_io', '-r', '-c', 'chproj 7', at],
    ]);
    await handle.close();
  });

  it('reads projects in the order of the files', async () => {
    output = 'projid = 0\nprojid = 1048577\n';
    const handle = await open(directory);
    expect(await programs.projectsOf([handle, handle])).to.deep.equal([0, 1_048_577]);
    await handle.close();
  });

  it('uses the quotas of a file system when both programs work on it', async () => {
    output = 'projid = 0\n';
    expect(await detectQuotas(programs, directory, here)).to.deep.equal({ fileSystem: 'ext4', mountPoint: '/' });
    expect(calls.map(({ command }) => command[0])).to.deep.equal(['xfs_io', 'setquota']);
  });

  it('says in one line why a program does not work', async () => {
    const failing = createQuotaPrograms(async () => {
      throw new AppError('internal', 'TEST', 'setquota has failed: Cannot\n  find the device');
    });
    expect(await detectQuotas(failing, directory, here)).to.equal('setquota has failed: Cannot find the device');
  });

  it('says that a file system without project quotas cannot be used', async () => {
    const missing = createQuotaPrograms();
    expect(await detectQuotas(missing, directory, here.replace('prjquota', 'noatime'))).to.equal(
      '/ is mounted without prjquota',
    );
  });
});
