import { realTime } from '@panel/kit/testing';
import { expect } from 'chai';
import { CreateSubuserRequest } from '@panel/protos/servers';
import { allReasons, createFixture, type Fixture } from '../support/fixture.js';
import { scheduleRequest } from '../support/schedules.js';

const readCount = 100;

describe('many creations at once', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let target: string;
  let neighbour: string;
  before(async () => {
    fixture = await createFixture({ memoryMb: 1_000_000, ports: ['20000-20299'] });
    target = (
      await fixture.installed({ skipScripts: true, featureLimits: { databases: 0, backups: 0, allocations: 5 } })
    ).id;
    neighbour = (await fixture.installed({ skipScripts: true })).id;
  });
  after(() => fixture.stop());

  const getServer = async (serverId: string) => fixture.owner.servers.getServer({ serverId, asStaff: false });
  /** Neighbour latency during `work` in ms: median and maximum. */
  const beside = async <T>(work: () => Promise<T>) => {
    const state = { isDone: false };
    const done = work().finally(() => {
      state.isDone = true;
    });
    const tookMs: number[] = [];
    while (!state.isDone) {
      const startedAt = performance.now();
      await getServer(neighbour);
      tookMs.push(performance.now() - startedAt);
    }
    const medianMs = tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length / 2)] ?? 0;
    return { result: await done, medianMs, longestMs: Math.max(...tookMs) };
  };
  const many = async (count: number, create: (index: number) => Promise<unknown>) =>
    allReasons(Array.from({ length: count }, async (_, index) => create(index)));
  const kinds: [string, number, readonly string[], (index: number) => Promise<unknown>][] = [
    [
      'schedules',
      80,
      ['none', 'SCHEDULE_LIMIT', 'RATE_LIMIT_EXCEEDED'],
      async () => fixture.owner.schedules.createSchedule(scheduleRequest(target)),
    ],
    [
      'subusers',
      80,
      ['none', 'RATE_LIMIT_EXCEEDED'],
      async (index) =>
        fixture.admin.subusers.createSubuser(
          CreateSubuserRequest.create({
            serverId: target,
            email: `guest${index}@example.com`,
            permissions: ['control.console'],
          }),
        ),
    ],
    [
      'allocations of one server',
      40,
      ['none', 'ALLOCATION_LIMIT', 'RATE_LIMIT_EXCEEDED'],
      async () => fixture.owner.servers.addServerAllocation({ serverId: target }),
    ],
    ['servers', 12, ['none'], async () => fixture.createServer({ skipScripts: true })],
    [
      'servers on one allocation',
      24,
      ['none', 'ALLOCATION_TAKEN'],
      async () => {
        const allocationId = fixture.allocationIds.at(-1) ?? '';
        return fixture.createServer({ nodeId: fixture.nodeId, allocationId, skipScripts: true });
      },
    ],
  ];
  for (const [name, count, expected, create] of kinds) {
    it(`answers creations of ${name}, and hardly delays a neighbour`, async () => {
      const quiet = await beside(async () => realTime(200, 'the neighbour is measured alone'));
      const reads = await beside(async () => many(readCount, async () => getServer(target)));
      const { result, medianMs, longestMs } = await beside(async () => many(count, create));
      expect(expected).to.include.members(result);
      // Without queues: 2 to 4 s.
      expect(medianMs, `quiet: ${quiet.medianMs} ms`).to.be.below(500 + 5 * quiet.medianMs);
      // It waits for the burst's arrival, no worse than with reads.
      expect(longestMs, `beside reads: ${reads.longestMs} ms`).to.be.below(500 + 4 * reads.longestMs);
    });
  }
});
