import { useState } from 'react';
import type { Role } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useStaffRights } from '../api/queries.js';
import { newKey, useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { FormDialog, wordsOf } from '../ui/form-dialog.js';
import type { FormValues } from '../ui/form.js';
import { Menu } from '../ui/menu.js';
import { Page } from '../ui/page.js';
import { ResourceTable } from '../ui/table.js';

const stale = [['staff', 'roles']];

export function RolesPage() {
  const { t } = useI18n();
  const { may } = useStaffRights();
  const [edited, setEdited] = useState<Role | 'new' | null>(null);
  const { confirm, dialog } = useConfirm();
  const why = (right: string) => !may(right) && t('staff.why', { right });
  const remove = useChange(async (client, id: string) => client.delete('/admin/roles/{id}', { params: { id } }), stale);
  const askToRemove = (removing: Role) =>
    confirm({
      title: removing.name,
      text: t('action.delete-role-text'),
      action: t('action.remove'),
      onConfirm: async () => remove.mutateAsync(removing.id),
    });
  return (
    <Page
      title={t('nav.roles')}
      actions={
        <Button kind="primary" why={why('roles.create')} onClick={() => setEdited('new')}>
          {t('staff.create-role')}
        </Button>
      }
    >
      <ResourceTable
        label={t('nav.roles')}
        queryKey={['staff', 'roles']}
        read={async (client, query) => client.get('/admin/roles', { query })}
        empty={t('staff.no-roles')}
        idOf={({ id }) => id}
        columns={[
          { label: t('field.name'), cell: ({ name }) => name, isName: true },
          { label: t('field.permissions'), cell: ({ permissions }) => <code>{permissions.join(' ') || '–'}</code> },
          { label: t('nav.users'), cell: ({ users_count }) => users_count, isNumber: true },
          { label: t('staff.multiplier'), cell: ({ rate_limit_multiplier }) => rate_limit_multiplier, isNumber: true },
        ]}
        actions={(role) => (
          <Menu
            label={t('servers.actions', { name: role.name })}
            items={[
              { label: t('action.edit'), why: why('roles.update'), act: () => setEdited(role) },
              {
                label: t('action.remove'),
                isDanger: true,
                why: why('roles.delete') || (role.system && t('staff.system-role')),
                act: () => askToRemove(role),
              },
            ]}
          />
        )}
      />
      {edited ? <RoleDialog role={edited === 'new' ? null : edited} onClose={() => setEdited(null)} /> : null}
      {dialog}
    </Page>
  );
}

function RoleDialog({ role, onClose }: { readonly role: Role | null; readonly onClose: () => void }) {
  const { t } = useI18n();
  const [key] = useState(newKey);
  const save = useChange(async (client, values: FormValues): Promise<unknown> => {
    const body = {
      name: String(values.name),
      description: String(values.description),
      permissions: wordsOf(values.permissions),
      rate_limit_multiplier: Number(values.rate_limit_multiplier),
    };
    if (role) return client.put('/admin/roles/{id}', { params: { id: role.id }, body });
    return client.post('/admin/roles', { body, idempotencyKey: key });
  }, stale);
  return (
    <FormDialog
      title={role?.name ?? t('staff.create-role')}
      action={role ? t('action.save') : t('staff.create-role')}
      onClose={onClose}
      onSubmit={save.mutateAsync}
      fields={[
        {
          name: 'name',
          label: t('field.name'),
          value: role?.name ?? '',
          isRequired: true,
          isReadOnly: role?.system ?? false,
        },
        {
          name: 'rate_limit_multiplier',
          label: t('staff.multiplier'),
          type: 'number',
          value: role?.rate_limit_multiplier ?? 1,
          isRequired: true,
        },
        { name: 'description', label: t('field.description'), type: 'area', value: role?.description ?? '' },
        {
          name: 'permissions',
          label: t('field.permissions'),
          type: 'area',
          value: role?.permissions.join(' ') ?? '',
          hint: t('staff.permissions-hint'),
        },
      ]}
    />
  );
}
