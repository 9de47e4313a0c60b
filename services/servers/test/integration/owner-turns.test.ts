import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import type { Server } from '@panel/protos/servers';
import { expect } from 'chai';
import { newUser } from '../support/fake-services.js';
import { createFixture, type Fixture, reasonOf, waitForServer } from '../support/fixture.js';
import { userActor } from '../support/harness.js';

const featureLimits = { databases: 0, backups: 2, allocations: 1 };

describe('work of many servers of one owner', function () {
  this.timeout(120_000);
  let fixture: Fixture;
  let directory: string;
  /** Installations last while it exists. */
  let gate: string;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-turns-'));
    // Scripts run as another user.
    await chmod(directory, 0o755);
    gate = path.join(directory, 'gate');
    const script = `while [ -e ${gate} ]; do sleep 1; done`;
    fixture = await createFixture({
      egg: { scripts: { installation: { script, container: 'debian:bookworm', entrypoint: 'sh' } } },
    });
  });
  after(async () => {
    await rm(directory, { recursive: true });
    await fixture.stop();
  });

  const installedOfOther = async () => {
    const userId = newUser(fixture.harness.fakes);
    const { id } = await fixture.createServer({ featureLimits, userId });
    const clients = fixture.harness.clients(userActor(userId), fixture.harness.address);
    return waitForServer(clients, id, ({ operation }) => operation === undefined);
  };
  const backUp = async (serverId: string) => {
    const request = { serverId, name: '', ignoredFiles: [], rotate: false, databases: false };
    return (await fixture.admin.backups.createBackup(request)).backup?.id ?? '';
  };

  it('leaves a place for a backup of another owner, who need not wait for an end', async () => {
    const { backups } = fixture.harness.fakes;
    const many = await Promise.all(Array.from({ length: 6 }, async () => fixture.installed({ featureLimits })));
    const other = await installedOfOther();
    backups.isHolding = true;
    for (const { id } of many) await backUp(id);
    await waitUntil('backups of the first owner', () => backups.runs.length >= 3);
    const own = await backUp(other.id);
    await waitUntil('the backup of the other owner', () => backups.runs.includes(own), 10_000);
    expect(backups.runs.length).to.equal(4);
    backups.release();
    for (const { id } of many) await waitForServer(fixture.owner, id, ({ operation }) => operation === undefined);
    expect(new Set(backups.runs).size).to.equal(7);
  });

  it('leaves a place for the deletion of a server of another owner during long installations', async () => {
    const other = await installedOfOther();
    await writeFile(gate, '');
    const many: Server[] = [];
    for (let count = 0; count < 9; count += 1) many.push(await fixture.createServer());
    await waitUntil('installations of the first owner', async () => {
      const got = many.map(async ({ id }) => fixture.owner.servers.getServer({ serverId: id, asStaff: false }));
      const steps = (await Promise.all(got)).map(({ server }) => server?.operation?.step);
      return steps.filter((step) => step === 'run_script' || step === 'create_container').length >= 7;
    });
    await fixture.admin.servers.deleteServer({ serverId: other.id, force: false, keepBackups: false });
    await waitUntil('the deletion', async () => {
      const gone = reasonOf(fixture.admin.servers.getServer({ serverId: other.id, asStaff: true }));
      return (await gone) === 'SERVER_NOT_FOUND';
    });
    await rm(gate);
    for (const { id } of many) await waitForServer(fixture.owner, id, ({ operation }) => operation === undefined);
  });
});
