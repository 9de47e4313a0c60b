import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { claimTtlMs, decodeEntry, encodeEntry, type ResponseStore, responseTtlMs } from './response-store.js';

const maxEntries = 10_000;

interface Entry {
  readonly value: string;
  readonly expiresAt: number;
}

/** Entries end with the process. */
export function createMemoryResponseStore(clock: () => Date): ResponseStore {
  const entries = new LRUCache<string, Entry>({ max: maxEntries });
  const valueOf = (storageKey: string) => {
    const entry = entries.get(storageKey);
    return entry && entry.expiresAt > clock().getTime() ? entry.value : undefined;
  };
  const set = (storageKey: string, value: string, ttlMs: number) => {
    entries.set(storageKey, { value, expiresAt: clock().getTime() + ttlMs });
  };
  return {
    claim: async (storageKey, fingerprint) => {
      const value = valueOf(storageKey);
      if (value !== undefined) return decodeEntry(value, fingerprint);
      const claim = encodeEntry.claim(fingerprint, randomUUID());
      set(storageKey, claim, claimTtlMs);
      return { kind: 'claimed', claim };
    },
    store: async (storageKey, claim, response) => {
      if (valueOf(storageKey) === claim) set(storageKey, encodeEntry.response(claim, response), responseTtlMs);
    },
    release: async (storageKey, claim) => {
      if (valueOf(storageKey) === claim) entries.delete(storageKey);
    },
  };
}
