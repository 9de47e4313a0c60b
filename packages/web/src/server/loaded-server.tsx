import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { serverRead } from '../api/first-reads.js';
import { useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { Page } from '../ui/page.js';
import { Loaded, Skeleton } from '../ui/states.js';
import { useConsoleSession } from './console-session/use-console-session.js';
import { ServerProvider, serverPollMs, type ViewedAs } from './server-context.js';

interface LoadedServerProps {
  readonly id: string;
  readonly children: ReactNode;
}

/** Provides a server to its pages. Its console stays connected across them. */
export function LoadedServer({ id, children }: LoadedServerProps) {
  const queries = useQueryClient();
  const session = useConsoleSession(id, {
    onPowerChange: () => void queries.invalidateQueries({ queryKey: ['server', id], exact: true }),
  });
  const { key, read } = serverRead(id);
  const server = useData(key, read, { every: serverPollMs });
  const [viewed, viewAs] = useState<ViewedAs | null>(null);
  const { t } = useI18n();
  if (!session || server.data === undefined) {
    return (
      <Page title={t('palette.server')} back={{ to: '/', label: t('nav.servers') }}>
        <Loaded query={server}>{() => <Skeleton />}</Loaded>
      </Page>
    );
  }
  return (
    <ServerProvider server={server.data} session={session} viewed={viewed} viewAs={viewAs}>
      {children}
    </ServerProvider>
  );
}
