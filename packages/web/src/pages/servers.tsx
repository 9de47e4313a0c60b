import { lazy, Suspense } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { ServerList } from '../server-list/server-list.js';
import { Page } from '../ui/page.js';
import { Skeleton } from '../ui/states.js';

const FirstSteps = lazy(async () => ({ default: (await import('../staff/first-steps.js')).FirstSteps }));

export function ServersPage() {
  const { t } = useI18n();
  return (
    <Page title={t('nav.servers')}>
      <ServerList
        firstSteps={
          <Suspense fallback={<Skeleton />}>
            <FirstSteps />
          </Suspense>
        }
      />
    </Page>
  );
}
