import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { Authentication } from './authentication.js';
import { errorDocument, isWrite, outOfDiskSpace, refuse } from './commands.js';
import type { DiskGuard } from './disk-guard.js';
import type { Engine } from './engine.js';
import { FrameReader, frameReply, ProtocolError, readRequest, type Request } from './wire.js';

/** Far above an installation's (nine processes, pools of up to a hundred). */
const maxConnections = 2_000;

interface Listener {
  readonly port: number;
  /** Stops accepting, ends connections, resolves after commands in progress. */
  close(): Promise<void>;
}

interface ListenOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** Required from every connection. */
  readonly password: string;
  readonly disk: Pick<DiskGuard, 'isFull'>;
}

export async function listen(engine: Engine, { port, password, disk }: ListenOptions): Promise<Listener> {
  const connections = new Map<Socket, Promise<void>>();
  const server = createServer({ noDelay: true }, (socket) => {
    const served = serve(engine, socket, new Authentication(password), disk).finally(() => connections.delete(socket));
    connections.set(socket, served);
  });
  server.maxConnections = maxConnections;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port: portOf(server), close: () => closeAll(server, connections) };
}

/** Reads nothing during a command, so a sender cannot fill the memory. */
async function serve(
  engine: Engine,
  socket: Socket,
  authentication: Authentication,
  disk: Pick<DiskGuard, 'isFull'>,
): Promise<void> {
  const frames = new FrameReader();
  let replyId = 0;
  try {
    for await (const chunk of socket) {
      for (const message of frames.push(chunk as Buffer)) {
        const request = readRequest(message);
        const response = authentication.answer(request) ?? (await answer(engine, request, disk));
        if (!request.replyWanted) continue;
        replyId = (replyId + 1) & 0x7fffffff;
        if (!socket.write(frameReply(response, replyId, request))) await drained(socket);
      }
    }
  } catch (error) {
    // A bad frame or a lost peer ends only this connection.
    if (!(error instanceof ProtocolError) && !isSocketError(error))
      process.stderr.write(`connection: ${String(error)}\n`);
  } finally {
    socket.destroy();
  }
}

async function answer(engine: Engine, request: Request, disk: Pick<DiskGuard, 'isFull'>): Promise<Uint8Array> {
  const refusal = refuse(request);
  if (refusal) return refusal;
  if (isWrite(request.command) && disk.isFull()) return outOfDiskSpace();
  try {
    return (await engine.roundTrip(request.message)).response;
  } catch (error) {
    return errorDocument(1, 'InternalError', error instanceof Error ? error.message : 'the engine failed');
  }
}

async function drained(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}

function isSocketError(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  return address.port;
}

async function closeAll(server: Server, connections: Map<Socket, Promise<void>>): Promise<void> {
  server.close();
  const inProgress = [...connections.values()];
  for (const socket of connections.keys()) socket.destroy();
  await Promise.all(inProgress);
}
