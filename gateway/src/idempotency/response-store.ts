/** Result of claiming an Idempotency-Key. */
type ClaimResult =
  /** The key is free: the caller executes the request and passes this claim to `store` or `release`. */
  | { readonly kind: 'claimed'; readonly claim: string }
  /** The first request with this key is still executing. */
  | { readonly kind: 'in_progress' }
  /** The key belongs to a different request. */
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'completed'; readonly response: string };

/**
 * Stores the responses of creating requests for a day. `storageKey` identifies caller and Idempotency-Key, `fingerprint`
 * the request. A claim that is neither stored nor released expires after `claimTtlMs`, because its process has died.
 * All methods may throw IDEMPOTENCY_STORE_UNAVAILABLE.
 */
export interface ResponseStore {
  claim(storageKey: string, fingerprint: string): Promise<ClaimResult>;
  store(storageKey: string, claim: string, response: string): Promise<void>;
  /** The request changed nothing: the key is free again. */
  release(storageKey: string, claim: string): Promise<void>;
}

export const responseTtlMs = 24 * 60 * 60_000;
/** Longer than any request takes. */
export const claimTtlMs = 15_000;

/** Encoding of the two states of a key: the fingerprint, the state, and a claim id or a response. */
export const encodeEntry = {
  claim: (fingerprint: string, id: string): string => `${fingerprint} claim ${id}`,
  response: (claim: string, response: string): string => `${claim.split(' ')[0]} response ${response}`,
};

/** Interpret a stored entry for a request with this fingerprint. */
export function decodeEntry(entry: string, fingerprint: string): ClaimResult {
  const [storedFingerprint = '', state = '', ...rest] = entry.split(' ');
  if (storedFingerprint !== fingerprint) return { kind: 'mismatch' };
  return state === 'response' ? { kind: 'completed', response: rest.join(' ') } : { kind: 'in_progress' };
}
