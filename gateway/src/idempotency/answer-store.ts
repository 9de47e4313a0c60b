/** What is known of an Idempotency-Key. */
export type Begun =
  /** Nothing: the caller works, and says how it ended with this claim. */
  | { readonly kind: 'new'; readonly claim: string }
  /** The same request is being worked on. */
  | { readonly kind: 'running' }
  /** The key was used for something else. */
  | { readonly kind: 'other' }
  | { readonly kind: 'done'; readonly answer: string };

/**
 * Remembers the answers of creating requests for a day. `name` stands for user and key, `fingerprint` for the request. A
 * claim that is neither finished nor abandoned lapses after `leaseMs`: its worker is dead. All three may fail with
 * UNAVAILABLE.
 */
export interface AnswerStore {
  begin(name: string, fingerprint: string): Promise<Begun>;
  finish(name: string, claim: string, answer: string): Promise<void>;
  /** Nothing was done: the key is free again. */
  abandon(name: string, claim: string): Promise<void>;
}

export const answerTtlMs = 24 * 60 * 60_000;
/** Longer than any request takes. */
export const leaseMs = 15_000;

/** A claim and an answer as they are stored: the fingerprint, a mark, and the rest. */
export const stored = {
  claim: (fingerprint: string, id: string): string => `${fingerprint} claim ${id}`,
  answer: (claim: string, answer: string): string => `${claim.split(' ')[0]} answer ${answer}`,
};

/** What a stored value means to a request with this fingerprint. */
export function readStored(value: string, fingerprint: string): Begun {
  const [of = '', mark = '', ...rest] = value.split(' ');
  if (of !== fingerprint) return { kind: 'other' };
  return mark === 'answer' ? { kind: 'done', answer: rest.join(' ') } : { kind: 'running' };
}
