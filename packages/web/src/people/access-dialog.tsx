import '../style/pages.css';
import { useState } from 'react';
import type { PathRule, Subuser, SubuserRole } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useCreate } from '../api/use-data.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FieldFrame } from '../ui/form.js';
import { useServer } from '../server/server-context.js';
import { type DraftRule, draftRule, PathRules } from './path-rules.js';
import { PermissionChoice } from './permission-choice.js';
import { knownPermissions, type ServerPermission } from './permissions.js';

interface AccessDialogProps {
  readonly subuser: Subuser | null;
  readonly roles: readonly SubuserRole[];
  readonly onClose: () => void;
}

const own = 'own';

interface Access {
  readonly role?: string;
  readonly permissions?: ServerPermission[];
  readonly path_rules: PathRule[];
  readonly expires_at: string | null;
}

export function AccessDialog({ subuser, roles, onClose }: AccessDialogProps) {
  const { t, date } = useI18n();
  const { id } = useServer();
  const [role, setRole] = useState(subuser ? (subuser.role?.id ?? own) : 'viewer');
  const [permissions, setPermissions] = useState<readonly ServerPermission[]>(
    knownPermissions(subuser?.permissions ?? ['websocket.connect']),
  );
  const [rules, setRules] = useState<readonly DraftRule[]>(() => subuser?.path_rules.map(draftRule) ?? []);
  const save = useCreate(
    async (client, { email, ...access }: Access & { email: string }, idempotencyKey): Promise<unknown> => {
      if (!subuser) {
        const body = { email, ...access };
        return client.post('/servers/{id}/subusers', { params: { id }, body, idempotencyKey });
      }
      const params = { id, subuser_id: subuser.id };
      return client.put('/servers/{id}/subusers/{subuser-id}', { params, body: access });
    },
    [['server', id, 'subusers']],
  );
  const granted = roles.find((one) => one.id === role);
  const inherited = subuser?.inherited_path_rules.flat() ?? [];
  return (
    <FormDialog
      title={subuser?.user.email ?? t('people.invite')}
      size="large"
      action={subuser ? t('action.save') : t('people.invite')}
      onClose={onClose}
      fields={[
        ...(subuser
          ? []
          : [
              {
                name: 'email',
                label: t('field.email'),
                type: 'email' as const,
                isRequired: true,
                hint: t('people.email-hint'),
              },
            ]),
        {
          name: 'expires_at',
          label: t('people.expires'),
          type: 'datetime-local',
          value: localTime(subuser?.expires_at ?? null),
          hint: t('people.expires-hint'),
        },
      ]}
      onSubmit={async ({ email, expires_at }) =>
        save.mutateAsync({
          email: String(email ?? ''),
          ...(role === own ? { permissions: [...permissions] } : { role }),
          path_rules: rules.map(({ path, access }) => ({ path, access })),
          expires_at: expires_at === '' ? null : new Date(String(expires_at)).toISOString(),
        })
      }
    >
      {(problems) => (
        <>
          <FieldFrame label={t('people.role')} problems={problems.role}>
            {(attributes) => (
              <select {...attributes} value={role} onChange={({ target }) => setRole(target.value)}>
                {roles.map((one) => (
                  <option key={one.id} value={one.id}>
                    {roleName(one, t)}
                  </option>
                ))}
                <option value={own}>{t('people.own-choice')}</option>
              </select>
            )}
          </FieldFrame>
          {role === own ? (
            <PermissionChoice chosen={permissions} problems={problems.permissions} onChange={setPermissions} />
          ) : (
            <p className="faint">
              {knownPermissions(granted?.permissions ?? [])
                .map((permission) => t(`permission.${permission}`))
                .join(' · ')}
            </p>
          )}
          <PathRules rules={rules} problems={problems} onChange={setRules} />
          {inherited.length > 0 ? (
            <p className="faint">
              {t('people.inherited', {
                rules: inherited.map(({ path, access }) => `${path}: ${t(`access.${access}`)}`).join(', '),
              })}
            </p>
          ) : null}
          {subuser ? <p className="faint">{t('people.since', { when: date(subuser.created_at) })}</p> : null}
        </>
      )}
    </FormDialog>
  );
}

/** Built-in roles have localized names. */
export function roleName({ id, name, built_in }: SubuserRole, t: ReturnType<typeof useI18n>['t']): string {
  if (!built_in) return name;
  if (id === 'viewer') return t('people.role-viewer');
  if (id === 'operator') return t('people.role-operator');
  return id === 'developer' ? t('people.role-developer') : name;
}

/** Value of a datetime input, in the browser's zone. */
function localTime(at: string | null): string {
  if (at === null) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
