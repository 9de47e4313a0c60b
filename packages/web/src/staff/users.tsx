import { useRef, useState } from 'react';
import type { AdminUser } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useStaffRights } from '../api/queries.js';
import { newKey, useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { FormDialog, textOf } from '../ui/form-dialog.js';
import type { FormValues } from '../ui/form.js';
import { Menu } from '../ui/menu.js';
import { Page } from '../ui/page.js';
import { ResourceTable } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { useRoleChoices } from './choices.js';
import { TaxExemptionDialog } from './tax-exemption.js';

const stale = [['staff', 'users']];

export function UsersPage() {
  const { t, relative } = useI18n();
  const { may } = useStaffRights();
  const toasts = useToasts();
  const [edited, setEdited] = useState<AdminUser | 'new' | null>(null);
  const [credited, setCredited] = useState<AdminUser | null>(null);
  const [taxed, setTaxed] = useState<AdminUser | null>(null);
  const { confirm, dialog } = useConfirm();
  const why = (right: string) => !may(right) && t('staff.why', { right });
  const isForced = useRef(false);
  const remove = useChange(
    async (client, id: string) =>
      client.delete('/admin/users/{id}', { params: { id }, query: isForced.current ? { force: 'true' } : {} }),
    stale,
  );
  const endSessions = useChange(
    async (client, id: string) => client.delete('/admin/users/{id}/sessions', { params: { id } }),
    stale,
  );
  const reset2fa = useChange(
    async (client, id: string) => client.delete('/admin/users/{id}/2fa', { params: { id } }),
    stale,
  );
  const askToEndSessions = ({ id, email }: AdminUser) =>
    confirm({
      title: t('staff.end-sessions'),
      text: t('staff.end-sessions-text', { email }),
      action: t('staff.end-sessions'),
      onConfirm: async () => {
        await endSessions.mutateAsync(id);
        toasts.show(t('action.saved'));
      },
    });
  const askToReset2fa = ({ id, email }: AdminUser) =>
    confirm({
      title: t('staff.reset-2fa'),
      text: t('staff.reset-2fa-text', { email }),
      action: t('staff.reset-2fa'),
      onConfirm: async () => {
        await reset2fa.mutateAsync(id);
        toasts.show(t('action.saved'));
      },
    });
  const askToRemove = (removing: AdminUser) => {
    isForced.current = false;
    confirm({
      title: t('staff.delete-user'),
      text: t('staff.delete-user-text'),
      action: t('action.remove'),
      typed: removing.email,
      onConfirm: async () => remove.mutateAsync(removing.id),
      children: (
        <label className="row">
          <input type="checkbox" onChange={({ target }) => (isForced.current = target.checked)} />
          {t('staff.delete-user-force')}
        </label>
      ),
    });
  };
  return (
    <Page
      title={t('nav.users')}
      actions={
        <Button kind="primary" why={why('users.create')} onClick={() => setEdited('new')}>
          {t('staff.create-user')}
        </Button>
      }
    >
      <ResourceTable
        label={t('nav.users')}
        queryKey={['staff', 'users']}
        read={async (client, query) => client.get('/admin/users', { query })}
        hasSearch
        empty={t('staff.no-users')}
        idOf={({ id }) => id}
        columns={[
          { label: t('field.email'), cell: ({ email }) => email, isName: true },
          { label: t('field.username'), cell: ({ username }) => username },
          { label: t('staff.role'), cell: ({ role }) => role.name },
          { label: t('nav.all-servers'), cell: ({ servers_count }) => servers_count ?? '–', isNumber: true },
          {
            label: t('field.2fa'),
            cell: ({ two_factor_enabled }) => (two_factor_enabled ? t('staff.on') : t('staff.off')),
          },
          { label: t('staff.last-login'), cell: ({ last_login_at }) => relative(last_login_at) },
        ]}
        actions={(user) => (
          <Menu
            label={t('servers.actions', { name: user.email })}
            items={[
              { label: t('action.edit'), why: why('users.update'), act: () => setEdited(user) },
              { label: t('staff.credits'), why: why('billing.update'), act: () => setCredited(user) },
              { label: t('staff.tax-exemption'), why: why('billing.update'), act: () => setTaxed(user) },
              {
                label: t('staff.end-sessions'),
                why: why('users.update'),
                act: () => askToEndSessions(user),
              },
              {
                label: t('staff.reset-2fa'),
                why: why('users.update') || (!user.two_factor_enabled && t('staff.off')),
                act: () => askToReset2fa(user),
              },
              { label: t('action.remove'), isDanger: true, why: why('users.delete'), act: () => askToRemove(user) },
            ]}
          />
        )}
      />
      {edited ? <UserDialog user={edited === 'new' ? null : edited} onClose={() => setEdited(null)} /> : null}
      {credited ? <CreditsDialog user={credited} onClose={() => setCredited(null)} /> : null}
      {taxed ? <TaxExemptionDialog user={taxed} onClose={() => setTaxed(null)} /> : null}
      {dialog}
    </Page>
  );
}

function UserDialog({ user, onClose }: { readonly user: AdminUser | null; readonly onClose: () => void }) {
  const { t } = useI18n();
  const roles = useRoleChoices();
  const [key] = useState(newKey);
  const save = useChange(async (client, values: FormValues): Promise<unknown> => {
    const password = textOf(values.password);
    const body = {
      email: String(values.email),
      username: String(values.username),
      first_name: String(values.first_name),
      last_name: String(values.last_name),
      role_id: String(values.role_id),
      ...(password === undefined ? {} : { password }),
    };
    if (user) return client.put('/admin/users/{id}', { params: { id: user.id }, body });
    return client.post('/admin/users', { body, idempotencyKey: key });
  }, stale);
  const defaultRole = roles.list.find(({ label }) => label === 'user')?.value ?? '';
  return (
    <FormDialog
      isLoading={roles.isLoading}
      title={user?.email ?? t('staff.create-user')}
      action={user ? t('action.save') : t('staff.create-user')}
      onClose={onClose}
      onSubmit={save.mutateAsync}
      fields={[
        { name: 'email', label: t('field.email'), type: 'email', value: user?.email ?? '', isRequired: true },
        { name: 'username', label: t('field.username'), value: user?.username ?? '', isRequired: true },
        { name: 'first_name', label: t('field.first-name'), value: user?.first_name ?? '' },
        { name: 'last_name', label: t('field.last-name'), value: user?.last_name ?? '' },
        {
          name: 'role_id',
          label: t('staff.role'),
          type: 'select',
          options: roles.list,
          value: user?.role.id ?? defaultRole,
        },
        {
          name: 'password',
          label: t('field.password'),
          type: 'password',
          autoComplete: 'new-password',
          hint: user ? t('staff.password-keep') : t('staff.password-mail'),
        },
      ]}
    />
  );
}

function CreditsDialog({ user, onClose }: { readonly user: AdminUser; readonly onClose: () => void }) {
  const { t } = useI18n();
  const [key] = useState(newKey);
  const give = useChange(async (client, body: { amount: number; reason: string }) =>
    client.post('/admin/users/{id}/credits', { params: { id: user.id }, body, idempotencyKey: key }),
  );
  return (
    <FormDialog
      title={`${user.email}: ${t('staff.credits')}`}
      action={t('action.save')}
      onClose={onClose}
      fields={[
        {
          name: 'amount',
          label: t('staff.amount-minor'),
          type: 'number',
          isRequired: true,
          hint: t('staff.amount-hint'),
        },
        { name: 'reason', label: t('property.reason'), isRequired: true },
      ]}
      onSubmit={async ({ amount, reason }) => give.mutateAsync({ amount: Number(amount), reason: String(reason) })}
    />
  );
}
