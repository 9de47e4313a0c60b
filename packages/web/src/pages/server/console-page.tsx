import { Console } from '../../console/console.js';
import { lazy, Suspense, useState } from 'react';
import { CopyText } from '../../parts/copy.js';
import { Card, Facts } from '../../parts/page.js';
import { useI18n } from '../../i18n/i18n.js';
import { Skeleton } from '../../parts/states.js';
import { CrashCard } from './crash-card.js';
import { useServer } from './server-context.js';

// The console is usable before its graphs are there.
const ConsoleGraphs = lazy(async () => ({ default: (await import('../../charts/console-graphs.js')).ConsoleGraphs }));

/** The console with the graphs of the same time. */
export function ConsolePage() {
  const { t } = useI18n();
  const { server } = useServer();
  const [shownTime, setShownTime] = useState<{ readonly at: number } | null>(null);
  const { allocation } = server;
  return (
    <div className="stack">
      <CrashCard onShow={(at) => setShownTime({ at })} />
      <Console shownTime={shownTime} />
      <Suspense fallback={<Skeleton rows={2} />}>
        <ConsoleGraphs onShow={(at) => setShownTime({ at })} />
      </Suspense>
      <Card>
        <Facts
          facts={[
            [
              t('server.address'),
              allocation ? <CopyText text={`${allocation.alias ?? allocation.ip}:${allocation.port}`} /> : '–',
            ],
            [t('server.node'), server.node?.name ?? '–'],
            [t('server.game'), server.egg?.name ?? '–'],
            [t('server.id'), <CopyText text={server.uuid_short} />],
          ]}
        />
      </Card>
    </div>
  );
}
