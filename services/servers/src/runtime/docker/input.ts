import type { Duplex } from 'node:stream';
import { messageOf } from '@panel/kit';
import { fail } from '../reasons.js';
import { describeOwn, isLive } from './containers.js';
import { statusOf, unforeseen, type Engine } from './engine.js';

const maxWaitingBytes = 256 * 1024;
const writeMs = 10_000;

/** Standard input of running games: one attached connection per server, kept until the game ends. */
export class Inputs {
  private readonly attached = new Map<string, Promise<Duplex>>();

  constructor(
    private readonly engine: Engine,
    private readonly panelId: string,
  ) {}

  /** Resolves once the engine has taken it. Throws INSTANCE_NOT_FOUND, INPUT_BLOCKED, NODE_UNREACHABLE. */
  async write(serverId: string, data: string): Promise<void> {
    const kept = this.attached.has(serverId);
    try {
      await writeTo(await this.attach(serverId), data);
    } catch (error) {
      if (!(error instanceof LostAttach)) throw error;
      if (!kept) throw fail('NODE_UNREACHABLE', 'the engine closed the connection', {}, { cause: error });
      await writeTo(await this.attach(serverId), data).catch((again: unknown) => {
        if (!(again instanceof LostAttach)) throw again;
        throw fail('NODE_UNREACHABLE', 'the engine closed the connection', {}, { cause: again });
      });
    }
  }

  close(): void {
    for (const pending of this.attached.values()) {
      void pending.then(
        (stream) => stream.destroy(),
        () => undefined,
      );
    }
    this.attached.clear();
  }

  private async attach(serverId: string): Promise<Duplex> {
    const kept = this.attached.get(serverId);
    if (kept) return kept;
    const pending = this.open(serverId);
    this.attached.set(serverId, pending);
    const forget = () => {
      if (this.attached.get(serverId) === pending) this.attached.delete(serverId);
    };
    pending.then((stream) => stream.once('close', forget), forget);
    return pending;
  }

  private async open(serverId: string): Promise<Duplex> {
    const info = await describeOwn(this.engine, this.panelId, serverId);
    if (!info || !isLive(info)) throw notRunning(serverId);
    try {
      const stream = (await this.engine.openStream(async (docker, abortSignal) =>
        docker.getContainer(info.Id).attach({ stream: true, stdin: true, hijack: true, abortSignal }),
      )) as Duplex;
      stream.once('end', () => stream.destroy()); // the game has ended
      stream.resume();
      return stream;
    } catch (error) {
      if (statusOf(error) === 404 || statusOf(error) === 409) throw notRunning(serverId);
      throw unforeseen(error);
    }
  }
}

class LostAttach extends Error {}

function notRunning(serverId: string) {
  return fail('INSTANCE_NOT_FOUND', 'the instance does not run', { serverId });
}

async function writeTo(stream: Duplex, data: string): Promise<void> {
  if (stream.destroyed || !stream.writable) throw new LostAttach('closed');
  if (stream.writableLength > maxWaitingBytes) {
    throw fail('INPUT_BLOCKED', 'the game does not read its input', { waitingBytes: stream.writableLength });
  }
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(fail('INPUT_BLOCKED', 'the game does not read its input', { waitedMs: writeMs })),
      writeMs,
    );
    stream.write(data, (error) => {
      clearTimeout(timer);
      if (error) reject(new LostAttach(messageOf(error)));
      else resolve();
    });
  });
}
