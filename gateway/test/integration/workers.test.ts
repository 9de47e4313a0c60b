import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@panel/kit/testing';
import { testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { serviceSecret } from '../support/fake-service.js';
import { jwtSecret, signIn } from '../support/gateway.js';
import { send } from '../support/request.js';
import { Fixture } from '../support/fixture.js';

const program = fileURLToPath(new URL('../../main.js', import.meta.url));

describe('gateway program', () => {
  const fixture = new Fixture();
  const started: ChildProcess[] = [];
  let redisUrl: string | null;

  before(async () => {
    await fixture.start();
    redisUrl = await testRedisUrl();
  });
  after(async () => fixture.stop());
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });

  const start = (change: Record<string, string>) => {
    const env = {
      PATH: process.env['PATH'],
      LOG_LEVEL: 'error',
      SERVICE_SECRET: serviceSecret,
      JWT_SECRET: jwtSecret,
      PORT: '0',
      RATE_LIMIT_GENERAL: '100000',
      IDENTITY_ADDRESS: fixture.addresses.identity,
      SERVERS_ADDRESS: fixture.addresses.servers,
      BILLING_ADDRESS: fixture.addresses.billing,
      ADMIN_ADDRESS: fixture.addresses.admin,
      ...change,
    };
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    started.push(child);
    return child;
  };

  const saidBy = async (child: ChildProcess) => {
    let said = '';
    child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    const [code] = (await once(child, 'exit')) as [number];
    return { code, said };
  };

  const readyOf = async (child: ChildProcess) => {
    const [message] = (await once(child, 'message')) as [{ listen: string; metrics: string }];
    return { url: `http://${message.listen}`, probes: `http://${message.metrics}` };
  };

  const childrenOf = async (pid: number | undefined) => {
    const list = spawn('ps', ['-o', 'pid=', '--ppid', `${pid}`], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    list.stdout.on('data', (data: Buffer) => (text += data.toString()));
    await once(list, 'close');
    return text.split('\n').map(Number).filter(Boolean);
  };

  it('stops cleanly on a signal', async () => {
    const child = start({});
    const { url } = await readyOf(child);
    expect(
      (await send(url, '/api/v1/account', { token: signIn(fixture, fixture.createUser()).token })).status,
    ).to.equal(200);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).to.equal(0);
  });

  it('reports a failure in one line and exits with an error', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    for (const [change, word] of [
      [{ JWT_SECRET: 'short' }, 'JWT_SECRET'],
      [{ PORT: `${port}` }, 'PORT'],
      [{ GATEWAY_WORKERS: '2' }, 'REDIS_URL'],
      ...(redisUrl === null ? [] : [[{ PORT: `${port}`, GATEWAY_WORKERS: '2', REDIS_URL: redisUrl }, 'PORT'] as const]),
    ] as const) {
      const { code, said } = await saidBy(start(change));
      expect([code, said.trim().split('\n').length], said).to.deep.equal([1, 1]);
      expect(said).to.contain(word);
    }
    taken.close();
  });

  it('runs several workers, replaces one that dies and stops all', async function () {
    if (redisUrl === null) {
      this.skip();
      return;
    }
    const child = start({ GATEWAY_WORKERS: '2', REDIS_URL: redisUrl });
    const { url, probes } = await readyOf(child);
    const { token } = signIn(fixture, fixture.createUser());
    const ask = async () => (await send(url, '/api/v1/account', { token })).status;
    for (let i = 0; i < 10; i++) expect(await ask()).to.equal(200);
    expect((await send(probes, '/metrics')).text).to.match(/http_request_duration_seconds_count\{[^}]*200[^}]*\} 10/);
    const workers = await childrenOf(child.pid);
    expect(workers).to.have.length(2);
    process.kill(workers[0] ?? 0, 'SIGKILL');
    await waitUntil('a new worker', async () => {
      const now = await childrenOf(child.pid);
      return now.length === 2 && !now.includes(workers[0] ?? 0);
    });
    expect(await ask()).to.equal(200);
    const last = await childrenOf(child.pid);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).to.equal(0);
    for (const pid of last) expect(() => process.kill(pid, 0), `${pid}`).to.throw();
  }).timeout(120_000);

  it('keeps no caller waiting for a worker that is killed with a connection it has not taken', async function () {
    if (redisUrl === null) {
      this.skip();
      return;
    }
    const child = start({ GATEWAY_WORKERS: '2', REDIS_URL: redisUrl });
    const { url } = await readyOf(child);
    const [killed = 0] = await childrenOf(child.pid);
    // It accepts nothing more: assigned connections are lost with it.
    process.kill(killed, 'SIGSTOP');
    const callers = 20;
    let served = 0;
    const ends = Array.from({ length: callers }, async () => {
      await endOf(url);
      served += 1;
    });
    await waitUntil('all callers but the one at the killed worker', () => served >= callers - 1);
    process.kill(killed, 'SIGKILL');
    await Promise.all(ends);
    await waitUntil('a new worker', async () => {
      const now = await childrenOf(child.pid);
      return now.length === 2 && !now.includes(killed);
    });
  }).timeout(120_000);
});

/** Own connection; resolves on response or disconnect. */
async function endOf(url: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const sent = request(`${url}/api/v1/account`, { agent: false }, (response) =>
      response.resume().on('close', resolve),
    );
    sent.on('error', () => resolve()).end();
  });
}
