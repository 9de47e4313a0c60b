import { useState } from 'react';
import type { DatabaseHost } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useStaffRights } from '../api/queries.js';
import { useChange, useCreate, useData } from '../api/use-data.js';
import { hostPort } from '../ui/address.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { Dialog } from '../ui/dialog.js';
import { FormDialog, textOf } from '../ui/form-dialog.js';
import type { Field, FormValues } from '../ui/form.js';
import { Menu } from '../ui/menu.js';
import { Facts, Page } from '../ui/page.js';
import { ErrorNote, Loaded, Note, PanelWords } from '../ui/states.js';
import { Status } from '../ui/status.js';
import { ResourceTable } from '../ui/table.js';
import { useNodeChoices } from './choices.js';

const stale = [['staff', 'database-hosts']];

export function DatabaseHosts() {
  const { t } = useI18n();
  const { may } = useStaffRights();
  const [edited, setEdited] = useState<DatabaseHost | 'new' | null>(null);
  const [compared, setCompared] = useState<DatabaseHost | null>(null);
  const { confirm, dialog } = useConfirm();
  const why = (right: string) => !may(right) && t('staff.why', { right });
  const remove = useChange(
    async (client, { id, force }: { readonly id: string; readonly force: boolean }) =>
      client.delete('/admin/database-hosts/{id}', { params: { id }, query: force ? { force: 'true' } : {} }),
    stale,
  );
  const askToRemove = ({ id, name, databases_count: count }: DatabaseHost) => {
    const force = count > 0;
    confirm({
      title: force ? t('hosts.remove-lost') : t('hosts.remove'),
      text: force ? t('hosts.remove-lost-text', { count }) : t('hosts.remove-text'),
      action: force ? t('hosts.remove-lost') : t('action.remove'),
      typed: name,
      onConfirm: async () => remove.mutateAsync({ id, force }),
    });
  };
  return (
    <Page
      title={t('nav.database-hosts')}
      actions={
        <Button kind="primary" why={why('nodes.create')} onClick={() => setEdited('new')}>
          {t('hosts.add')}
        </Button>
      }
    >
      <ResourceTable
        label={t('nav.database-hosts')}
        queryKey={['staff', 'database-hosts']}
        read={async (client, query) => client.get('/admin/database-hosts', { query })}
        hasSearch
        empty={t('hosts.none')}
        idOf={({ id }) => id}
        columns={[
          { label: t('field.name'), cell: ({ name }) => name, isName: true },
          {
            label: t('field.status'),
            cell: ({ reachable, error }) => (
              <>
                <Status value={reachable ? 'online' : 'offline'} />
                {error === null ? null : (
                  <>
                    <p className="problem">{t('hosts.check-failed')}</p>
                    <PanelWords>{error}</PanelWords>
                  </>
                )}
              </>
            ),
          },
          { label: t('server.address'), cell: ({ host, port }) => <code>{hostPort(host, port)}</code> },
          {
            label: t('field.engine'),
            cell: ({ engine, version }) => (
              <>
                {t(`engine.${engine}`)}
                <p className="faint">{version}</p>
              </>
            ),
          },
          {
            label: t('staff.databases'),
            cell: ({ databases_count, max_databases }) => `${databases_count} / ${max_databases ?? '∞'}`,
            isNumber: true,
          },
        ]}
        actions={(host) => (
          <Menu
            label={t('servers.actions', { name: host.name })}
            items={[
              { label: t('action.edit'), why: why('nodes.update'), act: () => setEdited(host) },
              { label: t('hosts.compare'), act: () => setCompared(host) },
              {
                label: host.databases_count > 0 ? t('hosts.remove-lost') : t('action.remove'),
                isDanger: true,
                why: why('nodes.delete'),
                act: () => askToRemove(host),
              },
            ]}
          />
        )}
      />
      {edited ? <HostDialog host={edited === 'new' ? null : edited} onClose={() => setEdited(null)} /> : null}
      {compared ? <HostReport host={compared} onClose={() => setCompared(null)} /> : null}
      {dialog}
    </Page>
  );
}

