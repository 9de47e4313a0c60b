import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react';
import type { Api } from './api.js';
import type { SessionState } from './session.js';

const ApiContext = createContext<Api | null>(null);

export function ApiProvider({ api, children }: { readonly api: Api; readonly children: ReactNode }) {
  return <ApiContext value={api}>{children}</ApiContext>;
}

export function useApi(): Api {
  const api = useContext(ApiContext);
  if (!api) throw new Error('useApi outside of ApiProvider');
  return api;
}

export function useSessionState(): SessionState {
  const { session } = useApi();
  return useSyncExternalStore(session.subscribe, () => session.state);
}

/** Of the latest sign-in; null before one. */
export function useSessionUser(): string | null {
  const { session } = useApi();
  return useSyncExternalStore(session.subscribe, () => session.userId);
}

/** The failure of the sign-in check, and an immediate retry. */
export function useSessionProblem(): { readonly problem: unknown; readonly retry: () => void } {
  const { session } = useApi();
  return { problem: useSyncExternalStore(session.subscribe, () => session.problem), retry: session.retry };
}
