import { pause } from '@panel/kit/async';
import path from 'node:path';
import type { RuntimeFactory } from '../../src/node-clients/runtimes.js';
import { createProcessRuntime } from '@panel/runtime';
import { runtimeError } from '@panel/runtime';
import type { Runtime } from '@panel/runtime';

/** Until a call to an unavailable engine fails. */
const unreachableMs = 50;

/** Cuts the connection to an engine; games continue. */
export class FaultInjector {
  isDown = false;
  /** Rejected calls by method. */
  readonly refused: string[] = [];
  /** Open streams, ended by a cut. */
  readonly #streams = new Set<AbortController>();

  cut(): void {
    this.isDown = true;
    this.refused.length = 0;
    for (const stream of this.#streams) stream.abort();
  }

  mend(): void {
    this.isDown = false;
  }

  /** Wraps the process runtime below `directory`. */
  factory(directory: string): RuntimeFactory {
    return (node) => this.#wrap(createProcessRuntime({ runDir: path.join(directory, 'run', node.id) }));
  }

  #wrap(runtime: Runtime): Runtime {
    const streaming = new Set(['watch', 'readOutput', 'readStats']);
    return new Proxy(runtime, {
      get: (target, name: keyof Runtime) => {
        const member = target[name];
        if (typeof member !== 'function' || name === 'close') return member;
        const call = member as (...args: unknown[]) => unknown;
        if (streaming.has(name)) return (...args: unknown[]) => this.#stream(call, args);
        return async (...args: unknown[]) => {
          if (this.isDown) {
            await pause(unreachableMs);
            this.refused.push(name);
            throw unreachable();
          }
          return call.apply(target, args);
        };
      },
    });
  }

  async *#stream(call: (...args: unknown[]) => unknown, args: unknown[]): AsyncGenerator {
    if (this.isDown) throw unreachable();
    const cut = new AbortController();
    this.#streams.add(cut);
    try {
      yield* call(...args.map((arg) => withSignal(arg, cut.signal))) as AsyncIterable<unknown>;
      if (cut.signal.aborted) throw unreachable();
    } finally {
      this.#streams.delete(cut);
    }
  }
}

function withSignal(arg: unknown, cut: AbortSignal): unknown {
  if (arg instanceof AbortSignal) return AbortSignal.any([arg, cut]);
  if (typeof arg === 'object' && arg !== null && 'signal' in arg) {
    return { ...arg, signal: AbortSignal.any([arg.signal as AbortSignal, cut]) };
  }
  return arg;
}

function unreachable() {
  return runtimeError('NODE_UNREACHABLE', 'the engine does not answer');
}
