import type { OutputChunk, OutputCursor, Runtime, RuntimeEvent } from '../runtime.js';

/** Names what was awaited. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${what}`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Reading {
  readonly text: string;
  readonly chunks: OutputChunk[];
  readonly cursor: OutputCursor | undefined;
  readonly ended: boolean;
}

/** Until `until` is true or the run ends. Terminal line ends become "\n". */
export async function read(
  runtime: Runtime,
  serverId: string,
  options: { after?: OutputCursor; until?: (text: string, chunks: number) => boolean; timeoutMs?: number } = {},
): Promise<Reading> {
  const abort = new AbortController();
  const chunks: OutputChunk[] = [];
  let text = '';
  const work = async (): Promise<boolean> => {
    for await (const chunk of runtime.readOutput(serverId, { after: options.after, signal: abort.signal })) {
      chunks.push(chunk);
      text += chunk.data.toString('latin1').replaceAll('\r\n', '\n');
      if (options.until?.(text, chunks.length)) return false;
    }
    return true;
  };
  try {
    const ended = await within(options.timeoutMs ?? 60_000, `output, had: ${text.slice(-300)}`, work());
    return { text, chunks, cursor: chunks.at(-1)?.cursor ?? options.after, ended };
  } finally {
    abort.abort();
  }
}

export async function readUntil(runtime: Runtime, serverId: string, wanted: string, after?: OutputCursor) {
  const reading = await read(runtime, serverId, { after, until: (text) => text.includes(wanted) });
  if (!reading.text.includes(wanted)) throw new Error(`the run ended without "${wanted}": ${reading.text}`);
  return reading;
}

export class EventLog {
  readonly events: RuntimeEvent[] = [];
  failure: unknown = null;
  private readonly abort = new AbortController();
  private readonly done: Promise<void>;
  private wake: () => void = () => undefined;

  constructor(runtime: Runtime) {
    this.done = this.collect(runtime);
  }

  async next(type: RuntimeEvent['type'], serverId: string): Promise<RuntimeEvent> {
    const readNext = async (): Promise<RuntimeEvent> => {
      for (;;) {
        const at = this.events.findIndex((event) => event.type === type && event.serverId === serverId);
        const [found] = at < 0 ? [] : this.events.splice(at, 1);
        if (found) return found;
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    };
    return within(60_000, `the event "${type}"`, readNext());
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await within(5000, 'the watch to end', this.done);
  }

  private async collect(runtime: Runtime): Promise<void> {
    try {
      for await (const event of runtime.watch(this.abort.signal)) {
        this.events.push(event);
        this.wake();
      }
    } catch (error) {
      this.failure = error;
    }
  }
}
