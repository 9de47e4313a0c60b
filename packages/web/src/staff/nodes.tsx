import { useState } from 'react';
import type { Allocation, Node } from '@panel/client';
import { Link } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { useStaffRights } from '../api/queries.js';
import { newKey, useChange } from '../api/use-data.js';
import { hostPort } from '../ui/address.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { Dialog } from '../ui/dialog.js';
import { FormDialog, textOf, wordsOf } from '../ui/form-dialog.js';
import { type Field, Form, type FormValues } from '../ui/form.js';
import { Menu } from '../ui/menu.js';
import { Page } from '../ui/page.js';
import { Note, PanelWords } from '../ui/states.js';
import { nodeProblemText } from './node-problem.js';
import { Meter, Status } from '../ui/status.js';
import { ResourceTable } from '../ui/table.js';

const stale = [
  ['staff', 'nodes'],
  ['staff', 'overview'],
];
const mb = 1024 ** 2;

export function NodesPage() {
  const i18n = useI18n();
  const { t, bytes } = i18n;
  const { may } = useStaffRights();
  const [edited, setEdited] = useState<Node | 'new' | null>(null);
  const [addresses, setAddresses] = useState<Node | null>(null);
  const { confirm, dialog } = useConfirm();
  const why = (right: string) => !may(right) && t('staff.why', { right });
  const remove = useChange(async (client, id: string) => client.delete('/admin/nodes/{id}', { params: { id } }), stale);
  const askToRemove = (removing: Node) =>
    confirm({
      title: t('staff.delete-node'),
      text: t('staff.delete-node-text'),
      action: t('action.remove'),
      typed: removing.name,
      onConfirm: async () => remove.mutateAsync(removing.id),
    });
  return (
    <Page
      title={t('nav.nodes')}
      actions={
        <Button kind="primary" why={why('nodes.create')} onClick={() => setEdited('new')}>
          {t('staff.create-node')}
        </Button>
      }
    >
      <ResourceTable
        label={t('nav.nodes')}
        queryKey={['staff', 'nodes']}
        read={async (client, query) => client.get('/admin/nodes', { query })}
        hasSearch
        isInProgress={({ status }) => status !== 'online'}
        empty={t('staff.no-nodes')}
        idOf={({ id }) => id}
        columns={[
          {
            label: t('field.name'),
            cell: ({ id, name }) => <Link to={`/staff/nodes/${id}`}>{name}</Link>,
            isName: true,
          },
          {
            label: t('field.status'),
            cell: ({ status, status_reason, problem }) => (
              <>
                <Status value={status} />
                {status_reason === null ? null : <p className="faint">{nodeProblemText(problem, i18n)}</p>}
              </>
            ),
          },
          { label: t('staff.runtime'), cell: ({ runtime }) => runtime },
          { label: t('nav.all-servers'), cell: ({ allocated }) => allocated.servers, isNumber: true },
          {
            label: t('resource.memory'),
            cell: ({ allocated, memory }) => (
              <Meter
                label={t('resource.memory')}
                value={allocated.memory}
                limit={memory}
                isNamed
                text={`${bytes(allocated.memory * mb)} / ${bytes(memory * mb)}`}
              />
            ),
          },
        ]}
        actions={(node) => (
          <Menu
            label={t('servers.actions', { name: node.name })}
            items={[
              { label: t('action.edit'), why: why('nodes.update'), act: () => setEdited(node) },
              { label: t('staff.addresses'), why: why('allocations.view'), act: () => setAddresses(node) },
              {
                label: t('action.remove'),
                isDanger: true,
                why: why('nodes.delete') || (node.allocated.servers > 0 && t('staff.node-in-use')),
                act: () => askToRemove(node),
              },
            ]}
          />
        )}
      />
      {edited ? <NodeDialog node={edited === 'new' ? null : edited} onClose={() => setEdited(null)} /> : null}
      {addresses ? <Addresses node={addresses} onClose={() => setAddresses(null)} /> : null}
      {dialog}
    </Page>
  );
}

function nodeFields(node: Node | null, t: ReturnType<typeof useI18n>['t']): Field[] {
  const runtimes = ['docker', 'process'].map((value) => ({ value, label: value }));
  return [
    { name: 'name', label: t('field.name'), value: node?.name ?? '', isRequired: true },
    { name: 'fqdn', label: t('staff.fqdn'), value: node?.fqdn ?? '', isRequired: true },
    ...(node
      ? []
      : [{ name: 'runtime', label: t('staff.runtime'), type: 'select' as const, options: runtimes, value: 'docker' }]),
    {
      name: 'engine',
      label: t('staff.engine'),
      value: node?.engine.url ?? 'unix:///var/run/docker.sock',
      hint: t('staff.engine-hint'),
    },
    { name: 'files_address', label: t('staff.files-address'), value: node?.files_address ?? '', isRequired: true },
    { name: 'data_root', label: t('staff.data-root'), value: node?.data_root ?? '', isRequired: true },
    {
      name: 'memory',
      label: t('staff.memory-mb'),
      type: 'number',
      value: node?.memory ?? 16384,
      isRequired: true,
      min: 1,
    },
    { name: 'disk', label: t('staff.disk-mb'), type: 'number', value: node?.disk ?? 200000, isRequired: true, min: 1 },
    {
      name: 'emulated_platforms',
      label: t('staff.emulated-platforms'),
      value: node?.emulated_platforms.join(' ') ?? '',
      hint: t('staff.emulated-platforms-hint'),
    },
    { name: 'tags', label: t('staff.tags'), value: node?.tags.join(' ') ?? '' },
    { name: 'maintenance_mode', label: t('staff.maintenance'), type: 'check', value: node?.maintenance_mode ?? false },
  ];
}

