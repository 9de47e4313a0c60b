type ClaimResult =
  /** Execute, then `store` or `release` it. */
  | { readonly kind: 'claimed'; readonly claim: string }
  /** The first request is executing. */
  | { readonly kind: 'in_progress' }
  /** The key belongs to another request. */
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'completed'; readonly response: string };

/**
 * Responses of creating requests, for a day. `storageKey`: caller and Idempotency-Key; `fingerprint`: the request.
 * Claims of dead processes expire after `claimTtlMs`. Methods may throw IDEMPOTENCY_STORE_UNAVAILABLE.
 */
export interface ResponseStore {
  claim(storageKey: string, fingerprint: string): Promise<ClaimResult>;
  store(storageKey: string, claim: string, response: string): Promise<void>;
  /** Nothing changed: frees the key. */
  release(storageKey: string, claim: string): Promise<void>;
}

export const responseTtlMs = 24 * 60 * 60_000;
/** Longer than any request. */
export const claimTtlMs = 15_000;

/** Fingerprint, state, then claim id or response. */
export const encodeEntry = {
  claim: (fingerprint: string, id: string): string => `${fingerprint} claim ${id}`,
  response: (claim: string, response: string): string => `${claim.split(' ')[0]} response ${response}`,
};

export function decodeEntry(entry: string, fingerprint: string): ClaimResult {
  const [storedFingerprint = '', state = '', ...rest] = entry.split(' ');
  if (storedFingerprint !== fingerprint) return { kind: 'mismatch' };
  return state === 'response' ? { kind: 'completed', response: rest.join(' ') } : { kind: 'in_progress' };
}
