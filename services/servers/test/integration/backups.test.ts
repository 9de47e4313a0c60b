import { randomUUID } from 'node:crypto';
import { AppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { type BackupServiceService, Operation_Kind, PowerAction, Server_Status } from '@panel/protos/servers';
import type { Client } from '@panel/rpc';
import { allReasons, createFixture, expect, type Fixture, reasonOf, waitForServer } from '../support/fixture.js';

describe('backups of a server', () => {
  let fixture: Fixture;
  let backups: Client<BackupServiceService>;

  const start = async () => {
    fixture = await createFixture({ environment: { RATE_LIMIT_BACKUP: '5' } });
    ({ backups } = fixture.owner);
  };
  before(start);
  after(async () => fixture.stop());
  afterEach(() => {
    fixture.harness.fakes.backups.release();
    fixture.harness.fakes.backups.restoreFailure = null;
  });

  const serverWith = async (limit: number) =>
    fixture.installed({ featureLimits: { databases: 0, backups: limit, allocations: 1 } });
  const create = async (serverId: string) =>
    (await backups.createBackup({ serverId, name: '', ignoredFiles: [], rotate: false, databases: false })).backup;
  const restore = async (serverId: string, backupId: string) =>
    backups.restoreBackup({ serverId, backupId, truncate: false, paths: [], databases: false });
  const untilIdle = async (serverId: string) =>
    waitForServer(fixture.owner, serverId, ({ operation }) => operation === undefined);
  const eventsOf = (serverId: string) =>
    [...fixture.harness.fakes.activity.values()].filter((event) => event.serverId === serverId);

  it('makes backups one after the other while power actions go on', async () => {
    const { fakes } = fixture.harness;
    const { id } = await serverWith(3);
    fakes.backups.isHolding = true;
    const made = [await create(id), await create(id)].map((backup) => backup?.id ?? '');
    const busy = await waitForServer(fixture.owner, id, ({ operation }) => operation?.step === 'archive');
    expect(busy.operation?.kind).to.equal(Operation_Kind.BACKING_UP);
    expect(busy.status).to.equal(Server_Status.OFFLINE);
    expect(fakes.backups.runs.filter((run) => made.includes(run))).to.deep.equal(made.slice(0, 1));
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    fakes.backups.release();
    await untilIdle(id);
    expect(fakes.backups.runs.filter((run) => made.includes(run))).to.deep.equal(made);
    await waitUntil('the activity log', () =>
      ['server:backup.start', 'server:backup.complete'].every(
        (name) => eventsOf(id).filter(({ event }) => event === name).length === 2,
      ),
    );
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.KILL });
  });

  it('refuses backups above the rate, by schedules and requests together', async () => {
    const { id } = await serverWith(20);
    const reasons = await Promise.all(Array.from({ length: 12 }, async () => reasonOf(create(id))));
    expect(reasons.filter((reason) => reason === 'none')).to.have.length(5);
    expect(reasons.filter((reason) => reason === 'BACKUP_RATE_LIMIT')).to.have.length(7);
  });

  it('leaves no trace of a backup above the limit', async () => {
    const { id } = await serverWith(0);
    expect(await reasonOf(create(id))).to.equal('BACKUP_LIMIT');
    expect((await untilIdle(id)).operation).to.equal(undefined);
  });

  it('refuses backups of a suspended server and for others', async () => {
    const { id } = await serverWith(3);
    const backup = await create(id);
    await untilIdle(id);
    const stranger = fixture.harness.clients(
      { kind: 'user', userId: randomUUID(), permissions: [], method: 'session', credentialId: 's', ip: '127.0.0.1' },
      fixture.harness.address,
    );
    const request = { serverId: id, backupId: backup?.id ?? '' };
    const calls = (client: Client<BackupServiceService>) => [
      client.createBackup({ serverId: id, name: '', ignoredFiles: [], rotate: false, databases: false }),
      client.restoreBackup({ ...request, truncate: false, paths: [], databases: false }),
      client.deleteBackup(request),
      client.setBackupLock({ ...request, isLocked: true }),
      client.grantBackupDownload(request),
    ];
    expect(await allReasons(calls(stranger.backups))).to.deep.equal(['SERVER_NOT_FOUND']);
    await fixture.admin.servers.suspendServer({ serverId: id });
    expect(await allReasons(calls(backups))).to.deep.equal(['SERVER_SUSPENDED']);
  });

  it('locks the server while a backup is restored', async () => {
    const { fakes } = fixture.harness;
    const { id } = await serverWith(3);
    const backup = (await create(id))?.id ?? '';
    await untilIdle(id);
    fakes.backups.isHolding = true;
    const [first, second] = await Promise.all([reasonOf(restore(id, backup)), reasonOf(restore(id, backup))]);
    expect([first, second].toSorted()).to.deep.equal(['SERVER_LOCKED', 'none'].toSorted());
    const busy = await waitForServer(fixture.owner, id, ({ operation }) => operation?.step === 'extract');
    expect([busy.status, busy.operation?.kind]).to.deep.equal([Server_Status.RESTORING, Operation_Kind.RESTORING]);
    const start = fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    expect(await allReasons([start, create(id)])).to.deep.equal(['SERVER_LOCKED']);
    fakes.backups.release();
    await untilIdle(id);
    expect(fakes.backups.restores.at(-1)).to.include({ backupId: backup, diskLimitBytes: 100 * 1024 * 1024 });
  });

  it('refuses at once to restore paths that are none of the backup, and changes nothing', async () => {
    const { fakes } = fixture.harness;
    const { id } = await serverWith(1);
    const backupId = (await create(id))?.id ?? '';
    await untilIdle(id);
    const before = fakes.backups.restores.length;
    for (const path of ['../..', '/', '.', 'a/../b', 'a\\b', '']) {
      const request = { serverId: id, backupId, truncate: false, databases: false, paths: ['world', path] };
      expect(await reasonOf(backups.restoreBackup(request)), path).to.equal('INVALID_FIELDS');
    }
    expect((await untilIdle(id)).status).to.equal(Server_Status.OFFLINE);
    expect(fakes.backups.restores).to.have.length(before);
  });

  it('refuses to restore a backup while the server runs and while one is made', async () => {
    const { fakes } = fixture.harness;
    const { id } = await serverWith(3);
    const backup = (await create(id))?.id ?? '';
    await untilIdle(id);
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    expect(await reasonOf(restore(id, backup))).to.equal('SERVER_RUNNING');
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.KILL });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.OFFLINE);
    fakes.backups.isHolding = true;
    await create(id);
    expect(await reasonOf(restore(id, backup))).to.equal('SERVER_LOCKED');
    expect(await reasonOf(fixture.admin.servers.reinstallServer({ serverId: id }))).to.equal('SERVER_LOCKED');
  });

  it('shows why a restore failed, and leaves the server as it was', async () => {
    const { fakes } = fixture.harness;
    const { id } = await serverWith(3);
    const backup = (await create(id))?.id ?? '';
    await untilIdle(id);
    fakes.backups.restoreFailure = new AppError('failed_precondition', 'BACKUP_DAMAGED', 'the archive is damaged');
    await restore(id, backup);
    expect((await untilIdle(id)).status).to.equal(Server_Status.OFFLINE);
    await waitUntil('the activity log', () =>
      eventsOf(id).some(
        ({ event, properties }) =>
          event === 'server:backup.restore-fail' && properties['error'] === 'the archive is damaged',
      ),
    );
  });

  it('keeps backups after the deletion of the server when that says so', async () => {
    const { retained, deletedServers } = fixture.harness.fakes.backups;
    const [one, other] = [await serverWith(3), await serverWith(3)];
    await fixture.admin.servers.deleteServer({ serverId: one.id, force: false, keepBackups: true });
    await fixture.admin.servers.deleteServer({ serverId: other.id, force: false });
    await waitUntil('both deletions', () => [one, other].every(({ id }) => deletedServers.includes(id)));
    expect([retained.get(one.id), retained.get(other.id)]).to.deep.equal([one.name, undefined]);
  });

  it('continues backups with another replica when one stops', async () => {
    const { harness } = fixture;
    const { id } = await serverWith(3);
    harness.fakes.backups.isHolding = true;
    const backup = (await create(id))?.id ?? '';
    await waitForServer(fixture.owner, id, ({ operation }) => operation?.step === 'archive');
    try {
      await harness.startReplica({ RATE_LIMIT_BACKUP: '5' });
      await harness.stopReplica('first');
      harness.fakes.backups.release();
      await waitUntil(
        'another replica to finish',
        () => eventsOf(id).some(({ event }) => event === 'server:backup.complete'),
        30_000,
      );
      expect(harness.fakes.backups.runs.filter((run) => run === backup).length).to.be.greaterThan(1);
    } finally {
      // Its clients use the stopped replica.
      harness.fakes.backups.release();
      await fixture.stop();
      await start();
    }
  });
});
