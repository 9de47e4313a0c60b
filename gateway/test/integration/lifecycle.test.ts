import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { AppError, isAppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type ConnectionLimits, limitConnections } from '../../src/http/connection-limits.js';
import { createHttpServer, listen, closeServer } from '../../src/http/http-server.js';
import { gatewayFor, signIn } from '../support/gateway.js';
import { send } from '../support/request.js';
import { Fixture } from '../support/fixture.js';

const log = createLogger({ service: 'test', level: 'silent' });

describe('gateway lifecycle', () => {
  const fixture = new Fixture();
  before(async () => fixture.start());
  after(async () => fixture.stop());

  it('names the variable to change when its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    try {
      await gatewayFor(fixture, { port });
      expect.fail('it started');
    } catch (error) {
      expect(isAppError(error, 'LISTEN_FAILED')).to.equal(true);
      expect((error as Error).message)
        .to.contain('PORT')
        .and.to.contain(`${port}`);
      expect((error as Error).message).not.to.contain('\n');
    } finally {
      taken.close();
    }
  });

  it('reports ready while identity is reachable and what fails otherwise', async () => {
    const own = new Fixture();
    await own.start();
    const gateway = await gatewayFor(own);
    const probe = async () => send(`http://${gateway.running.addresses.metrics}`, '/readyz');
    expect((await probe()).status).to.equal(200);
    await own.kill('identity');
    await waitUntil('not ready', async () => (await probe()).status === 503);
    expect((await probe()).text).to.contain('identity');
    await gateway.running.stop();
    await own.stop();
  });

  it('completes requests in progress at stop and accepts no more', async () => {
    const gateway = await gatewayFor(fixture);
    const { token } = signIn(fixture, fixture.createUser());
    fixture.calls.length = 0;
    const underWay = Array.from({ length: 10 }, async () => send(gateway.url, '/api/v1/account', { token }));
    await waitUntil('all of them to arrive', () => fixture.count('authenticate') === 10);
    const stopped = gateway.running.stop();
    for (const { status } of await Promise.all(underWay)) expect(status).to.equal(200);
    await stopped;
    const refused = await send(gateway.url, '/api/v1/account', { token }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
  });

  it('answers within its deadline when a service is slow', async () => {
    const gateway = await gatewayFor(fixture);
    const { token } = signIn(fixture, fixture.createUser());
    fixture.failing.set('getAccount', new AppError('deadline_exceeded', 'DEADLINE_EXCEEDED', 'slow'));
    const { status, headers } = await send(gateway.url, '/api/v1/account', { token });
    expect([status, Number(headers['retry-after']) > 0]).to.deep.equal([503, true]);
    fixture.failing.clear();
    await gateway.running.stop();
  });
});

