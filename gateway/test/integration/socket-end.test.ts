import { connect } from 'node:net';
import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import type { Server } from '@panel/protos/servers';
import { gatewayFor, signIn, type TestGateway } from '../support/gateway.js';
import { openSocket } from '../support/sockets.js';
import { Fixture } from '../support/fixture.js';

describe('end of a console socket', () => {
  const fixture = new Fixture();
  let gateway: TestGateway;
  let server: Server;
  let token: string;

  before(async () => {
    await fixture.start();
    gateway = await gatewayFor(fixture);
  });
  after(async () => {
    await gateway.running.stop();
    await fixture.stop();
  });
  beforeEach(() => {
    fixture.failing.clear();
    const owner = fixture.createUser();
    server = fixture.addServer(owner);
    ({ token } = signIn(fixture, owner));
  });

  it('closes with 1012 when the gateway stops and leaves no stream', async () => {
    const other = await gatewayFor(fixture);
    const socket = openSocket(other.url, server.id, token);
    await socket.open();
    await socket.until('the state', () => socket.of('status').length === 1);
    await other.running.stop();
    expect(await socket.closed()).to.equal(1012);
    await waitUntil('the stream to end', () => fixture.consoleOf(server.id).watching === 0);
  });

  it('closes with 4429 at the eleventh wrong token in a minute, of nobody or of others', async () => {
    const socket = await openSocket(gateway.url, server.id, token).open();
    const other = signIn(fixture, fixture.createUser()).token;
    for (const wrong of Array.from({ length: 5 }, () => ['nonsense', other]).flat())
      socket.send({ type: 'auth', token: wrong });
    await socket.until('ten errors', () => socket.of('error').length === 10);
    expect(socket.of('error').every(({ code }) => code === 'unauthorized')).to.equal(true);
    socket.send({ type: 'auth', token: 'nonsense' });
    expect(await socket.closed()).to.equal(4429);
  });

  it('tolerates an upgrade that is aborted', async () => {
    const { hostname, port } = new URL(gateway.url);
    const half = connect(Number(port), hostname);
    half.write(
      `GET /api/v1/servers/${server.id}/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`,
    );
    half.write(`Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n`);
    half.write(`Authorization: Bearer ${token}\r\n\r\n`);
    half.destroy();
    const socket = await openSocket(gateway.url, server.id, token).open();
    await socket.until('the state', () => socket.of('status').length === 1);
    socket.socket.terminate();
  });
});
