import { useState } from 'react';
import type { AdminServer } from '@panel/client';
import { Link, useLocation } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { useStaffRights } from '../api/queries.js';
import { useChange } from '../api/use-data.js';
import { hostPort } from '../ui/address.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { FormDialog, textOf } from '../ui/form-dialog.js';
import type { FormValues } from '../ui/form.js';
import { Menu } from '../ui/menu.js';
import { Page } from '../ui/page.js';
import { useSearchParams } from '../ui/search-params.js';
import { Status } from '../ui/status.js';
import { ResourceTable } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { useNodeChoices } from './choices.js';
import { CreateServer } from './create-server.js';
import { limitsOf, useLimitFields } from './limit-fields.js';
import { runSettingsOf, useRunSettingsFields } from './run-settings.js';

const stale = [['staff', 'servers'], ['servers']];

const changingStatuses: ReadonlySet<AdminServer['status']> = new Set([
  'starting',
  'stopping',
  'installing',
  'reinstalling',
  'transferring',
  'restoring',
  'deleting',
]);

export function StaffServers() {
  const { t } = useI18n();
  const { may } = useStaffRights();
  const toasts = useToasts();
  const isAsked = useSearchParams()[0].has('create');
  const [, navigate] = useLocation();
  const [isCreating, setIsCreating] = useState(isAsked);
  const { confirm, dialog } = useConfirm();
  const [editing, setEditing] = useState<AdminServer | null>(null);
  const [moving, setMoving] = useState<AdminServer | null>(null);
  const why = (right: string) => !may(right) && t('staff.why', { right });
  const act = useChange(
    async (client, { id, action }: { id: string; action: 'suspend' | 'unsuspend' | 'reinstall' }) =>
      client.post(`/admin/servers/{id}/${action}`, { params: { id } }),
    stale,
  );
  const remove = useChange(
    async (client, id: string) => client.delete('/admin/servers/{id}', { params: { id } }),
    stale,
  );
  const askToSuspend = ({ id, name }: AdminServer) =>
    confirm({
      title: `${t('staff.suspend')}: ${name}`,
      text: t('billing.suspend-text'),
      action: t('staff.suspend'),
      onConfirm: async () => act.mutateAsync({ id, action: 'suspend' }),
    });
  const askToReinstall = ({ id, name }: AdminServer) =>
    confirm({
      title: t('settings.reinstall'),
      text: t('settings.reinstall-text'),
      action: t('settings.reinstall'),
      typed: name,
      onConfirm: async () => act.mutateAsync({ id, action: 'reinstall' }),
    });
  const askToRemove = (removing: AdminServer) =>
    confirm({
      title: t('staff.delete-server'),
      text: t('staff.delete-server-text'),
      action: t('action.remove'),
      typed: removing.name,
      onConfirm: async () => remove.mutateAsync(removing.id),
    });
  return (
    <Page
      title={t('nav.all-servers')}
      actions={
        <Button kind="primary" why={why('servers.create')} onClick={() => setIsCreating(true)}>
          {t('staff.create-server')}
        </Button>
      }
    >
      <ResourceTable
        label={t('nav.all-servers')}
        queryKey={['staff', 'servers']}
        read={async (client, query) => client.get('/admin/servers', { query })}
        hasSearch
        isInProgress={({ status }) => changingStatuses.has(status)}
        empty={t('staff.no-servers')}
        idOf={({ id }) => id}
        columns={[
          { label: t('field.name'), cell: ({ id, name }) => <Link to={`/servers/${id}`}>{name}</Link>, isName: true },
          { label: t('field.status'), cell: ({ status }) => <Status value={status} /> },
          { label: t('server.node'), cell: ({ node }) => node?.name ?? '–' },
          { label: t('server.game'), cell: ({ egg }) => egg?.name ?? '–' },
          {
            label: t('server.address'),
            cell: ({ allocation }) => (allocation ? hostPort(allocation.ip, allocation.port) : '–'),
          },
        ]}
        actions={(server) => (
          <Menu
            label={t('servers.actions', { name: server.name })}
            items={[
              { label: t('action.edit'), why: why('servers.update'), act: () => setEditing(server) },
              server.suspended
                ? {
                    label: t('staff.unsuspend'),
                    why: why('servers.suspend'),
                    act: () => act.mutate({ id: server.id, action: 'unsuspend' }, { onError: toasts.showError }),
                  }
                : { label: t('staff.suspend'), why: why('servers.suspend'), act: () => askToSuspend(server) },
              { label: t('settings.reinstall'), why: why('servers.reinstall'), act: () => askToReinstall(server) },
              { label: t('staff.transfer'), why: why('servers.transfer'), act: () => setMoving(server) },
              { label: t('action.remove'), isDanger: true, why: why('servers.delete'), act: () => askToRemove(server) },
            ]}
          />
        )}
      />
      {isCreating ? (
        <CreateServer
          onClose={() => {
            setIsCreating(false);
            if (isAsked) navigate('/staff/servers', { replace: true });
          }}
        />
      ) : null}
      {editing ? <EditServer server={editing} onClose={() => setEditing(null)} /> : null}
      {moving ? <MoveServer server={moving} onClose={() => setMoving(null)} /> : null}
      {dialog}
    </Page>
  );
}

interface ServerDialogProps {
  readonly server: AdminServer;
  readonly onClose: () => void;
}

function EditServer({ server, onClose }: ServerDialogProps) {
  const { t } = useI18n();
  const { limits, feature_limits } = server;
  const settings = useRunSettingsFields(server);
  const fields = useLimitFields([
    limits.memory,
    limits.disk,
    limits.cpu,
    feature_limits.databases,
    feature_limits.backups,
    feature_limits.allocations,
  ]);
  const change = useChange(
    async (client, values: FormValues) => {
      const body = {
        ...limitsOf(values),
        ...runSettingsOf(values),
        name: String(values.name),
        description: String(values.description),
      };
      return client.put('/admin/servers/{id}', { params: { id: server.id }, body });
    },
    [...stale, ['server', server.id]],
  );
  return (
    <FormDialog
      title={server.name}
      action={t('action.save')}
      onClose={onClose}
      fields={[
        { name: 'name', label: t('field.name'), value: server.name, isRequired: true },
        { name: 'description', label: t('field.description'), value: server.description, type: 'area' },
        ...fields,
        ...settings,
      ]}
      onSubmit={change.mutateAsync}
    />
  );
}

function MoveServer({ server, onClose }: ServerDialogProps) {
  const { t } = useI18n();
  const nodes = useNodeChoices();
  const move = useChange(
    async (client, node_id: string) =>
      client.post('/admin/servers/{id}/transfer', { params: { id: server.id }, body: { node_id } }),
    stale,
  );
  return (
    <FormDialog
      isLoading={nodes.isLoading}
      title={t('staff.transfer')}
      action={t('staff.transfer')}
      onClose={onClose}
      fields={[
        {
          name: 'node_id',
          label: t('server.node'),
          type: 'select',
          options: nodes.list.filter(({ value }) => value !== server.node_id),
          isRequired: true,
          hint: textOf(t('staff.transfer-hint')) ?? '',
        },
      ]}
      onSubmit={async ({ node_id }) => move.mutateAsync(String(node_id))}
    />
  );
}
