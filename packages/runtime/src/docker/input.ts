import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf } from '@panel/kit/errors';
import { runtimeError } from '../reasons.js';
import { describeGame, isLive } from './containers.js';
import { statusOf, unexpectedError, type Engine } from './engine.js';

const maxWaitingBytes = 256 * 1024;
const writeMs = 10_000;
const idleMs = 5 * 60_000;

/** Outlives its game, so it serves one container only. */
interface Attached {
  readonly containerId: string;
  readonly stream: Promise<Duplex>;
}

/** One kept connection per server. */
export class Inputs {
  private readonly attached = new Map<string, Attached>();
  private readonly inspections = new Map<string, Promise<string>>();

  constructor(private readonly engine: Engine) {}

  /** Resolves once accepted. Throws INSTANCE_NOT_FOUND, INPUT_BLOCKED, NODE_UNREACHABLE. */
  async write(serverId: string, data: string): Promise<void> {
    try {
      await writeTo(await this.attach(serverId), data);
    } catch (error) {
      if (!(error instanceof LostAttach)) throw error;
      await writeTo(await this.attach(serverId), data).catch((again: unknown) => {
        if (!(again instanceof LostAttach)) throw again;
        throw runtimeError('NODE_UNREACHABLE', 'the engine closed the connection', {}, { cause: again });
      });
    }
  }

  close(): void {
    for (const serverId of this.attached.keys()) this.forget(serverId);
  }

  private async attach(serverId: string): Promise<Duplex> {
    const containerId = await this.runningContainer(serverId);
    const retained = this.attached.get(serverId);
    if (retained?.containerId === containerId) return retained.stream;
    this.forget(serverId);
    const attached = { containerId, stream: this.open(serverId, containerId) };
    this.attached.set(serverId, attached);
    const drop = () => {
      if (this.attached.get(serverId) === attached) this.attached.delete(serverId);
    };
    attached.stream.then((stream) => stream.once('close', drop), drop);
    return attached.stream;
  }

  private forget(serverId: string): void {
    const retained = this.attached.get(serverId);
    this.attached.delete(serverId);
    retained?.stream.then(
      (stream) => stream.destroy(),
      () => undefined,
    );
  }

  private async runningContainer(serverId: string): Promise<string> {
    const inProgress = this.inspections.get(serverId);
    if (inProgress) return inProgress;
    const inspection = describeGame(this.engine, serverId).then((info) => {
      if (!info || !isLive(info)) throw notRunning(serverId);
      return info.Id;
    });
    this.inspections.set(serverId, inspection);
    try {
      return await inspection;
    } finally {
      this.inspections.delete(serverId);
    }
  }

  private async open(serverId: string, containerId: string): Promise<Duplex> {
    try {
      const stream = (await this.engine.openStream(async (docker, abortSignal) =>
        docker.getContainer(containerId).attach({ stream: true, stdin: true, hijack: true, abortSignal }),
      )) as Socket;
      stream.setTimeout(idleMs, () => stream.destroy());
      stream.once('end', () => stream.destroy());
      stream.resume();
      return stream;
    } catch (error) {
      if (statusOf(error) === 404 || statusOf(error) === 409) throw notRunning(serverId);
      throw unexpectedError(error);
    }
  }
}

class LostAttach extends Error {}

function notRunning(serverId: string) {
  return runtimeError('INSTANCE_NOT_FOUND', 'the instance does not run', { serverId });
}

async function writeTo(stream: Duplex, data: string): Promise<void> {
  if (stream.destroyed || !stream.writable) throw new LostAttach('closed');
  if (stream.writableLength > maxWaitingBytes) {
    throw runtimeError('INPUT_BLOCKED', 'the game does not read its input', { waitingBytes: stream.writableLength });
  }
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(runtimeError('INPUT_BLOCKED', 'the game does not read its input', { waitedMs: writeMs })),
      writeMs,
    );
    stream.write(data, (error) => {
      clearTimeout(timer);
      if (error) reject(new LostAttach(messageOf(error)));
      else resolve();
    });
  });
}
