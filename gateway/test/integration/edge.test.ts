import { randomUUID } from 'node:crypto';
import { quickestMs, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { Fixture } from '../support/fixture.js';
import { gatewayFor, signIn, type TestGateway } from '../support/gateway.js';
import { RawConnection } from '../support/raw-connection.js';
import { send } from '../support/request.js';

const websocketUpgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];

describe('HTTP edge', function () {
  this.timeout(180_000);
  const fixture = new Fixture();
  const gateways: TestGateway[] = [];
  const connections: RawConnection[] = [];

  const start = async (change: Parameters<typeof gatewayFor>[1] = {}) => {
    const gateway = await gatewayFor(fixture, change);
    gateways.push(gateway);
    return gateway;
  };
  const open = async (base: string) => {
    const connection = await RawConnection.open(base);
    connections.push(connection);
    return connection;
  };

  before(async () => fixture.start());
  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.close();
    await Promise.all(gateways.splice(0).map(async ({ running }) => running.stop()));
  });
  after(async () => fixture.stop());

  describe('connections', () => {
    it('closes a refused upgrade completely although the client keeps its side open', async () => {
      const gateway = await start({ connections: { total: 100, perAddress: 5 } });
      for (let i = 0; i < 5; i++) {
        const connection = await open(gateway.url);
        connection.write('GET /nothing HTTP/1.1', 'Host: x', ...websocketUpgrade, '', '');
        expect(await connection.untilStatuses(1)).to.deep.equal([404]);
      }
      await waitUntil('room for another connection', async () => {
        const status = await send(gateway.url, '/docs').then(
          (response) => response.status,
          () => 0,
        );
        return status === 200;
      });
    });

    it('counts a connection once however often it offers h2c', async () => {
      const gateway = await start({ connections: { total: 100, perAddress: 3 } });
      const connection = await open(gateway.url);
      const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
      for (let i = 1; i <= 20; i++) {
        connection.write('GET /nothing HTTP/1.1', 'Host: x', ...offer, '', '');
        expect(await connection.untilStatuses(i)).to.have.length(i);
      }
      expect((await send(gateway.url, '/docs')).status).to.equal(200);
      connection.close();
      // Closed once: must be subtracted once.
      await waitUntil('the end of the connection', async () => (await send(gateway.url, '/docs')).status === 200);
      const more = await Promise.all(Array.from({ length: 3 }, async () => open(gateway.url)));
      for (const each of more) each.write('GET /docs HTTP/1.1', 'Host: x', '', '');
      for (const each of more) await each.untilStatuses(1);
      const beyond = await open(gateway.url);
      beyond.write('GET /docs HTTP/1.1', 'Host: x', '', '');
      await waitUntil('a refused connection', () => beyond.hasEnded || beyond.isReset);
    });
  });

  describe('ambiguous headers', () => {
    const request = async (...headers: string[]) => {
      const gateway = gateways[0] ?? (await start());
      const connection = await open(gateway.url);
      connection.write('GET /api/v1/account HTTP/1.1', ...headers, 'Connection: close', '', '');
      await connection.untilStatuses(1);
      return connection;
    };

    it('refuses two Host headers with 400', async () => {
      expect((await request('Host: a', 'Host: b')).statuses()).to.deep.equal([400]);
      expect((await request('Host: a')).statuses()).to.deep.equal([401]);
    });

    it('refuses two Authorization headers with 400, in either order', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      const [valid, invalid] = [`Authorization: Bearer ${token}`, 'authorization: Bearer x'];
      expect((await request('Host: a', valid)).statuses()).to.deep.equal([200]);
      const twice = await request('Host: a', valid, invalid);
      expect(twice.statuses()).to.deep.equal([400]);
      expect(twice.received).to.contain('"code":"bad_request"').and.contain('Authorization');
      expect((await request('Host: a', invalid, valid)).statuses()).to.deep.equal([400]);
    });

    for (const name of ['Content-Type', 'Content-Length', 'Idempotency-Key', 'If-Match', 'Range', 'Origin']) {
      it(`refuses two ${name} headers with 400`, async () => {
        expect((await request('Host: a', `${name}: 1`, `${name}: 1`)).statuses()).to.deep.equal([400]);
      });
    }

    it('refuses ambiguous headers with 400 on an upgrade too', async () => {
      const gateway = await start();
      const connection = await open(gateway.url);
      const path = `/api/v1/servers/${randomUUID()}/ws`;
      connection.write(`GET ${path} HTTP/1.1`, 'Host: a', 'Host: b', ...websocketUpgrade, '', '');
      expect(await connection.untilStatuses(1)).to.deep.equal([400]);
    });
  });

  describe('bodies', () => {
    it('refuses a body that begins with a byte order mark', async () => {
      const gateway = await start();
      const headers = { 'content-type': 'application/json' };
      const body = `\ufeff${JSON.stringify({ email: 'a@example.com', password: 'right' })}`;
      const response = await send(gateway.url, '/api/v1/auth/login', { body, headers });
      expect([response.status, response.body.error?.message]).to.deep.equal([
        400,
        'The body starts with a byte order mark.',
      ]);
    });

    it('bounds the memory of bodies, a caller to a quarter, answers 503 with Retry-After above it, and releases it', async () => {
      const gateway = await start({ maxBodyBytesInFlight: 10 * 1024 * 1024 });
      const owner = fixture.createUser();
      const server = fixture.addServer(owner);
      const { token } = signIn(fixture, owner);
      const { token: staff } = signIn(fixture, fixture.createUser(['*']));
      const path = `/api/v1/servers/${server.id}/files/write`;
      const size = 2 * 1024 * 1024;
      const slow = await open(gateway.url);
      slow.write(`PUT ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${token}`, 'Content-Type: application/json');
      slow.write('', `Content-Length: ${size}`, '', '{');
      const json = { path: '/x', content: 'x'.repeat(size - 1024) };
      const write = async (by = token) => send(gateway.url, path, { method: 'PUT', token: by, json });
      await waitUntil('the budget to be taken', async () => (await write()).status === 503);
      const refused = await write();
      expect(refused.body.error?.code).to.equal('service_unavailable');
      expect(Number(refused.headers['retry-after'])).to.be.greaterThan(0);
      expect((await write(staff)).status).to.equal(200);
      slow.close();
      await waitUntil('room again', async () => (await write()).status === 200);
    });

    it('limits JSON bodies to 4 MiB, for files too', async () => {
      const gateway = await start();
      const owner = fixture.createUser();
      const server = fixture.addServer(owner);
      const { token } = signIn(fixture, owner);
      const json = { path: '/x', content: 'x'.repeat(4 * 1024 * 1024) };
      const path = `/api/v1/servers/${server.id}/files/write`;
      expect((await send(gateway.url, path, { method: 'PUT', token, json })).status).to.equal(400);
    });
  });

  it('does not replay a response to the same Idempotency-Key with another query', async () => {
    const gateway = await start();
    const { token } = signIn(fixture, fixture.createUser(['*']));
    const headers = { 'idempotency-key': randomUUID() };
    const json = { description: 'a key' };
    const create = async (query: string) =>
      send(gateway.url, `/api/v1/account/api-keys${query}`, { token, json, headers });
    expect((await create('')).status).to.equal(201);
    expect((await create('')).headers['idempotent-replayed']).to.equal('true');
    const other = await create('?nest_id=1');
    expect([other.status, other.headers['idempotent-replayed']]).to.deep.equal([422, undefined]);
  });

  it('answers 503 within a second while a service is down', async () => {
    const broken = new Fixture();
    await broken.start();
    const gateway = await gatewayFor(broken);
    try {
      const owner = broken.createUser();
      const server = broken.addServer(owner);
      const { token } = signIn(broken, owner);
      const path = `/api/v1/servers/${server.id}`;
      expect((await send(gateway.url, path, { token })).status).to.equal(200);
      await broken.kill('servers');
      await send(gateway.url, path, { token });
      const ask = async () => expect((await send(gateway.url, path, { token })).status).to.equal(503);
      expect(await quickestMs(ask)).to.be.lessThan(1_000);
    } finally {
      await gateway.running.stop();
      await broken.stop();
    }
  });
});
