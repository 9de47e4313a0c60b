import { randomUUID } from 'node:crypto';
import { BoundedMap } from '../auth/bounded-map.js';
import { type AnswerStore, answerTtlMs, leaseMs, readStored, stored } from './answer-store.js';

const maxAnswers = 10_000;

interface Entry {
  readonly value: string;
  readonly until: number;
}

/** For an installation without Redis: one gateway, which forgets with its end. */
export function createMemoryAnswers(now: () => number = Date.now): AnswerStore {
  const entries = new BoundedMap<string, Entry>(maxAnswers);
  const valueOf = (name: string) => {
    const entry = entries.get(name);
    return entry && entry.until > now() ? entry.value : undefined;
  };
  return {
    begin: async (name, fingerprint) => {
      const value = valueOf(name);
      if (value !== undefined) return readStored(value, fingerprint);
      const claim = stored.claim(fingerprint, randomUUID());
      entries.set(name, { value: claim, until: now() + leaseMs });
      return { kind: 'new', claim };
    },
    finish: async (name, claim, answer) => {
      if (valueOf(name) !== claim) return;
      entries.set(name, { value: stored.answer(claim, answer), until: now() + answerTtlMs });
    },
    abandon: async (name, claim) => {
      if (valueOf(name) === claim) entries.delete(name);
    },
  };
}
