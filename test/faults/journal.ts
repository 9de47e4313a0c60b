import { ApiError } from '@panel/client';
import { messageOf } from '@panel/kit/errors';
import { setTimeout as wait } from 'node:timers/promises';

/** Contents by path, as SHA-256. */
export type Files = Readonly<Record<string, string>>;

/** What exists once under its key, for as long as it exists. */
export type Kind = 'server' | 'key' | 'subuser' | 'backup' | 'grant' | 'order';

/** What a request changes, as far as the checker compares it. */
export type Fact =
  | { readonly do: 'create' | 'remove'; readonly kind: Kind; readonly key: string }
  | { readonly do: 'write'; readonly server: string; readonly path: string; readonly sha256: string }
  | { readonly do: 'delete'; readonly server: string; readonly path: string }
  | {
      readonly do: 'rename';
      readonly server: string;
      readonly path: string;
      readonly to: string;
      readonly sha256: string;
    }
  /** Removes what is not among `files`. */
  | { readonly do: 'restore'; readonly server: string; readonly files: Files }
  | { readonly do: 'command'; readonly server: string; readonly marker: string }
  | { readonly do: 'run'; readonly schedule: string; readonly server: string; readonly marker: string }
  | { readonly do: 'power'; readonly server: string; readonly action: 'start' | 'stop' | 'restart' }
  /** `isValid`: whether it has to be let in. */
  | { readonly do: 'use'; readonly credential: string; readonly isValid: boolean }
  | { readonly do: 'revoke'; readonly credential: string }
  /** Changes nothing that is checked. */
  | { readonly do: 'read' };

/** A refusal has changed nothing; of what is unknown, anything may have happened. */
export type Outcome = 'done' | 'refused' | 'unknown';

/** `status` null: no answer. `reason`: of an error. */
export interface Attempt {
  readonly status: number | null;
  readonly reason: string;
}

export interface Entry {
  readonly round: number;
  readonly client: string;
  readonly request: string;
  readonly fact: Fact;
  /** Milliseconds since the journal began. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attempts: readonly Attempt[];
  readonly outcome: Outcome;
  /** Of what the answer names. */
  readonly id: string;
}

export interface Asked<T> {
  readonly outcome: Outcome;
  /** Whether every attempt was answered with what became of it: none can take effect later. */
  readonly isClean: boolean;
  readonly data: T | undefined;
}

interface Request<T> {
  readonly client: string;
  readonly request: string;
  readonly fact: Fact;
  readonly send: () => Promise<{ readonly data: T }>;
  /** How long it is repeated while the outcome is unknown. Default 0: one attempt, for what repeating would do twice. */
  readonly patienceMs?: number;
}

const pauseMs = 300;
const inProgress = new Set(['idempotency_in_flight', 'creation_in_progress']);

/** What was asked and what was answered, in the order of the answers. */
export class Journal {
  readonly entries: Entry[] = [];
  round = 0;
  readonly #begin = performance.now();

  /** Sends as a good client does. Never rejects. */
  async ask<T>({ client, request, fact, send, patienceMs = 0 }: Request<T>): Promise<Asked<T>> {
    const startedAt = this.#now();
    const attempts: Attempt[] = [];
    let data: T | undefined;
    for (;;) {
      try {
        const answer = await send();
        data = answer.data;
        attempts.push({ status: 200, reason: '' });
      } catch (error) {
        attempts.push(attemptOf(error));
      }
      const isOver = this.#now() - startedAt >= patienceMs;
      if (isOver || outcomeOf(attempts.at(-1)) !== 'unknown') break;
      await wait(pauseMs);
    }
    const isClean = attempts.every((attempt) => outcomeOf(attempt) !== 'unknown');
    const outcome = combined(attempts, fact, isClean);
    const entry = { round: this.round, client, request, fact, startedAt, endedAt: this.#now(), attempts, outcome };
    this.entries.push({ ...entry, id: idOf(data) });
    return { outcome, isClean, data };
  }

  ofRound(round: number): readonly Entry[] {
    return this.entries.filter((entry) => entry.round === round);
  }

  #now(): number {
    return Math.round(performance.now() - this.#begin);
  }
}

export function describeEntry({ client, request, fact, startedAt, endedAt, attempts, outcome, id }: Entry): string {
  const statuses = attempts.map(({ status, reason }) => `${status ?? 'no answer'}${reason && ` ${reason}`}`);
  const answers = statuses.length > 4 ? [...statuses.slice(0, 3), '…', statuses.at(-1)] : statuses;
  const about = JSON.stringify(fact).slice(0, 240);
  return `${startedAt}–${endedAt} ms ${client} ${request} ${outcome} [${answers.join(', ')}] ${id} ${about}`;
}

function attemptOf(error: unknown): Attempt {
  if (!(error instanceof ApiError)) return { status: null, reason: messageOf(error).slice(0, 80) };
  const { reason } = error.details;
  return { status: error.status, reason: typeof reason === 'string' ? reason : error.code };
}

function outcomeOf(attempt: Attempt | undefined): Outcome {
  if (!attempt || attempt.status === null || attempt.status >= 500 || inProgress.has(attempt.reason)) return 'unknown';
  return attempt.status < 300 ? 'done' : 'refused';
}

/** What is gone after an unknown attempt to remove it was removed. */
function combined(attempts: readonly Attempt[], fact: Fact, isClean: boolean): Outcome {
  const last = outcomeOf(attempts.at(-1));
  if (last !== 'refused' || isClean) return last;
  const isGone = attempts.at(-1)?.status === 404 && (fact.do === 'remove' || fact.do === 'delete');
  return isGone ? 'done' : 'unknown';
}

function idOf(data: unknown): string {
  const { id, operation_id: operation } = (data ?? {}) as { readonly id?: string; readonly operation_id?: string };
  return id ?? operation ?? '';
}
