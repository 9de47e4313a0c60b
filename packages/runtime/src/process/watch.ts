import type { RuntimeEvent } from '../runtime.js';
import type { Game, Games } from './games.js';
import { Changes } from './output-reader.js';

const pollEveryMs = 1000;

const unknowable = { outOfMemory: false, isEndedFromOutside: false } as const;

/** From the first `next()`, by any starter. */
export async function* watchGames(games: Games, signal: AbortSignal): AsyncGenerator<RuntimeEvent> {
  games.prepare();
  const changes = new Changes(games.directory);
  try {
    let before = await snapshot(games);
    while (!signal.aborted) {
      await changes.next(signal, pollEveryMs);
      if (signal.aborted) return;
      changes.forget();
      const now = await snapshot(games);
      yield* differences(before, now);
      before = now;
    }
  } finally {
    changes.close();
  }
}

type Snapshot = ReadonlyMap<string, Game>;

async function snapshot(games: Games): Promise<Snapshot> {
  return new Map((await games.list()).map((game) => [game.stored.serverId, game]));
}

function* differences(before: Snapshot, now: Snapshot): Generator<RuntimeEvent> {
  for (const [serverId, old] of before) {
    const wasReplaced = now.get(serverId)?.stored.run !== old.stored.run;
    // Killed and replaced between two polls: the outcome is unknown.
    if (wasReplaced && old.state?.state === 'running') {
      const { generation } = old.stored;
      const how = { exitCode: 137, outOfMemory: false, isEndedFromOutside: true };
      yield { type: 'exited', serverId, generation, at: new Date(), ...how };
    }
  }
  for (const [serverId, game] of now) {
    const old = before.get(serverId);
    yield* changesOf(game, old?.stored.run === game.stored.run ? (old.state?.state ?? null) : null);
  }
}

function* changesOf(
  { stored: { serverId, generation }, state }: Game,
  was: 'running' | 'exited' | null,
): Generator<RuntimeEvent> {
  if (!state || state.state === was) return;
  if (was === null) yield { type: 'started', serverId, at: new Date(state.startedAt) };
  if (state.state !== 'exited') return;
  const { exitCode } = state;
  yield { type: 'exited', serverId, generation, at: new Date(state.finishedAt), exitCode, ...unknowable };
}