function useHostFields(host: DatabaseHost | null, nodes: ReturnType<typeof useNodeChoices>['list']): readonly Field[] {
  const { t } = useI18n();
  const engines = (['mysql', 'postgresql'] as const).map((value) => ({ value, label: t(`engine.${value}`) }));
  return [
    { name: 'name', label: t('field.name'), value: host?.name ?? '', isRequired: true, maxLength: 191 },
    ...(host
      ? []
      : [{ name: 'engine', label: t('field.engine'), type: 'select' as const, options: engines, isRequired: true }]),
    { name: 'host', label: t('staff.fqdn'), value: host?.host ?? '', isRequired: true },
    {
      name: 'port',
      label: t('hosts.port'),
      type: 'number',
      value: host?.port ?? '',
      min: 1,
      max: 65535,
      hint: t('hosts.port-hint'),
    },
    {
      name: 'username',
      label: t('field.username'),
      value: host?.username ?? '',
      isRequired: true,
      autoComplete: 'off',
    },
    {
      name: 'password',
      label: t('field.password'),
      type: 'password',
      isRequired: host === null,
      autoComplete: 'new-password',
      ...(host ? { hint: t('staff.password-keep') } : {}),
    },
    {
      name: 'max_databases',
      label: t('hosts.max-databases'),
      type: 'number',
      value: host?.max_databases ?? '',
      min: 1,
      hint: t('hosts.unlimited-hint'),
    },
    {
      name: 'max_connections',
      label: t('hosts.max-connections'),
      type: 'number',
      value: host?.max_connections ?? 0,
      min: 0,
      hint: t('hosts.max-connections-hint'),
    },
    ...nodes.map(({ value, label }) => ({
      name: `node ${value}`,
      label: t('hosts.node', { name: label }),
      type: 'check' as const,
      value: host?.node_ids.includes(value) ?? false,
    })),
  ];
}

function HostDialog({ host, onClose }: { readonly host: DatabaseHost | null; readonly onClose: () => void }) {
  const { t } = useI18n();
  const nodes = useNodeChoices();
  const fields = useHostFields(host, nodes.list);
  const save = useCreate(async (client, values: FormValues, idempotencyKey): Promise<unknown> => {
    const password = textOf(values.password);
    const port = textOf(values.port);
    const max = textOf(values.max_databases);
    const shown = fields.filter(({ name }) => name.startsWith('node ')).map(({ name }) => name.slice('node '.length));
    const body = {
      name: String(values.name),
      host: String(values.host),
      username: String(values.username),
      max_databases: max === undefined ? null : Number(max),
      max_connections: Number(values.max_connections),
      node_ids: [
        ...(host?.node_ids.filter((id) => !shown.includes(id)) ?? []),
        ...shown.filter((id) => values[`node ${id}`] === true),
      ],
      ...(port === undefined ? {} : { port: Number(port) }),
    };
    if (host) {
      const changes = { ...body, ...(password === undefined ? {} : { password }) };
      return client.put('/admin/database-hosts/{id}', { params: { id: host.id }, body: changes });
    }
    const engine = values.engine === 'postgresql' ? ('postgresql' as const) : ('mysql' as const);
    return client.post('/admin/database-hosts', {
      body: { ...body, engine, password: password ?? '' },
      idempotencyKey,
    });
  }, stale);
  return (
    <FormDialog
      isLoading={nodes.isLoading}
      title={host?.name ?? t('hosts.add')}
      action={host ? t('action.save') : t('hosts.add')}
      fields={fields}
      onClose={onClose}
      onSubmit={save.mutateAsync}
    >
      <p className="faint">{t('hosts.nodes-hint')}</p>
    </FormDialog>
  );
}

/** A fresh comparison of a host with the panel's records. */
function HostReport({ host, onClose }: { readonly host: DatabaseHost; readonly onClose: () => void }) {
  const { t, date } = useI18n();
  const report = useData(
    ['staff', 'database-hosts', host.id, 'report'],
    async (client) =>
      (await client.get('/admin/database-hosts/{id}/report', { params: { id: host.id }, query: { fresh: 'true' } }))
        .data,
    { staleTime: 0 },
  );
  const list = (names: readonly string[]) => (names.length === 0 ? '–' : <code>{names.join(' ')}</code>);
  return (
    <Dialog title={`${host.name}: ${t('hosts.compare')}`} onClose={onClose}>
      {report.error && report.data ? <ErrorNote error={report.error} /> : null}
      <Loaded query={report}>
        {({ orphan_databases, orphan_users, missing_databases, error, checked_at }) => {
          const isEqual = orphan_databases.length + orphan_users.length + missing_databases.length === 0;
          return (
            <>
              {error === null ? null : (
                <Note kind="warning">
                  <p>{t('hosts.comparison-failed')}</p>
                  <PanelWords>{error}</PanelWords>
                </Note>
              )}
              {isEqual && error === null ? <Note>{t('hosts.equal')}</Note> : null}
              <Facts
                facts={[
                  [t('hosts.orphan-databases'), list(orphan_databases)],
                  [t('hosts.orphan-users'), list(orphan_users)],
                  [t('hosts.missing'), list(missing_databases)],
                  [t('activity.when'), date(checked_at)],
                ]}
              />
              <p className="faint">{t('hosts.orphans-hint')}</p>
            </>
          );
        }}
      </Loaded>
      <div className="actions">
        <Button onClick={onClose}>{t('action.close')}</Button>
      </div>
    </Dialog>
  );
}
