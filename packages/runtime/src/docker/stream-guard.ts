import type { Readable } from 'node:stream';
import { onAbort } from '@panel/kit/async';
import { runtimeError } from '../reasons.js';

/** Ends streams of a dead engine by pings, because a machine that loses power sends no FIN. */
export class StreamGuard {
  private readonly streams = new Set<Readable>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly ping: () => Promise<void>,
    private readonly intervalMs: number,
  ) {}

  /** Destroys a stream when one of `stops` aborts. */
  watch(stream: Readable, stops: readonly AbortSignal[]): void {
    this.streams.add(stream);
    const undo = stops.map((stop) => onAbort(stop, () => stream.destroy()));
    stream.once('close', () => {
      for (const each of undo) each();
      this.streams.delete(stream);
      if (this.streams.size === 0) this.stop();
    });
    this.timer ??= this.start();
  }

  private start(): NodeJS.Timeout {
    const timer = setInterval(() => void this.check(), this.intervalMs);
    timer.unref();
    return timer;
  }

  private stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private async check(): Promise<void> {
    try {
      await this.ping();
    } catch (cause) {
      const error = runtimeError('NODE_UNREACHABLE', 'the container engine no longer answers', {}, { cause });
      for (const stream of this.streams) stream.destroy(error);
    }
  }
}
