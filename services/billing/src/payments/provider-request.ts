import { pause } from '@panel/kit/async';

export type Answer =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string }
  /** Executed or not: no answer came within the deadline. */
  | { readonly kind: 'lost' };

interface ProviderRequest {
  readonly url: URL;
  readonly init: RequestInit;
  /** Per attempt. */
  readonly attemptTimeoutMs: number;
  /** A repetition changes nothing more. */
  readonly isRepeatable: boolean;
  /** Beside 429 and 5xx. */
  readonly transientStatuses?: readonly number[];
}

const maxRetries = 2;
/** A longer `Retry-After` is left to the caller's next try. */
const maxWaitMs = 5_000;

/** A deadline per attempt, up to two retries, no redirects. */
export async function requestProvider(request: ProviderRequest): Promise<Answer> {
  const { isRepeatable, transientStatuses = [] } = request;
  for (let retry = 0; ; retry += 1) {
    const { answer, retryAfterMs } = await attempt(request);
    const isTransient =
      answer.kind === 'lost' || isTransientStatus(answer.status) || transientStatuses.includes(answer.status);
    if (!isTransient || !isRepeatable || retry >= maxRetries || retryAfterMs > maxWaitMs) return answer;
    await pause(Math.max(retryAfterMs, 100 * 2 ** retry * (1 + Math.random())));
  }
}

export function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 429;
}

async function attempt({ url, init, attemptTimeoutMs }: ProviderRequest) {
  const signal = AbortSignal.timeout(attemptTimeoutMs);
  try {
    const response = await fetch(url, { ...init, signal, redirect: 'error' });
    const retryAfterMs = secondsOf(response.headers.get('retry-after')) * 1000;
    const answer: Answer = { kind: 'answer', status: response.status, text: await response.text() };
    return { answer, retryAfterMs };
  } catch (error) {
    if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')) {
      return { answer: { kind: 'lost' } satisfies Answer, retryAfterMs: 0 };
    }
    throw error;
  }
}

/** Of `Retry-After`; 0 without one, and for a date. */
function secondsOf(header: string | null): number {
  return /^\d{1,9}$/.test(header ?? '') ? Number(header) : 0;
}

/** Null for text that is no JSON. */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