describe('slow and malformed clients', () => {
  const fixture = new Fixture();
  const served: string[] = [];
  const server = createHttpServer({
    onRequest: (request, response) => {
      served.push(request.url ?? '');
      if (request.url === '/large') {
        response.end(Buffer.alloc(50_000_000));
        return;
      }
      request.on('end', () => response.end('fine')).resume();
    },
    onUpgrade: (_request, socket) => socket.destroy(),
    generalLimit: 60,
    timeouts: { headersMs: 300, bodyMs: 300, stalledMs: 1_500 },
  });
  let port: number;

  before(async () => {
    await fixture.start();
    port = Number((await listen(server, '127.0.0.1', 0)).split(':').pop());
  });
  after(async () => {
    await closeServer(server, 0);
    await fixture.stop();
  });

  const talk = async (...parts: string[]) => {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.on('data', (data) => (heard += data.toString('latin1')));
    socket.on('error', () => undefined);
    for (const part of parts) socket.write(part, 'latin1');
    await once(socket, 'close');
    return heard;
  };

  it('disconnects clients whose headers take too long', async () => {
    const heard = await talk('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect(heard).to.contain('400 Bad Request').and.to.contain('"bad_request"');
  });

  it('disconnects clients whose body takes too long', async () => {
    await talk('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab');
    expect(served).to.contain('/slow');
  });

  it('disconnects clients that do not read a response, but not between two requests', async () => {
    const patient = connect(port, '127.0.0.1');
    let heard = '';
    patient.on('data', (data) => (heard += data.toString('latin1')));
    const ask = async (answers: number) => {
      patient.write('GET /again HTTP/1.1\r\nHost: x\r\n\r\n');
      await waitUntil('an answer', () => heard.split('200 OK').length === answers + 1);
    };
    await ask(1);
    const stalled = connect(port, '127.0.0.1').pause();
    stalled.on('error', () => undefined);
    stalled.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await waitUntil('the request to arrive', () => served.includes('/large'));
    const open = async () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    await waitUntil('the connection to be cut', async () => (await open()) === 1, 10_000);
    await ask(2);
    for (const socket of [patient, stalled]) socket.destroy();
  });

  it('answers clients that do not speak HTTP with an error envelope', async () => {
    for (const bytes of [
      '\u0016\u0003\u0001 hello',
      'GET / HTTP/1.1\r\nHost: x\r\nBad Header: \r\n\r\n',
      'FOO / HTTP/1.1\r\n\r\n',
    ]) {
      const heard = await talk(`${bytes}\r\n\r\n`);
      expect(heard, bytes).to.match(/^HTTP\/1\.1 40[04] /);
      expect(heard).to.contain('X-RateLimit-Limit: 60').and.to.contain('{"error":{"code":"');
    }
  });

  it('answers clients that send no Host in order and with headers', async () => {
    const heard = await talk('GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\n\r\n');
    expect(heard).to.match(/^HTTP\/1\.1 200 OK[^]*fine[^]*HTTP\/1\.1 400 Bad Request/);
    expect(heard)
      .to.match(/X-RateLimit-Limit: 60/i)
      .and.match(/X-Request-Id: [\w-]{36}/i);
    expect(served).to.contain('/first').and.not.contain('/second');
    expect(await talk('GET /old HTTP/1.0\r\n\r\n'), 'HTTP/1.0 knows no Host').to.contain('200 OK');
  });

  it('refuses clients that request a tunnel', async () => {
    expect(await talk('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'))
      .to.contain('404 Not Found')
      .and.to.contain('"not_found"');
  });

  it('refuses a smuggled second request', async () => {
    const both =
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n';
    expect(await talk(both)).to.contain('400 Bad Request');
    expect(served).not.to.contain('/smuggled');
  });
});

describe('connection limits', () => {
  const limited = async (limits: ConnectionLimits, trustedProxies: readonly string[] = []) => {
    const server = createHttpServer({
      onRequest: (_request, response) => response.end('fine'),
      onUpgrade: (_request, socket) => socket.destroy(),
      generalLimit: 60,
    });
    let refused = 0;
    limitConnections(server, { limits, trustedProxies, log, onRefused: () => (refused += 1) });
    const port = Number((await listen(server, '127.0.0.1', 0)).split(':').pop());
    const open = async (from = '127.0.0.1') => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      let heard = '';
      let isClosed = false;
      socket.on('error', () => undefined).on('data', (data) => (heard += data.toString('latin1')));
      socket.on('close', () => (isClosed = true));
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      return {
        socket,
        isServed: async () => {
          if (!isClosed) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
          await waitUntil('an answer or the end', () => isClosed || heard.includes('fine'));
          return heard.includes('fine');
        },
      };
    };
    return { server, open, refusals: () => refused, stop: async () => closeServer(server, 0) };
  };

  it('limits connections of one address, leaves capacity for others and releases them', async () => {
    const { open, refusals, stop } = await limited({ total: 100, perAddress: 3 });
    const [first] = await Promise.all([open(), open(), open()]);
    expect(await (await open()).isServed()).to.equal(false);
    expect(await (await open('127.0.0.9')).isServed()).to.equal(true);
    expect(refusals()).to.equal(1);
    first?.socket.destroy();
    await waitUntil('the place to be free', async () => (await open()).isServed());
    await stop();
  });

  it('counts a trusted proxy against the global limit only', async () => {
    const { open, stop } = await limited({ total: 100, perAddress: 1 }, ['127.0.0.0/8']);
    for (const one of await Promise.all([open(), open(), open()])) expect(await one.isServed()).to.equal(true);
    await stop();
  });

  it('refuses connections above the global limit and closes idle ones', async () => {
    const { open, refusals, stop } = await limited({ total: 3, perAddress: 100 });
    const idle = await Promise.all([open(), open(), open()]);
    for (const one of idle) expect(await one.isServed()).to.equal(true);
    expect(await (await open()).isServed()).to.equal(false);
    expect(refusals()).to.equal(1);
    await waitUntil('an idle one to have given way', async () => (await open()).isServed());
    await stop();
  });
});
