import { Console } from '../../console/console.js';
import { useShownTime } from '../../console/use-shown-time.js';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { playerAddress } from '../../ui/address.js';
import { CopyText } from '../../ui/copy.js';
import { Card, Facts } from '../../ui/page.js';
import { useI18n } from '../../i18n/i18n.js';
import { Skeleton } from '../../ui/states.js';
import { useServer } from '../../server/server-context.js';

// The console loads before its graphs.
const CrashCard = lazy(async () => ({ default: (await import('./server-notes.js')).CrashCard }));
const PendingChanges = lazy(async () => ({ default: (await import('./server-notes.js')).PendingChanges }));
const Graphs = lazy(async () => ({ default: (await import('../../charts/graphs.js')).Graphs }));

const FeatureDialog = lazy(async () => ({ default: (await import('../../console/feature-dialog.js')).FeatureDialog }));

export function ConsolePage() {
  const { t } = useI18n();
  const { server, session } = useServer();
  const { features } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  const [feature] = features;
  const [shownTime, showTime] = useShownTime();
  const { allocation } = server;
  return (
    <div className="stack">
      <Suspense fallback={null}>
        <PendingChanges />
        <CrashCard onShow={showTime} />
      </Suspense>
      <Console shownTime={shownTime} />
      <Suspense fallback={<Skeleton rows={2} />}>
        <Graphs onShow={showTime} />
      </Suspense>
      <Suspense fallback={null}>
        {feature ? (
          <FeatureDialog key={feature.feature} feature={feature} onClose={() => session.putFeatureAside(feature)} />
        ) : null}
      </Suspense>
      <Card>
        <Facts
          facts={[
            [t('server.address'), allocation ? <CopyText key="address" text={playerAddress(allocation)} /> : '–'],
            [t('server.node'), server.node?.name ?? '–'],
            [t('server.game'), server.egg?.name ?? '–'],
            [t('server.id'), <CopyText key="id" text={server.uuid_short} />],
          ]}
        />
      </Card>
    </div>
  );
}
