import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import type { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { createDockerRuntime, type DockerRuntimeOptions } from '../src/docker/docker-runtime.js';
import type { Runtime } from '../src/runtime.js';
import { anotherCa, client, elsewhere, server as serverCertificate, testCa } from '@panel/testing/engine';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { EventLog, within } from '../src/testing/reading.js';

const serverId = '33333333-3333-4333-8333-333333333333';
const timeoutMs = 300;
const limits = { memoryMb: 64, swapMb: 0, cpuPercent: 0, ioWeight: 500 };
const volume = { path: '/srv/panel/volume', uid: 1000, gid: 1000 };
const spec = { serverId, generation: 1, image: 'a', startup: '', environment: {}, volume, limits, ports: [] };
const installSpec = { ...spec, entrypoint: 'sh', script: 'true', timeoutMs: 5000 };

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items) continue;
}

const problemOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => (error as AppError).metadata['problem'],
  );

const never = () => new AbortController().signal;

const methods: [string, (runtime: Runtime) => Promise<unknown>][] = [
  ['ping', async (runtime) => runtime.ping()],
  ['create', async (runtime) => runtime.create(spec)],
  ['start', async (runtime) => runtime.start(serverId)],
  ['signal', async (runtime) => runtime.signal(serverId, 'SIGINT')],
  ['kill', async (runtime) => runtime.kill(serverId)],
  ['remove', async (runtime) => runtime.remove(serverId)],
  ['updateLimits', async (runtime) => runtime.updateLimits(serverId, limits)],
  ['inspect', async (runtime) => runtime.inspect(serverId)],
  ['list', async (runtime) => runtime.list()],
  ['watch', async (runtime) => drain(runtime.watch(never()))],
  ['readOutput', async (runtime) => drain(runtime.readOutput(serverId, { signal: never() }))],
  ['writeInput', async (runtime) => runtime.writeInput(serverId, 'x\n')],
  ['readStats', async (runtime) => drain(runtime.readStats(serverId, never()))],
  ['sampleUsage', async (runtime) => runtime.sampleUsage(serverId)],
  ['install', async (runtime) => runtime.install(installSpec, () => undefined, never())],
];

