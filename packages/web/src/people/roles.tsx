import { useState } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { SubuserRole } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useChange, useCreate } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { FormDialog } from '../ui/form-dialog.js';
import { Menu } from '../ui/menu.js';
import { Card } from '../ui/page.js';
import { Loaded } from '../ui/states.js';
import { Table } from '../ui/table.js';
import { useServer } from '../server/server-context.js';
import { roleName } from './access-dialog.js';
import { PermissionChoice } from './permission-choice.js';
import { knownPermissions, type ServerPermission } from './permissions.js';

export function Roles({ query }: { readonly query: UseQueryResult<SubuserRole[]> }) {
  const { t } = useI18n();
  const { id, why } = useServer();
  const [edited, setEdited] = useState<SubuserRole | 'new' | null>(null);
  const { confirm, dialog } = useConfirm();
  const remove = useChange(
    async (client, role_id: string) =>
      client.delete('/servers/{id}/subuser-roles/{role-id}', { params: { id, role_id } }),
    [['server', id, 'subuser-roles']],
  );
  const builtIn = ({ built_in }: SubuserRole) => built_in && t('people.role-built-in');
  const askToRemove = (removing: SubuserRole) =>
    confirm({
      title: removing.name,
      text: t('action.delete-role-text'),
      action: t('action.remove'),
      onConfirm: async () => remove.mutateAsync(removing.id),
    });
  return (
    <Card
      title={t('people.roles')}
      actions={
        <Button why={why('user.create')} onClick={() => setEdited('new')}>
          {t('people.role-create')}
        </Button>
      }
    >
      <Loaded query={query}>
        {(roles) => (
          <Table
            label={t('people.roles')}
            items={roles}
            idOf={(role) => role.id}
            columns={[
              { label: t('field.name'), cell: (role) => roleName(role, t), isName: true },
              {
                label: t('field.permissions'),
                cell: ({ permissions }) => t('people.permission-count', { count: permissions.length }),
              },
            ]}
            actions={(role) => (
              <Menu
                label={t('servers.actions', { name: roleName(role, t) })}
                items={[
                  { label: t('action.edit'), why: why('user.update') ?? builtIn(role), act: () => setEdited(role) },
                  {
                    label: t('action.remove'),
                    isDanger: true,
                    why: why('user.delete') ?? builtIn(role),
                    act: () => askToRemove(role),
                  },
                ]}
              />
            )}
          />
        )}
      </Loaded>
      {edited ? <RoleDialog role={edited === 'new' ? null : edited} onClose={() => setEdited(null)} /> : null}
      {dialog}
    </Card>
  );
}

function RoleDialog({ role, onClose }: { readonly role: SubuserRole | null; readonly onClose: () => void }) {
  const { t } = useI18n();
  const { id } = useServer();
  const [permissions, setPermissions] = useState<readonly ServerPermission[]>(
    knownPermissions(role?.permissions ?? ['websocket.connect']),
  );
  const save = useCreate(
    async (client, body: { name: string; permissions: ServerPermission[] }, idempotencyKey): Promise<unknown> => {
      if (!role) return client.post('/servers/{id}/subuser-roles', { params: { id }, body, idempotencyKey });
      const params = { id, role_id: role.id };
      return client.put('/servers/{id}/subuser-roles/{role-id}', { params, body });
    },
    [
      ['server', id, 'subuser-roles'],
      ['server', id, 'subusers'],
    ],
  );
  return (
    <FormDialog
      title={role?.name ?? t('people.role-create')}
      size="large"
      action={role ? t('action.save') : t('people.role-create')}
      onClose={onClose}
      fields={[{ name: 'name', label: t('field.name'), value: role?.name ?? '', isRequired: true, maxLength: 64 }]}
      onSubmit={async ({ name }) => save.mutateAsync({ name: String(name), permissions: [...permissions] })}
    >
      {(problems) => (
        <PermissionChoice chosen={permissions} problems={problems.permissions} onChange={setPermissions} />
      )}
    </FormDialog>
  );
}
