import { ApiError, createPanelClient, type PanelClient } from '@panel/client';
import { CallLog } from './recorder.js';
import type { BrowserSession } from './session.js';

/** Longer waits fail the request. */
const maxRateLimitWaitMs = 65_000;

export interface Api {
  readonly session: BrowserSession;
  /** Recorded calls, for display as commands. */
  readonly callLog: CallLog;
  /** Renews the token once on 401, waits on 429. Throws ApiError. */
  call<T>(use: (client: PanelClient) => Promise<T>): Promise<T>;
  /** End of the rate limit's wait; 0 without one. */
  readonly waitingUntil: number;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createApi(session: BrowserSession): Api {
  const baseUrl = location.origin;
  const listeners = new Set<() => void>();
  let waitingUntil = 0;
  const callLog = new CallLog();
  let client = callLog.record(createPanelClient({ baseUrl }));
  let clientToken: string | undefined;
  const current = (): PanelClient => {
    if (session.token !== clientToken) {
      clientToken = session.token;
      const options = clientToken === undefined ? {} : { token: clientToken };
      client = callLog.record(createPanelClient({ baseUrl, ...options }));
    }
    return client;
  };
  const setWaiting = (until: number): void => {
    waitingUntil = until;
    for (const listener of listeners) listener();
  };

  async function call<T>(use: (client: PanelClient) => Promise<T>): Promise<T> {
    let mayRenew = true;
    let mayWait = true;
    const { signOuts } = session;
    for (;;) {
      if (session.state === 'ended') await session.renew(undefined);
      if (session.signOuts !== signOuts) throw endedError();
      const used = session.token;
      try {
        return await use(current());
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const pauseMs = error.retryAfterSeconds * 1000;
        if (error.status === 401 && mayRenew && session.state === 'signed-in') {
          mayRenew = false;
          await session.renew(used);
        } else if (error.status === 429 && mayWait && pauseMs > 0 && pauseMs <= maxRateLimitWaitMs) {
          mayWait = false;
          setWaiting(Date.now() + pauseMs);
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
          setWaiting(0);
        } else throw error;
        if (session.signOuts !== signOuts) throw error;
      }
    }
  }

  return {
    session,
    callLog,
    call,
    get waitingUntil() {
      return waitingUntil;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A request of a user who is gone. */
function endedError(): ApiError {
  const error = { code: 'unauthorized', message: 'the sign-in has ended' };
  return ApiError.from(new Response(null, { status: 401 }), { error });
}
