import { randomUUID } from 'node:crypto';
import { firstOf } from '@panel/kit/async';
import { type ActivityLog, createActivityLog } from '@panel/activity';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { createLogger } from '@panel/kit/process';
import { deferred, waitUntil } from '@panel/kit/testing';
import { createOutboxMetrics } from '@panel/outbox';
import type { ActivityEvent, RecordActivityRequest } from '@panel/protos/admin';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { SftpActivity } from '../../src/sftp/activity.js';
import { openWrapper, Sftp, type SftpFixture, startSftpFixture } from './fixture.js';

const countsOf = (events: readonly ActivityEvent[]) =>
  events.map(({ event, properties }) => [event, properties['count']]);

describe('activity of SFTP', () => {
  describe('while the admin service is unavailable', () => {
    let fixture: SftpFixture;
    before(async () => {
      fixture = await startSftpFixture();
    });
    after(async () => fixture.stop());

    it('keeps what was done over a restart, and delivers it once', async () => {
      const { authority, running } = fixture;
      authority.isAdminUnavailable = true;
      const client = await fixture.connect();
      const sftp = new Sftp(await openWrapper(client));
      for (let round = 0; round < 3; round += 1) await sftp.writeFile(`/f${round}`, 'x');
      await sftp.unlink('/f0');
      await running.restart();
      expect(authority.events).to.deep.equal([]);
      authority.isAdminUnavailable = false;
      await waitUntil('the activity', async () => authority.events.length >= 2);
      await running.restart();
      expect(countsOf(authority.events)).to.have.deep.members([
        ['server:sftp.create', '3'],
        ['server:sftp.delete', '1'],
      ]);
    });
  });

  describe('of one session', () => {
    let mongo: MongoConnection;
    let log: ActivityLog;
    let now: Date;
    const events: ActivityEvent[] = [];
    const later = (ms: number) => (now = new Date(now.getTime() + ms));
    const deliver = async () => log.jobs[0]?.run(new AbortController().signal);
    const open = (activity: Pick<ActivityLog, 'recordOngoing'> = log) =>
      new SftpActivity(
        { activity, clock: () => now },
        { userId: randomUUID(), serverId: randomUUID(), ip: '192.0.2.9' },
      );
    beforeEach(async () => {
      events.splice(0);
      now = new Date();
      mongo = await connectMongo(testMongoUrl('files'), { appName: 'test' });
      log = createActivityLog({
        client: {
          recordActivity: async ({ events: given }: RecordActivityRequest) => {
            events.push(...given);
            return {};
          },
        },
        mongo,
        jobs: { runNow: () => undefined },
        metrics: createOutboxMetrics(new Registry()),
        log: createLogger({ service: 'test', level: 'silent' }),
        clock: () => now,
      });
      await createIndexes(mongo);
    });
    afterEach(async () => mongo.close());

    it('makes one entry of what is done in a minute', async () => {
      const activity = open();
      for (let second = 0; second < 60; second += 3) {
        activity.record('write', `/f${second}`);
        await activity.save();
        await deliver();
        expect(events).to.deep.equal([]);
        later(3_000);
      }
      await activity.save();
      activity.record('write', '/later');
      await activity.end();
      await deliver();
      expect(countsOf(events)).to.deep.equal([
        ['server:sftp.write', '20'],
        ['server:sftp.write', '1'],
      ]);
    });

    it('loses what was done since the last save when its process dies', async () => {
      const activity = open();
      for (let round = 0; round < 30; round += 1) activity.record('create', `/f${round}`);
      await activity.save();
      activity.record('create', '/lost');
      later(90_000);
      await deliver();
      await deliver();
      expect(countsOf(events)).to.deep.equal([['server:sftp.create', '30']]);
      expect(events[0]?.properties['files']?.split('\n')).to.have.length(20);
    });

    it('stores a minute with the next save when it could not be stored', async () => {
      let isFull = true;
      const recordOngoing: ActivityLog['recordOngoing'] = async (...given) =>
        isFull ? false : log.recordOngoing(...given);
      const activity = open({ recordOngoing });
      activity.record('write', '/a');
      later(60_000);
      const saving = activity.save();
      activity.record('write', '/b');
      await saving;
      isFull = false;
      activity.record('write', '/c');
      await activity.save();
      await deliver();
      expect(countsOf(events)).to.deep.equal([['server:sftp.write', '3']]);
      expect(events[0]?.properties['files']).to.equal('/a\n/b\n/c');
    });

    it('counts everything when the session ends during a save', async () => {
      const saved = deferred();
      let isFirst = true;
      const recordOngoing: ActivityLog['recordOngoing'] = async (...given) => {
        if (isFirst) {
          isFirst = false;
          await saved.promise;
        }
        return log.recordOngoing(...given);
      };
      const activity = open({ recordOngoing });
      activity.record('delete', '/a');
      const saving = activity.save();
      activity.record('delete', '/b');
      const ending = activity.end();
      await firstOf(ending, 100, null);
      saved.resolve();
      await Promise.all([ending, saving]);
      await deliver();
      expect(countsOf(events)).to.deep.equal([['server:sftp.delete', '2']]);
    });
  });
});