describe('unreachable engine', () => {
  const servers: (NetServer | Server)[] = [];
  const sockets = new Set<Socket>();
  const runtimes: Runtime[] = [];

  const listen = async (server: NetServer): Promise<number> => {
    servers.push(server);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  };
  const open = (port: number, options: Partial<DockerRuntimeOptions> = {}) => {
    const runtime = createDockerRuntime({ url: `tcp://127.0.0.1:${port}`, timeoutMs, ...options });
    runtimes.push(runtime);
    return runtime;
  };
  const answering = (listener: RequestListener) => createHttpServer(listener);

  afterEach(async () => {
    for (const runtime of runtimes.splice(0)) await runtime.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    for (const server of servers.splice(0)) server.close();
  });

  const engines: [string, () => NetServer][] = [
    ['accepts and never answers', () => createServer(() => undefined)],
    ['hangs up', () => createServer((socket) => socket.destroy())],
    ['answers with something else', () => createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))],
    [
      'stops in the middle of its answer',
      () =>
        answering((_request, response) => {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
          response.write('{"Id":"x",');
        }),
    ],
  ];
  for (const [what, engine] of engines) {
    describe(`because it ${what}`, () => {
      for (const [name, method] of methods) {
        it(`reports an unreachable engine from ${name} within the deadline`, async () => {
          const runtime = open(await listen(engine()));
          const begin = performance.now();
          expect(await reasonOf(within(20_000, 'an answer', method(runtime)))).to.equal('NODE_UNREACHABLE');
          expect(performance.now() - begin).to.be.below(timeoutMs * 20);
        });
      }
    });
  }

  it('reports an unreachable engine for a refused connection, on a port and on a socket', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    for (const [, method] of methods) expect(await reasonOf(method(open(port)))).to.equal('NODE_UNREACHABLE');
    const runtime = open(0, { url: 'unix:///nowhere/docker.sock' });
    expect(await reasonOf(runtime.ping())).to.equal('NODE_UNREACHABLE');
  });

  it('reports an unreachable engine to calls in progress when the runtime closes', async () => {
    const runtime = open(await listen(createServer(() => undefined)), { timeoutMs: 60_000 });
    const pending = reasonOf(runtime.list());
    await runtime.close();
    expect(await within(20_000, 'the end', pending)).to.equal('NODE_UNREACHABLE');
    expect(await reasonOf(runtime.ping())).to.equal('NODE_UNREACHABLE');
  });

  it('reports an unreachable engine to a watcher when the engine is silent', async () => {
    let isSilent = false;
    const port = await listen(
      answering((request, response) => {
        if (isSilent) return;
        if (request.url?.startsWith('/events')) {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.flushHeaders();
          isSilent = true;
        } else {
          response.end('{}');
        }
      }),
    );
    const watching = drain(open(port, { heartbeatMs: 100 }).watch(never()));
    expect(await reasonOf(within(20_000, 'the end of the watch', watching))).to.equal('NODE_UNREACHABLE');
  });

  it('reports an unreachable engine to a watcher when the engine ends the stream', async () => {
    const port = await listen(answering((_request, response) => response.end('{}')));
    const log = new EventLog(open(port));
    await waitUntil('the end of the stream', () => log.failure);
    await log.stop();
    expect(log.failure).to.include({ reason: 'NODE_UNREACHABLE' });
  });

  it('takes no other server for an engine', async () => {
    const page = await listen(
      answering((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<html></html>');
      }),
    );
    const missing = await listen(
      answering((_request, response) => {
        response.writeHead(404);
        response.end('not here');
      }),
    );
    for (const [port, reason] of [
      [page, 'NODE_UNREACHABLE'],
      [missing, 'ENGINE_FAILED'],
    ] as const) {
      expect(await reasonOf(open(port).ping()), 'ping').to.equal(reason);
      expect(await reasonOf(open(port).list()), 'list').to.equal(reason);
      expect(await problemOf(open(port).ping())).to.equal('engine_answer_unexpected');
    }
    const refused = createServer();
    const port = await listen(refused);
    await new Promise((resolve) => refused.close(resolve));
    expect(await problemOf(open(port).ping())).to.equal('engine_unreachable');
  });

  it('reports no unreachable engine for a wrong url', () => {
    for (const url of ['', 'docker', 'ftp://x', 'tcp://', '/var/run/docker.sock']) {
      expect(() => createDockerRuntime({ url }), url).to.throw(TypeError);
    }
  });

  describe('engine over TLS', () => {
    const tlsEngine = async (certificate: { cert: string; key: string }) =>
      listen(
        createTlsServer(
          { ...certificate, ca: testCa, requestCert: true, rejectUnauthorized: true },
          (_request, response) => response.end('OK'),
        ),
      );
    const ping = async (port: number, tls: DockerRuntimeOptions['tls']) => reasonOf(open(port, { tls }).ping());
    const problem = async (port: number, tls: DockerRuntimeOptions['tls']) => problemOf(open(port, { tls }).ping());

    it('reaches an engine over TLS with valid certificates', async () => {
      expect(await ping(await tlsEngine(serverCertificate), { ca: testCa, ...client })).to.equal('none');
    });

    it('refuses an engine whose certificate another authority signed', async () => {
      expect(await ping(await tlsEngine(serverCertificate), { ca: anotherCa, ...client })).to.equal('NODE_UNREACHABLE');
    });

    it('refuses an engine with the certificate of another host', async () => {
      expect(await ping(await tlsEngine(elsewhere), { ca: testCa, ...client })).to.equal('NODE_UNREACHABLE');
    });

    it('refuses an engine without TLS and one whose handshake hangs', async () => {
      const plain = await listen(answering((_request, response) => response.end('OK')));
      expect(await ping(plain, { ca: testCa, ...client })).to.equal('NODE_UNREACHABLE');
      const silent = await listen(createServer(() => undefined));
      expect(await ping(silent, { ca: testCa, ...client })).to.equal('NODE_UNREACHABLE');
    });

    it('says in stable words what is wrong with a certificate', async () => {
      const good = await tlsEngine(serverCertificate);
      expect(await problem(good, { ca: anotherCa, ...client })).to.equal('engine_certificate_untrusted');
      expect(await problem(await tlsEngine(elsewhere), { ca: testCa, ...client })).to.equal(
        'engine_certificate_untrusted',
      );
      const swapped = { ca: testCa, cert: client.cert, key: serverCertificate.key };
      expect(await problem(good, swapped)).to.equal('client_certificate_unusable');
      const plain = await listen(answering((_request, response) => response.end('OK')));
      expect(await problem(plain, { ca: testCa, ...client })).to.equal('engine_answer_unexpected');
    });

    it('refuses an engine that requires plain HTTP', async () => {
      expect(await ping(await tlsEngine(serverCertificate), undefined)).to.equal('NODE_UNREACHABLE');
    });
  });
});
