import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { Metadata, Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { AppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { type MultiplexRequest, type MultiplexResponse, MultiplexServiceService } from '@panel/protos/common';
import { NestServiceService } from '@panel/protos/servers';
import { connect, createActorSigner, serve, serviceActor, startGrpcServer } from '@panel/rpc';
import { expect } from 'chai';

type RawServerStream = ServerDuplexStream<MultiplexRequest, MultiplexResponse>;

const signer = createActorSigner(randomBytes(32).toString('hex'));
const log = createLogger({ service: 'test', level: 'silent' });
const empty = { nest: undefined };
const nothing = { name: '', description: '', author: '' };

describe('peers of multiplexed calls', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  });

  function client(address: string) {
    const connection = connect({ address, signer, actor: serviceActor('test'), transport: 'multiplexed' });
    cleanUps.unshift(() => connection.close());
    return connection.client(NestServiceService);
  }

  async function failureOf(promise: Promise<unknown>): Promise<AppError> {
    const error: unknown = await promise.catch((thrown: unknown) => thrown);
    if (!(error instanceof AppError)) throw new Error('it did not fail');
    return error;
  }

  describe('that are silent', () => {
    const silences: [string, (stream: RawServerStream) => void][] = [
      ['never open a stream', () => undefined],
      ['answer nothing', (stream) => stream.sendMetadata(new Metadata())],
    ];
    for (const [name, beSilent] of silences) {
      it(`fails only the calls of that time to peers that ${name}`, async () => {
        let streams = 0;
        const server = new Server();
        cleanUps.push(() => server.forceShutdown());
        server.addService(MultiplexServiceService, {
          multiplex: (stream: RawServerStream) => {
            streams++;
            stream.on('error', () => undefined);
            if (streams === 1) beSilent(stream);
            else answerAll(stream);
          },
        });
        const port = await new Promise<number>((resolve, reject) => {
          server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
            error ? reject(error) : resolve(bound),
          );
        });
        const nests = client(`127.0.0.1:${port}`);
        const lost = await failureOf(nests.createNest(nothing, { timeoutMs: 1_300 }));
        expect(lost.kind).to.equal('deadline_exceeded');
        expect(await nests.createNest(nothing, { timeoutMs: 10_000 })).to.deep.equal(empty);
        expect(streams).to.equal(2);
      });
    }
  });

  describe('that speak garbage', () => {
    const settings = Buffer.from('000000040000000000', 'hex');
    const garbage: [string, () => Buffer][] = [
      ['random bytes', () => randomBytes(4_096)],
      ['an answer of HTTP/1.1', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
      ['a frame of 16 MB that never ends', () => Buffer.from('ffffff000000000001', 'hex')],
      ['a frame that is cut off', () => Buffer.concat([settings, Buffer.from('0000', 'hex')])],
      ['headers that are no HPACK', () => Buffer.concat([settings, Buffer.from('000004010400000001ffffffff', 'hex')])],
      ['nothing at all', () => Buffer.alloc(0)],
    ];
    for (const [name, bytes] of garbage) {
      it(`calls peers in time when they are well again: ${name}`, async () => {
        const real = await startNests();
        const sockets = new Set<Socket>();
        let isBroken = true;
        const proxy = createTcpServer((socket) => {
          sockets.add(socket);
          socket.on('error', () => undefined);
          if (isBroken) {
            socket.write(bytes());
            return;
          }
          const onward = connectTcp(Number(real.split(':')[1]), '127.0.0.1');
          sockets.add(onward);
          onward.on('error', () => socket.destroy());
          socket.pipe(onward).pipe(socket);
        });
        proxy.listen(0, '127.0.0.1');
        await once(proxy, 'listening');
        cleanUps.unshift(() => {
          for (const socket of sockets) socket.destroy();
          proxy.close();
        });
        const bound = proxy.address();
        const nests = client(`127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`);
        const lost = await failureOf(nests.getNest({ nestId: 'n' }, { timeoutMs: 1_200 }));
        expect(lost.kind).to.be.oneOf(['unavailable', 'deadline_exceeded', 'internal']);
        isBroken = false;
        // As at its process's end.
        for (const socket of sockets) socket.destroy();
        expect(await nests.getNest({ nestId: 'n' }, { timeoutMs: 10_000 })).to.deep.equal(empty);
      });
    }
  });

  async function startNests(): Promise<string> {
    const never = async (): Promise<never> => Promise.reject(new Error('not part of this test'));
    const getNest = async () => empty;
    const handlers = { listNests: never, getNest, createNest: never, updateNest: never, deleteNest: never };
    const services = [serve(NestServiceService, handlers)];
    const server = await startGrpcServer(services, { listen: '127.0.0.1:0', signer, log });
    cleanUps.push(async () => server.stop(200));
    return server.address;
  }
});

function answerAll(stream: RawServerStream): void {
  stream.sendMetadata(new Metadata());
  stream.on('data', ({ frames }: MultiplexRequest) => {
    stream.write({ frames: frames.map(({ id }) => ({ id, content: { $case: 'payload', value: Buffer.alloc(0) } })) });
  });
  stream.on('end', () => stream.end());
}
