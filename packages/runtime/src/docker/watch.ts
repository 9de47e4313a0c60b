import { isAppError } from '@panel/kit/errors';
import type { RuntimeEvent } from '../runtime.js';
import { runtimeError } from '../reasons.js';
import { abortable } from './abortable-calls.js';
import { describe, endedOutOfMemory } from './containers.js';
import { unexpectedError, type Engine } from './engine.js';
import { readJsonLines } from './json-lines.js';
import { label, labelFilter } from './labels.js';

interface EngineEvent {
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
  readonly timeNano?: number;
}

/** Signals that end a game; SIGHUP may be a reload. */
const endingSignals = new Set(['2', '3', '9', '15', 'SIGINT', 'SIGQUIT', 'SIGKILL', 'SIGTERM']);
/** A later end is not attributed to the signal. */
const signalCountsMs = 120_000;

/** Container state between events. */
interface Seen {
  readonly ranOutOfMemory: Set<string>;
  readonly signalledAt: Map<string, number>;
}

/** From the first `next()`, by the engine's clock. */
export async function* watchContainers(engine: Engine, signal: AbortSignal): AsyncGenerator<RuntimeEvent> {
  const seen: Seen = { ranOutOfMemory: new Set(), signalledAt: new Map() };
  try {
    const since = await engineTime(engine, signal);
    const stream = await engine.openStream(
      async (docker, abortSignal) =>
        docker.getEvents({
          since: since as unknown as number, // the engine takes "seconds.nanoseconds", the types say number
          filters: {
            type: ['container'],
            event: ['start', 'pause', 'kill', 'die', 'oom'],
            label: labelFilter('server'),
          },
          abortSignal,
        }),
      { signal },
    );
    try {
      for await (const event of readJsonLines<EngineEvent>(stream)) {
        const translated = await translate(engine, event, seen);
        if (translated) yield translated;
      }
    } finally {
      stream.destroy();
    }
  } catch (error) {
    if (signal.aborted) return;
    throw unexpectedError(toUnreachable(error));
  }
  if (!signal.aborted) throw runtimeError('NODE_UNREACHABLE', 'the engine closed its stream of events');
}

function toUnreachable(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string') return error;
  return runtimeError('NODE_UNREACHABLE', 'the connection to the engine broke off', { reason: code }, { cause: error });
}

/** As `seconds.nanoseconds`: the engine's clock may be ahead. */
async function engineTime(engine: Engine, signal: AbortSignal): Promise<string> {
  const info = await engine.call(async (docker, abortSignal) => abortable(docker).info({ abortSignal }), { signal });
  const ms = Date.parse(info.SystemTime ?? '');
  const at = Number.isNaN(ms) ? Date.now() : ms;
  return `${Math.floor(at / 1000)}.${String((at % 1000) * 1_000_000).padStart(9, '0')}`;
}

async function translate(engine: Engine, event: EngineEvent, seen: Seen): Promise<RuntimeEvent | null> {
  const id = event.Actor?.ID;
  const attributes = event.Actor?.Attributes ?? {};
  const serverId = attributes[label.server];
  if (!id || !serverId) return null;
  const at = new Date((event.timeNano ?? 0) / 1_000_000);
  if (event.Action === 'oom') seen.ranOutOfMemory.add(id);
  if (event.Action === 'kill' && endingSignals.has(attributes['signal'] ?? '')) seen.signalledAt.set(id, at.getTime());
  if (event.Action === 'start') return { type: 'started', serverId, at };
  if (event.Action === 'pause') return { type: 'paused', serverId, at };
  if (event.Action !== 'die') return null;
  const exitCode = Number(attributes['exitCode'] ?? 0);
  const sawIt = seen.ranOutOfMemory.delete(id);
  const outOfMemory = exitCode !== 0 && (sawIt || (await flagOf(engine, id)));
  const isEndedFromOutside = at.getTime() - (seen.signalledAt.get(id) ?? -Infinity) < signalCountsMs && !outOfMemory;
  seen.signalledAt.delete(id);
  const generation = Number(attributes[label.generation] ?? 0);
  return { type: 'exited', serverId, generation, at, exitCode, outOfMemory, isEndedFromOutside };
}

/** False for an unreachable engine: one that shuts down ends games itself. */
async function flagOf(engine: Engine, id: string): Promise<boolean> {
  try {
    const info = await describe(engine, id);
    return info !== null && endedOutOfMemory(info);
  } catch (error) {
    if (isAppError(error)) return false;
    throw error;
  }
}
