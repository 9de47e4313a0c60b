import type { Node } from '@panel/client';
import { useLocation } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { refusedField } from '../api/errors.js';
import { useAccount } from '../api/queries.js';
import { useCreate } from '../api/use-data.js';
import { FormDialog } from '../ui/form-dialog.js';
import type { FormValues } from '../ui/form.js';
import { Note } from '../ui/states.js';
import { useEggChoices, useFreeAddressChoices, useUserSuggestions } from './choices.js';
import { limitsOf, useLimitFields } from './limit-fields.js';
import { runSettingsOf, useRunSettingsFields } from './run-settings.js';

const stale = [['staff', 'servers'], ['staff', 'nodes'], ['staff', 'allocations'], ['servers']];

interface CreateServerProps {
  /** Files of no server on a node: they stay as they are, and nothing is installed. */
  readonly adopted?: { readonly serverId: string; readonly node: Pick<Node, 'id' | 'name'> };
  readonly onClose: () => void;
}

/** A new server is opened, an adopted one is not. */
export function CreateServer({ adopted, onClose }: CreateServerProps) {
  const { t } = useI18n();
  const account = useAccount();
  const users = useUserSuggestions();
  const eggs = useEggChoices();
  const addresses = useFreeAddressChoices(adopted?.node.id ?? null);
  const [, navigate] = useLocation();
  const settings = useRunSettingsFields();
  const limits = useLimitFields([1024, 5120, 100, 0, 2, 1]);
  const create = useCreate(async (client, values: FormValues, idempotencyKey) => {
    const email = String(values.owner).trim();
    const [owner] = (await client.get('/admin/users', { query: { email } })).data;
    if (!owner) throw refusedField('owner', t('staff.no-such-user'));
    const body = {
      ...limitsOf(values),
      ...runSettingsOf(values),
      name: String(values.name),
      user_id: owner.id,
      egg_id: String(values.egg_id),
      ...(adopted
        ? { node_id: adopted.node.id, allocation_id: String(values.allocation_id), adopted_id: adopted.serverId }
        : { start_on_completion: values.start_on_completion === true }),
    };
    return (await client.post('/admin/servers', { body, idempotencyKey })).data;
  }, stale);
  const title = adopted ? t('node-report.adopt-files') : t('staff.create-server');
  return (
    <FormDialog
      staysOpen={adopted === undefined}
      isLoading={account.isPending || eggs.isLoading || addresses.isLoading}
      title={title}
      action={title}
      why={adopted !== undefined && addresses.list.length === 0 && t('node-report.no-free-address')}
      onClose={onClose}
      fields={[
        { name: 'name', label: t('field.name'), isRequired: true, maxLength: 191 },
        {
          name: 'owner',
          label: t('staff.owner'),
          type: 'suggest',
          options: users.list,
          onType: users.search,
          value: account.data?.email ?? '',
          isRequired: true,
        },
        { name: 'egg_id', label: t('server.game'), type: 'select', options: eggs.list, isRequired: true },
        ...(adopted
          ? [
              {
                name: 'allocation_id',
                label: t('server.address'),
                type: 'select' as const,
                options: addresses.list,
                isRequired: true,
              },
            ]
          : []),
        ...limits,
        ...settings,
        ...(adopted
          ? []
          : [
              {
                name: 'start_on_completion',
                label: t('staff.start-on-completion'),
                type: 'check' as const,
                value: true,
              },
            ]),
      ]}
      onSubmit={async (values) => {
        const { id } = await create.mutateAsync(values);
        if (!adopted) navigate(`/servers/${id}`);
      }}
    >
      {adopted ? <Note>{t('node-report.adopt-text', { id: adopted.serverId, node: adopted.node.name })}</Note> : null}
    </FormDialog>
  );
}
