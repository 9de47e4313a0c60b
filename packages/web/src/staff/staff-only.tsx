import type { ReactNode } from 'react';
import { useStaffRights } from '../api/queries.js';
import { useI18n } from '../i18n/i18n.js';
import { NotFoundPage } from '../ui/not-found.js';
import { Page } from '../ui/page.js';
import { Loaded, Skeleton } from '../ui/states.js';

/** Its children for users with a staff role; others get "not found". */
export function StaffOnly({ children }: { readonly children: ReactNode }) {
  const { t } = useI18n();
  const { isStaff, query } = useStaffRights();
  if (query) {
    return (
      <Page title={t('nav.staff')}>
        <Loaded query={query} rows={6}>
          {() => <Skeleton />}
        </Loaded>
      </Page>
    );
  }
  return isStaff ? children : <NotFoundPage />;
}
