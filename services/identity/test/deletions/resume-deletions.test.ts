import { createJobs, createLogger, createMetrics } from '@panel/kit/process';
import { expect } from 'chai';
import { resumeDeletions } from '../../src/deletions/resume-deletions.js';

describe('deletions of users that were cut short', () => {
  it('finishes all deletions but the one that fails', async () => {
    const removed: string[] = [];
    const log = createLogger({ service: 'test', level: 'silent' });
    const jobs = createJobs({ log, metrics: createMetrics('test'), clock: () => new Date() });
    const store = { removeOfUser: async () => undefined };
    const context = {
      attempt: jobs.attempt.bind(jobs),
      epochs: { bump: async () => undefined },
      users: {
        findDeleting: async () => ['failing', 'other'],
        removeDeleting: async (userId: string) => removed.push(userId),
      },
      ownership: {
        removeUserFromServers: async ({ userId }: { userId: string }) => {
          if (userId === 'failing') throw new Error('this user is damaged');
        },
      },
      apiKeys: store,
      preferences: store,
      sessions: store,
      sshKeys: store,
    };
    await resumeDeletions(context as never);
    expect(removed).to.deep.equal(['other']);
  });
});