function NodeDialog({ node, onClose }: { readonly node: Node | null; readonly onClose: () => void }) {
  const { t } = useI18n();
  const [key] = useState(newKey);
  const save = useChange(async (client, values: FormValues): Promise<unknown> => {
    const engine = textOf(values.engine);
    const isDocker = (node?.runtime ?? values.runtime) === 'docker';
    const body = {
      name: String(values.name),
      fqdn: String(values.fqdn),
      files_address: String(values.files_address),
      data_root: String(values.data_root),
      memory: Number(values.memory),
      disk: Number(values.disk),
      emulated_platforms: wordsOf(values.emulated_platforms),
      tags: wordsOf(values.tags),
      maintenance_mode: values.maintenance_mode === true,
      ...(isDocker && engine !== undefined ? { engine: { url: engine } } : {}),
    };
    if (node) return client.put('/admin/nodes/{id}', { params: { id: node.id }, body });
    const runtime = values.runtime === 'process' ? 'process' : 'docker';
    return client.post('/admin/nodes', { body: { ...body, runtime }, idempotencyKey: key });
  }, stale);
  return (
    <FormDialog
      title={node?.name ?? t('staff.create-node')}
      action={node ? t('action.save') : t('staff.create-node')}
      fields={nodeFields(node, t)}
      onClose={onClose}
      onSubmit={save.mutateAsync}
    />
  );
}

function Addresses({ node, onClose }: { readonly node: Node; readonly onClose: () => void }) {
  const { t } = useI18n();
  const { id } = node;
  const { may } = useStaffRights();
  const { confirm, dialog } = useConfirm();
  const own = [['staff', 'allocations', id]];
  const create = useChange(
    async (client, body: { ip: string; alias?: string; ports: string[] }) =>
      client.post('/admin/nodes/{id}/allocations', { params: { id }, body, idempotencyKey: newKey() }),
    own,
  );
  const remove = useChange(
    async (client, alloc_id: string) =>
      client.delete('/admin/nodes/{id}/allocations/{alloc-id}', { params: { id, alloc_id } }),
    own,
  );
  const askToRemove = (allocation: Allocation) =>
    confirm({
      title: t('network.remove'),
      text: t('staff.address-remove-text', { address: hostPort(allocation.ip, allocation.port), node: node.name }),
      action: t('action.remove'),
      onConfirm: async () => remove.mutateAsync(allocation.id),
    });
  return (
    <Dialog title={`${node.name}: ${t('staff.addresses')}`} size="large" onClose={onClose}>
      <Form
        fields={[
          {
            name: 'ip',
            label: t('field.ip'),
            isRequired: true,
            hint: [t('staff.ip-hint'), node.addresses.join(', ')].filter(Boolean).join(' '),
          },
          { name: 'ports', label: t('staff.ports'), isRequired: true, hint: t('staff.ports-hint') },
          { name: 'alias', label: t('staff.alias'), hint: t('staff.alias-hint') },
        ]}
        action={t('network.add')}
        why={!may('allocations.create') && t('staff.why', { right: 'allocations.create' })}
        onSubmit={async ({ ip, ports, alias }) => {
          const named = textOf(alias);
          await create.mutateAsync({
            ip: String(ip),
            ports: wordsOf(ports),
            ...(named === undefined ? {} : { alias: named }),
          });
        }}
      />
      <ResourceTable
        label={t('staff.addresses')}
        queryKey={['staff', 'allocations', id]}
        read={async (client, query) => client.get('/admin/nodes/{id}/allocations', { params: { id }, query })}
        empty={t('staff.no-addresses')}
        idOf={(allocation) => allocation.id}
        columns={[
          { label: t('server.address'), cell: ({ ip, port }) => <code>{hostPort(ip, port)}</code>, isName: true },
          { label: t('staff.alias'), cell: ({ alias }) => alias ?? '–' },
          {
            label: t('field.status'),
            cell: ({ assigned, warning }) => (
              <>
                {assigned ? t('staff.assigned') : t('staff.free')}
                {warning === null ? null : (
                  <Note kind="warning">
                    <p>{t('staff.address-warning')}</p>
                    <PanelWords>{warning}</PanelWords>
                  </Note>
                )}
              </>
            ),
          },
        ]}
        actions={(allocation) => (
          <Button why={allocation.assigned && t('staff.assigned')} onClick={() => askToRemove(allocation)}>
            {t('action.remove')}
          </Button>
        )}
      />
      {dialog}
    </Dialog>
  );
}
