import { useI18n } from '../i18n/i18n.js';
import { plainText } from './sgr.js';
import { collect, readLastPage } from '../api/pages.js';
import { useData } from '../api/use-data.js';
import { Card } from '../ui/page.js';
import { Empty, Loaded } from '../ui/states.js';
import { useServer } from '../server/server-context.js';

export function InstallLogPage() {
  const { t } = useI18n();
  const { id, server } = useServer();
  const isInstalling = server.status === 'installing' || server.status === 'reinstalling';
  const log = useData(
    // Rereads after the end, for the last output.
    ['server', id, 'install-log', isInstalling],
    // All pages every few seconds would exhaust the user's rate limit.
    async (client) =>
      isInstalling
        ? readLastPage(async (page) =>
            client.get('/servers/{id}/install-log', { params: { id }, query: { page, per_page: 100 } }),
          )
        : collect(client.pages('/servers/{id}/install-log', { params: { id } })),
    { keepsPrevious: true, ...(isInstalling ? { every: 15_000 } : {}) },
  );
  return (
    <Card title={t('server.install-log')}>
      <Loaded query={log}>
        {(lines) =>
          lines.length === 0 ? (
            <Empty text={t('server.install-log-none')} />
          ) : (
            <pre className="mono prose" tabIndex={0} aria-label={t('server.install-log')}>
              {lines.map(({ message }) => plainText(message)).join('\n')}
            </pre>
          )
        }
      </Loaded>
    </Card>
  );
}
