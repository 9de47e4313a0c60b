import { useI18n } from '../i18n/i18n.js';
import { useStaffRights } from '../api/queries.js';
import { useData } from '../api/use-data.js';
import { Card, Facts, Page } from '../ui/page.js';
import { Loaded } from '../ui/states.js';
import { Meter, Status } from '../ui/status.js';
import { FirstSteps } from './first-steps.js';

export function Overview() {
  const { t, maybe, number, bytes } = useI18n();
  const { may } = useStaffRights();
  const overview = useData(['staff', 'overview'], async (client) => (await client.get('/admin/overview')).data, {
    every: 30_000,
  });
  const mb = 1024 ** 2;
  return (
    <Page title={t('nav.overview')}>
      <Loaded query={overview} rows={4}>
        {({ servers, users, nodes }) => (
          <>
            {servers.total === 0 && may('servers.create') ? <FirstSteps /> : null}
            <Card>
              <Facts
                facts={[
                  [t('nav.all-servers'), number(servers.total)],
                  ...Object.entries(servers.by_status).map(
                    ([status, count]) => [maybe(`status.${status}`, status), number(count)] as const,
                  ),
                  ...(users ? [[t('nav.users'), number(users.total)] as const] : []),
                ]}
              />
            </Card>
            <ul className="cards">
              {nodes?.map((node) => (
                <li key={node.id} className="card">
                  <div className="card-head">
                    <h2 dir="auto">{node.name}</h2>
                    <Status value={node.status} />
                  </div>
                  <p className="faint">{t('staff.servers-count', { count: node.servers })}</p>
                  <Meter
                    label={t('resource.memory')}
                    value={node.memory_allocated}
                    limit={node.memory}
                    text={`${bytes(node.memory_allocated * mb)} / ${bytes(node.memory * mb)}`}
                  />
                  <Meter
                    label={t('resource.disk')}
                    value={node.disk_allocated}
                    limit={node.disk}
                    text={`${bytes(node.disk_allocated * mb)} / ${bytes(node.disk * mb)}`}
                  />
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Page>
  );
}
