import { useEffect, useEffectEvent, useState } from 'react';
import { useApi } from '../../api/context.js';
import { ConsoleSession } from './console-session.js';
import { browserNetwork } from './network.js';
import { takeSocketPort } from './page-sockets.js';

/** Null before it opens. */
export function useConsoleSession(
  serverId: string,
  { onPowerChange = () => undefined, lines }: { readonly onPowerChange?: () => void; readonly lines?: number } = {},
): ConsoleSession | null {
  const api = useApi();
  const [session, setSession] = useState<ConsoleSession | null>(null);
  const powerChanged = useEffectEvent(onPowerChange);
  useEffect(() => {
    const opened = new ConsoleSession({
      api,
      serverId,
      network: browserNetwork(takeSocketPort),
      onPowerChange: () => powerChanged(),
      lines,
    });
    // oxlint-disable-next-line react/set-state-in-effect -- a socket is opened by what is shown, not by what is rendered
    setSession(opened);
    return () => opened.close();
  }, [api, serverId, lines]);
  return session;
}
