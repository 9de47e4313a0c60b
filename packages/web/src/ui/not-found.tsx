import { Link } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { Empty } from './states.js';
import { Page } from './page.js';

export function NotFoundPage() {
  const { t } = useI18n();
  return (
    <Page title={t('not-found.title')}>
      <Empty text={t('not-found.text')}>
        <Link to="/" className="button">
          {t('nav.servers')}
        </Link>
      </Empty>
    </Page>
  );
}
