import type { Node, NodeReport as Report } from '@panel/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useI18n } from '../../i18n/i18n.js';
import { ApiError } from '../../api/errors.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { CopyText } from '../../ui/copy.js';
import { Card } from '../../ui/page.js';
import { Empty, ErrorNote, Loaded, Note } from '../../ui/states.js';
import { type Column, Table } from '../../ui/table.js';
import { useNodeChoices } from '../choices.js';
import {
  decisions,
  type Difference,
  type DifferenceKind,
  differencesOf,
  isCutOff,
  kinds,
  maxListed,
} from './differences.js';
import { OlderDatabase } from './older-database.js';
import { useDecisions } from './use-decisions.js';

/** The panel compares when it is opened, when asked, and after each decision. */
export function NodeReport({ node }: { readonly node: Node }) {
  const { t, time } = useI18n();
  const report = useData(
    ['staff', 'nodes', 'report', node.id],
    async (client) => (await client.get('/admin/nodes/{id}/report', { params: { id: node.id } })).data,
    { staleTime: 0 },
  );
  const isAway = report.error instanceof ApiError && report.error.status === 503;
  return (
    <>
      <div className="toolbar">
        <Button isBusy={report.isFetching} onClick={() => void report.refetch()}>
          {t('node-report.compare')}
        </Button>
        {report.data ? (
          <p className="faint" role="status">
            {t('node-report.compared', { time: time(report.dataUpdatedAt) })}
          </p>
        ) : null}
      </div>
      {isAway ? <Note kind="warning">{t('node-report.away', { node: node.name })}</Note> : null}
      {report.error && report.data ? <ErrorNote error={report.error} /> : null}
      <Loaded query={report} rows={4}>
        {(data) => <Found node={node} report={data} />}
      </Loaded>
    </>
  );
}

function Found({ node, report }: { readonly node: Node; readonly report: Report }) {
  const { t, number } = useI18n();
  const { decide, why, dialog } = useDecisions(node, report.database_is_older);
  const differences = differencesOf(report);
  const found = kinds.filter((kind) => differences[kind].length > 0);
  return (
    <>
      {report.database_is_older ? <OlderDatabase node={node} differences={differences} /> : null}
      {isCutOff(report) ? <Note>{t('node-report.more', { count: number(maxListed) })}</Note> : null}
      {found.length === 0 ? <Empty text={t('node-report.none')} /> : null}
      {found.map((kind) => (
        <Section
          key={kind}
          kind={kind}
          items={differences[kind]}
          actions={(difference) => (
            <span className="row">
              {decisions[kind].map((decision) => (
                <Button key={decision} why={why(decision)} onClick={() => decide(decision, difference)}>
                  {t(`node-report.${decision}`)}
                </Button>
              ))}
            </span>
          )}
        />
      ))}
      {dialog}
    </>
  );
}

interface SectionProps {
  readonly kind: DifferenceKind;
  readonly items: readonly Difference[];
  readonly actions: (difference: Difference) => ReactNode;
}

function Section({ kind, items, actions }: SectionProps) {
  const { t } = useI18n();
  const columns = useColumns(kind);
  const title = t(`node-report.kind-${kind}`);
  return (
    <Card title={title}>
      <p>{t(`node-report.about-${kind}`)}</p>
      <Table
        label={title}
        items={items}
        idOf={({ serverId }) => serverId}
        columns={columns}
        {...(decisions[kind].length > 0 ? { actions } : {})}
      />
    </Card>
  );
}

function useColumns(kind: DifferenceKind): readonly Column<Difference>[] {
  const { t, bytes } = useI18n();
  const id: Column<Difference> = { label: t('server.id'), cell: ({ serverId }) => <CopyText text={serverId} /> };
  const name: Column<Difference> = {
    label: t('field.name'),
    cell: ({ serverId, server }) => <Link to={`/servers/${serverId}`}>{server?.name ?? serverId}</Link>,
    isName: true,
  };
  const instance: Column<Difference> = {
    label: t('node-report.instance'),
    cell: ({ hasInstance }) => (hasInstance ? t('node-report.has-instance') : '–'),
  };
  const otherNode: Column<Difference> = {
    label: t('server.node'),
    cell: ({ server }) => (server ? <NodeName id={server.node_id} /> : '–'),
  };
  const size: Column<Difference> = {
    label: t('field.size'),
    cell: ({ sizeBytes }) => (sizeBytes === null ? '–' : bytes(sizeBytes)),
    isNumber: true,
  };
  const columns = {
    unknown: [id, size, instance],
    elsewhere: [name, otherNode, id, size],
    missing: [name, id],
    instance: [id],
  };
  return columns[kind];
}

function NodeName({ id }: { readonly id: string }) {
  const nodes = useNodeChoices();
  return <Link to={`/staff/nodes/${id}`}>{nodes.list.find(({ value }) => value === id)?.label ?? id}</Link>;
}
