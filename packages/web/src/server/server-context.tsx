import { createContext, type ReactNode, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import type { Server } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { holds, permissionDenial } from './power.js';
import type { ConsoleSession } from './console-session/console-session.js';

/** With the server itself six requests a minute. */
export const serverPollMs = 20_000;

export interface ViewedAs {
  readonly name: string;
  readonly permissions: readonly string[];
}

interface ServerValue {
  readonly server: Server;
  readonly session: ConsoleSession;
  /** Another user, whose permissions apply to `server`; null: one's own. */
  readonly viewed: ViewedAs | null;
  /** Applies another user's permissions; null: one's own. */
  readonly viewAs: (other: ViewedAs | null) => void;
}

const ServerContext = createContext<ServerValue | null>(null);

export function ServerProvider({ children, ...value }: ServerValue & { readonly children: ReactNode }) {
  return <ServerContext value={{ ...value, server: shownServer(value) }}>{children}</ServerContext>;
}

function shownServer({ server, viewed }: ServerValue): Server {
  return viewed ? { ...server, is_owner: false, permissions: [...viewed.permissions] } : server;
}

/** The page's server and the user's permissions. */
export function useServer() {
  const value = useContext(ServerContext);
  const i18n = useI18n();
  if (!value) throw new Error('useServer outside of ServerProvider');
  return {
    ...value,
    id: value.server.id,
    may: (permission: string) => holds(value.server, permission),
    why: (permission: string) => permissionDenial(value.server, permission, i18n),
  };
}

export function useLiveStatus(): string {
  const { server, session } = useServer();
  const { status } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  const isPowerState = ['offline', 'starting', 'running', 'stopping', 'unknown'].includes(server.status);
  return isPowerState && status !== null ? status : server.status;
}

/** The server's current operation. `onEnd` is called at its end. */
export function useOperation(onEnd: () => void) {
  const { server, session } = useServer();
  const { operation } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  const current = operation ?? server.operation;
  const isBusy = current !== null;
  const wasBusy = useRef(isBusy);
  useEffect(() => {
    if (wasBusy.current && !isBusy) onEnd();
    wasBusy.current = isBusy;
  });
  return current;
}
