import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import { type Growth, growServers } from '../installation/grow-servers.js';
import { createServers, type Installation, startInstallation } from '../installation/installation.js';
import { cpuMs } from '../measure/process.js';
import { percent, type Row } from './row.js';

const count = 10_000;
/** Time to insert them all before they are due. */
const leadMs = 30_000;
const maxMs = 60_000;
const giveUpMs = 300_000;

/** Every server has one schedule, all due in the same minute. */
export const schedules: Row = {
  name: 'schedules',
  about: `${count} schedules of as many servers due at once, on all cores: time until all have run`,
  run: async () => {
    // Only schedules are measured, on both cores.
    const started = await startInstallation({}, { isPinned: false });
    try {
      const [serverId = ''] = await createServers(started, 1);
      const grow = await growServers(started, randomUUID());
      try {
        await grow.to(count);
        const dueAt = await insertSchedules(started, grow.connection, serverId);
        await wait(dueAt.getTime() - Date.now());
        const servers = started.stack.pids()['servers'] ?? 0;
        const cpuBefore = cpuMs(servers);
        const ran = await untilAllRan(grow.connection);
        const tookMs = Date.now() - dueAt.getTime();
        const cpu = cpuMs(servers) - cpuBefore;
        return [
          {
            name: `${count} schedules due in the same minute`,
            value: `${(tookMs / 1000).toFixed(1)} s`,
            details: `${ran.succeeded} succeeded, ${ran.others} did not; servers ${percent(cpu / tookMs)} of a core, ${(cpu / count).toFixed(2)} ms each`,
            target: '<= 30 s (60)',
            holds: tookMs <= maxMs && ran.succeeded === count,
          },
        ];
      } finally {
        await grow.end();
      }
    } finally {
      await started.stop();
    }
  },
};

/** Their task stops a stopped server, to exclude the engine. */
async function insertSchedules(
  { client }: Installation,
  connection: Growth['connection'],
  serverId: string,
): Promise<Date> {
  const body = { name: 'due', is_active: false, tasks: [{ action: 'power' as const, payload: 'stop' }] };
  await client.post('/servers/{id}/schedules', { params: { id: serverId }, body });
  const collection = connection.collection('schedules');
  const template = await collection.findOne({});
  if (template === null) throw new Error('there is no schedule to copy');
  await collection.deleteMany({});
  const servers = await connection
    .collection('servers')
    .find({}, { projection: { userId: 1 } })
    .toArray();
  const dueAt = new Date(Date.now() + leadMs);
  const documents = servers.slice(0, count).map(({ _id, userId }) => ({
    ...template,
    _id: randomUUID() as never,
    serverId: String(_id),
    authorId: String(userId),
    isActive: true,
    nextRunAt: dueAt,
  }));
  for (let index = 0; index < documents.length; index += 1_000) {
    await collection.insertMany(documents.slice(index, index + 1_000));
  }
  return dueAt;
}

async function untilAllRan(
  connection: Growth['connection'],
): Promise<{ readonly succeeded: number; readonly others: number }> {
  const collection = connection.collection('schedules');
  const end = performance.now() + giveUpMs;
  for (;;) {
    const ended = await collection.countDocuments({ run: null, 'runs.0': { $exists: true } });
    if (ended >= count || performance.now() > end) {
      const succeeded = await collection.countDocuments({ 'runs.0.status': 'succeeded' });
      return { succeeded, others: count - succeeded };
    }
    await wait(500);
  }
}
