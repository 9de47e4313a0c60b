import { lazy, Suspense } from 'react';
import type { Node } from '@panel/client';
import { Link, Redirect, Route, Switch } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { useData } from '../api/use-data.js';
import { hostPort } from '../ui/address.js';
import { CopyText } from '../ui/copy.js';
import { Below, Card, Facts, Page } from '../ui/page.js';
import { Loaded, Note, PanelWords } from '../ui/states.js';
import { Meter, Status } from '../ui/status.js';
import { ResourceTable } from '../ui/table.js';
import { Tabs } from '../ui/tabs.js';
import { nodeProblemText } from './node-problem.js';
import { NodeReport } from './node-report/node-report.js';

const NodeGraphs = lazy(async () => ({ default: (await import('../charts/node-graphs.js')).NodeGraphs }));

const mb = 1024 ** 2;
const pollMs = 20_000;
/** It may be back soon. */
const offlinePollMs = 5_000;

/** As the panel names what holds a node back. */
const olderDatabase = 'data_root_newer';

type NodeQuery = ReturnType<typeof useNode>;

function useNode(id: string) {
  return useData(
    ['staff', 'nodes', 'one', id],
    async (client) => (await client.get('/admin/nodes/{id}', { params: { id } })).data,
    { every: ({ status }) => (status === 'online' ? pollMs : offlinePollMs) },
  );
}

export function NodePage({ id }: { readonly id: string }) {
  const { t } = useI18n();
  const node = useNode(id);
  const base = `/staff/nodes/${id}`;
  return (
    <Page
      title={node.data?.name ?? t('server.node')}
      back={{ to: '/staff/nodes', label: t('nav.nodes') }}
      actions={node.data ? <Status value={node.data.status} /> : null}
    >
      <Tabs
        label={t('node-report.pages')}
        tabs={[
          { to: base, label: 'nav.overview', isExact: true },
          { to: `${base}/report`, label: 'node-report.title' },
        ]}
      />
      <Switch>
        <Route path={base}>
          <NodeOverview node={node} id={id} />
        </Route>
        <Route path={`${base}/report`}>
          <Loaded query={node} rows={5}>
            {(data) => <NodeReport node={data} />}
          </Loaded>
        </Route>
        <Route>
          <Redirect to={base} replace />
        </Route>
      </Switch>
    </Page>
  );
}

function NodeOverview({ node, id }: { readonly node: NodeQuery; readonly id: string }) {
  const { t, bytes, number, date, relative } = useI18n();
  /** With over-allocation; 0 without a limit. */
  const limitOf = (size: number, overallocate: number): number =>
    overallocate < 0 ? 0 : Math.round(size * (1 + overallocate / 100));
  const usage = (value: number, limit: number, format: (value: number) => string): string =>
    `${format(value)} / ${limit === 0 ? t('limit.none') : format(limit)}`;
  const size = (value: number): string => bytes(value * mb);
  return (
    <>
      <Loaded query={node} rows={5}>
        {(data) => {
          const { allocated } = data;
          const memory = limitOf(data.memory, data.memory_overallocate);
          const disk = limitOf(data.disk, data.disk_overallocate);
          return (
            <>
              <NodeTrouble node={data} />
              {data.maintenance_mode ? <Note>{t('staff.maintenance')}</Note> : null}
              <Card title={t('staff.capacity')}>
                <Meter
                  label={t('resource.memory')}
                  value={allocated.memory}
                  limit={memory}
                  text={usage(allocated.memory, memory, size)}
                />
                <Meter
                  label={t('resource.disk')}
                  value={allocated.disk}
                  limit={disk}
                  text={usage(allocated.disk, disk, size)}
                />
                <Meter
                  label={t('resource.cpu')}
                  value={allocated.cpu}
                  limit={data.cpu}
                  text={usage(allocated.cpu, data.cpu, (percent) => `${number(percent)} %`)}
                />
              </Card>
              <Card>
                <Facts
                  facts={[
                    [t('staff.fqdn'), <CopyText key="fqdn" text={data.fqdn} />],
                    [t('staff.runtime'), data.runtime],
                    [t('staff.engine'), data.engine.url || '–'],
                    [t('staff.files-address'), data.files_address],
                    [t('staff.data-root'), <code key="root">{data.data_root}</code>],
                    [t('staff.data-root-id'), <code key="root-id">{data.data_root_id ?? '–'}</code>],
                    [t('staff.tags'), data.tags.join(', ') || '–'],
                    [
                      t('staff.last-seen'),
                      <span key="seen" title={date(data.last_seen_at)}>
                        {relative(data.last_seen_at)}
                      </span>,
                    ],
                  ]}
                />
              </Card>
              {data.unknown_instances.length > 0 ? (
                <Note kind="warning">
                  <p>{t('staff.unknown-instances')}</p>
                  <code>{data.unknown_instances.join(' ')}</code>
                </Note>
              ) : null}
            </>
          );
        }}
      </Loaded>
      <Below isReady={!node.isPending}>
        <Card title={t('staff.runs-here')}>
          <ResourceTable
            label={t('staff.runs-here')}
            queryKey={['staff', 'servers', 'of-node', id]}
            read={async (client, query) => client.get('/admin/servers', { query: { ...query, node_id: id } })}
            hasSearch
            empty={t('staff.nothing-runs-here')}
            idOf={(server) => server.id}
            columns={[
              {
                label: t('field.name'),
                cell: (server) => <Link to={`/servers/${server.id}`}>{server.name}</Link>,
                isName: true,
              },
              { label: t('field.status'), cell: ({ status }) => <Status value={status} /> },
              { label: t('server.game'), cell: ({ egg }) => egg?.name ?? '–' },
              {
                label: t('server.address'),
                cell: ({ allocation }) => (allocation ? hostPort(allocation.ip, allocation.port) : '–'),
              },
              { label: t('resource.memory'), cell: ({ limits }) => size(limits.memory), isNumber: true },
            ]}
          />
        </Card>
        {node.data ? (
          <Suspense fallback={null}>
            <NodeGraphs node={node.data} />
          </Suspense>
        ) : null}
      </Below>
    </>
  );
}

function NodeTrouble({ node: { id, status_reason, problem } }: { readonly node: Node }) {
  const i18n = useI18n();
  const { t } = i18n;
  if (status_reason === null) return null;
  if (problem !== olderDatabase) {
    return (
      <Note kind="warning">
        <p>{nodeProblemText(problem, i18n)}</p>
        <PanelWords>{status_reason}</PanelWords>
      </Note>
    );
  }
  return (
    <Note kind="warning">
      <p>{t('node-report.older')}</p>
      <Link to={`/staff/nodes/${id}/report`} className="button">
        {t('node-report.open')}
      </Link>
    </Note>
  );
}
