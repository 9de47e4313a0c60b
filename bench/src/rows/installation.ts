import { setTimeout as wait } from 'node:timers/promises';
import { createPanelClient } from '@panel/client';
import { createServers, type Installation, password, startInstallation } from '../installation/installation.js';
import { nextMessage, ownProgram, startChild } from '../measure/child.js';
import { cpuMs, loadCore, median, rssMb } from '../measure/process.js';
import { type Line, ms, percent, type Row } from './row.js';

const warmUpLogins = 15;
const logins = 30;
/** Avoids ending the oldest session at a sign-in. */
const sessionsPerUser = 100;
/** Identity rereads settings every two seconds. */
const settingsMs = 3_000;

/** A whole installation: start time and idle use. */
export const installation: Row = {
  name: 'installation',
  about: 'start, memory, login against bare argon2id, power',
  run: async () => {
    const started = await startInstallation();
    try {
      const [serverId = ''] = await createServers(started, 1);
      const pids = Object.entries(started.stack.pids());
      const ours = pids.filter(([name]) => name !== 'mongo' && name !== 'redis');
      const rss = ours.map(([name, pid]) => ({ name, mb: rssMb(pid) }));
      const total = rss.reduce((sum, { mb }) => sum + mb, 0);
      const gateway = rss.find(({ name }) => name === 'gateway')?.mb ?? 0;
      return [
        {
          name: 'start to ready',
          value: `${(started.startMs / 1_000).toFixed(1)} s`,
          details: 'MongoDB, Redis, six processes, first administrator, seed',
          target: '<= 4 s (10)',
          holds: started.startMs <= 10_000,
        },
        {
          name: 'idle memory: gateway; our six processes',
          value: `${gateway.toFixed(0)}; ${total.toFixed(0)} MB`,
          details: rss.map(({ name, mb }) => `${name} ${mb.toFixed(0)}`).join(', '),
          target: '<= 90; 520 MB (120; 700)',
          holds: gateway <= 120 && total <= 700,
        },
        await login(started),
        await power(started, serverId),
      ];
    } finally {
      await started.stop();
    }
  },
};

async function login({ stack, client: usual }: Installation): Promise<Line> {
  await usual.put('/admin/settings', { body: { security: { sessions_per_user: sessionsPerUser } } });
  await wait(settingsMs);
  const bare = await startChild(ownProgram('bare-argon2'), { core: loadCore });
  const identity = stack.pids()['identity'] ?? 0;
  const client = createPanelClient({ baseUrl: stack.baseUrl });
  const bareBefore = cpuMs(bare.pid);
  const done = nextMessage(bare.process, 'done');
  bare.process.send(logins);
  await done;
  const bareMs = (cpuMs(bare.pid) - bareBefore) / logins;
  await bare.stop();
  for (let count = 0; count < warmUpLogins; count++) await client.login(stack.adminEmail, password);
  const before = cpuMs(identity);
  for (let count = 0; count < logins; count++) await client.login(stack.adminEmail, password);
  const loginMs = (cpuMs(identity) - before) / logins;
  return {
    name: 'login against bare argon2id',
    value: percent(bareMs / loginMs),
    details: `CPU of identity ${ms(loginMs)} a login, bare ${ms(bareMs)} a verification`,
    target: '90 % (80)',
    holds: bareMs / loginMs >= 0.8,
  };
}

/** From the request to its acceptance; the engine is called concurrently. */
async function power({ client }: Installation, id: string): Promise<Line> {
  const latencies: number[] = [];
  for (let count = 0; count < 20; count++) {
    const begin = performance.now();
    await client.post('/servers/{id}/power', { params: { id }, body: { action: 'kill' } });
    latencies.push(performance.now() - begin);
  }
  latencies.sort((a, b) => a - b);
  const worst = latencies.at(-1) ?? 0;
  return {
    name: 'power action (kill) to its answer',
    value: `${ms(worst)} worst`,
    details: `median ${ms(median(latencies))}, of ${latencies.length}`,
    target: '<= 10 ms (30)',
    holds: worst <= 30,
  };
}
