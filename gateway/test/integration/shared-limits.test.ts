import { randomBytes } from 'node:crypto';
import { waitUntil } from '@panel/kit/testing';
import { testRedisUrl } from '@panel/testing';
import type { Server } from '@panel/protos/servers';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { gatewayFor, signIn, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';
import { openSocket, refusedUpgrade, type TestSocket } from '../support/sockets.js';
import { type TestUser, Fixture } from '../support/fixture.js';

const rateLimits = { general: 1000, auth: 1000, upload: 4, backup: 3 };

describe('two gateways', function () {
  this.timeout(180_000);
  const fixture = new Fixture();
  const gateways: TestGateway[] = [];
  const open: TestSocket[] = [];
  const redisPrefix = `test-${randomBytes(6).toString('hex')}`;
  let redis: Redis;
  let owner: TestUser;
  let server: Server;
  let token: string;

  before(async function () {
    const redisUrl = await testRedisUrl();
    if (redisUrl === null) {
      this.skip();
      return;
    }
    redis = new Redis(redisUrl);
    await fixture.start();
    for (let i = 0; i < 2; i++)
      gateways.push(await gatewayFor(fixture, { redisUrl, redisPrefix, rateLimits, replicas: 2 }));
  });
  after(async () => {
    await Promise.all(gateways.map(async ({ running }) => running.stop()));
    redis?.disconnect();
    await fixture.stop();
  });
  beforeEach(() => {
    owner = fixture.createUser();
    server = fixture.addServer(owner);
    ({ token } = signIn(fixture, owner));
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.socket.terminate();
  });

  const urlOf = (at: number) => gateways[at % 2]?.url ?? expect.fail('no such gateway');
  const connectTo = async (at: number, id = server.id, as = token) => {
    const socket = openSocket(urlOf(at), id, as);
    open.push(socket);
    return socket.open();
  };
  const refusal = async (at: number, id = server.id, as = token) => {
    const headers = { authorization: `Bearer ${as}` };
    const { status, headers: answered, body } = await refusedUpgrade(urlOf(at), `/api/v1/servers/${id}/ws`, headers);
    return { status, retryAfter: answered['retry-after'], body };
  };

  it('leaves the count of commands of REST and sockets to the servers service', async () => {
    fixture.commandLimit = 8;
    const path = `/api/v1/servers/${server.id}/command`;
    const byRest = async (at: number) => (await send(urlOf(at), path, { token, json: { command: 'say rest' } })).status;
    const sockets = [await connectTo(0), await connectTo(1)];
    const heard = () => fixture.commands.filter(({ serverId }) => serverId === server.id).length;
    for (const at of [0, 1]) expect(await byRest(at)).to.equal(200);
    for (const socket of sockets) socket.send({ type: 'command', command: 'say socket' });
    await waitUntil('both commands', () => heard() === 4);
    for (const at of [0, 1]) expect(await byRest(at)).to.equal(200);
    for (const socket of sockets) socket.send({ type: 'command', command: 'say socket' });
    await waitUntil('both commands', () => heard() === 8);
    for (const at of [0, 1]) expect(await byRest(at)).to.equal(429);
    for (const socket of sockets) {
      socket.send({ type: 'command', command: 'too much' });
      await socket.until('a refusal', () => socket.of('error').some(({ code }) => code === 'rate_limit_exceeded'));
    }
    expect(heard()).to.equal(8);
    expect(fixture.commandsUsed.get(server.id)).to.equal(12);
    const keys = await redis.keys(`${redisPrefix}:rate:console:*`);
    expect(keys).to.deep.equal([]);
    fixture.commandLimit = 1000;
  });

  it('counts uploads of a server together', async () => {
    const write = async (at: number) => {
      const path = `/api/v1/servers/${server.id}/files/write`;
      return (await send(urlOf(at), path, { method: 'PUT', token, json: { path: '/x', content: '' } })).status;
    };
    const statuses = await Promise.all(Array.from({ length: 10 }, async (_, at) => write(at)));
    expect(statuses.filter((status) => status === 200)).to.have.length(4);
    expect(statuses.filter((status) => status === 429)).to.have.length(6);
  });

  it('limits the sockets of a user together and accepts a new one after one closed', async () => {
    const servers = [server, fixture.addServer(owner)];
    for (let at = 0; at < 20; at++) await connectTo(at, servers[at % 3 === 0 ? 0 : 1]?.id);
    for (const at of [0, 1]) {
      const { status, retryAfter, body } = await refusal(at);
      expect([status, retryAfter]).to.deep.equal([429, '5']);
      expect(body).to.contain('Your account has 20 open consoles');
    }
    const [first] = open.splice(0, 1);
    first?.socket.close();
    await waitUntil('a free place at the other', async () => {
      const socket = openSocket(urlOf(1), server.id, token);
      open.push(socket);
      return socket.open().catch(() => false as const);
    });
    expect((await refusal(0)).status).to.equal(429);
  });

  it('limits the sockets of a server together', async () => {
    const people = [owner, fixture.createUser(), fixture.createUser()];
    for (const { userId } of people) fixture.rights.set(`${userId} ${server.id}`, ['*']);
    const tokens = people.map((user) => signIn(fixture, user).token);
    for (let at = 0; at < 30; at++) await connectTo(at, server.id, tokens[at % 3]);
    for (const at of [0, 1]) {
      const { status, body } = await refusal(at, server.id, tokens[at]);
      expect(status).to.equal(429);
      expect(body).to.contain('This server has 30 open consoles');
    }
  });
});
