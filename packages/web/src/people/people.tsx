import { useRef, useState } from 'react';
import type { Subuser, SubuserRole } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { withTexts } from '../i18n/with-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { peopleTexts } from '../i18n/texts/people/people-texts.js';
import { collect } from '../api/pages.js';
import { useAccount } from '../api/queries.js';
import { useChange, useData } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/confirm.js';
import { Menu } from '../ui/menu.js';
import { Card } from '../ui/page.js';
import { Status } from '../ui/status.js';
import { ResourceTable } from '../ui/table.js';
import { useServer } from '../server/server-context.js';
import { AccessDialog, roleName } from './access-dialog.js';
import { LeaveServer } from './leave-server.js';
import { Roles } from './roles.js';

type Question =
  | { readonly kind: 'invite' }
  | { readonly kind: 'edit'; readonly subuser: Subuser }
  | { readonly kind: 'remove'; readonly subuser: Subuser };

export const PeoplePage = withTexts([resourceTexts, peopleTexts], People);

function People() {
  const { id } = useServer();
  const roles = useData(['server', id, 'subuser-roles'], async (client) =>
    collect(client.pages('/servers/{id}/subuser-roles', { params: { id } })),
  );
  return (
    <div className="stack">
      <Subusers roles={roles.data ?? []} />
      <Roles query={roles} />
      <LeaveServer />
    </div>
  );
}

function Subusers({ roles }: { readonly roles: readonly SubuserRole[] }) {
  const { t, relative, date } = useI18n();
  const { id, why } = useServer();
  const account = useAccount().data;
  const [question, setQuestion] = useState<Question | null>(null);
  const remove = useChange(
    async (client, { subuser_id, isWithInvited }: { readonly subuser_id: string; readonly isWithInvited: boolean }) => {
      const query = isWithInvited ? { with_invited: 'true' as const } : {};
      return client.delete('/servers/{id}/subusers/{subuser-id}', { params: { id, subuser_id }, query });
    },
    [['server', id, 'subusers']],
  );
  const isWithInvited = useRef(false);
  const isYou = ({ user }: Subuser) => user.id !== null && user.id === account?.id;
  const close = (): void => setQuestion(null);
  return (
    <Card title={t('people.title')}>
      <ResourceTable
        label={t('people.title')}
        queryKey={['server', id, 'subusers']}
        read={async (client, query) => client.get('/servers/{id}/subusers', { params: { id }, query })}
        hasSearch
        empty={t('people.none')}
        idOf={(subuser) => subuser.id}
        toolbar={
          <Button kind="primary" why={why('user.create')} onClick={() => setQuestion({ kind: 'invite' })}>
            {t('people.invite')}
          </Button>
        }
        columns={[
          {
            label: t('field.email'),
            isName: true,
            cell: (subuser) => (
              <>
                {subuser.user.email} {isYou(subuser) ? `(${t('activity.you')})` : ''}
                {subuser.user.username === null ? null : <p className="faint">{subuser.user.username}</p>}
              </>
            ),
          },
          {
            label: t('people.role'),
            cell: ({ role, permissions, path_rules, inherited_path_rules }) => {
              const known = roles.find((one) => one.id === role?.id);
              return (
                <>
                  {role === null
                    ? t('people.permission-count', { count: permissions.length })
                    : known
                      ? roleName(known, t)
                      : role.name}
                  {path_rules.length + inherited_path_rules.flat().length > 0 ? (
                    <p className="faint">{t('people.has-path-rules')}</p>
                  ) : null}
                </>
              );
            },
          },
          { label: t('field.status'), cell: ({ status }) => <Status value={status} /> },
          {
            label: t('people.expires'),
            cell: ({ expires_at }) =>
              expires_at === null ? t('people.never') : <span title={date(expires_at)}>{relative(expires_at)}</span>,
          },
        ]}
        actions={(subuser) => (
          <Menu
            label={t('servers.actions', { name: subuser.user.email })}
            items={[
              {
                label: t('action.edit'),
                why: why('user.update') ?? (isYou(subuser) && t('people.not-yourself')),
                act: () => setQuestion({ kind: 'edit', subuser }),
              },
              {
                label: t('action.remove'),
                isDanger: true,
                why: why('user.delete') ?? (isYou(subuser) && t('people.not-yourself')),
                act: () => {
                  isWithInvited.current = false;
                  setQuestion({ kind: 'remove', subuser });
                },
              },
            ]}
          />
        )}
      />
      {question?.kind === 'invite' ? <AccessDialog subuser={null} roles={roles} onClose={close} /> : null}
      {question?.kind === 'edit' ? <AccessDialog subuser={question.subuser} roles={roles} onClose={close} /> : null}
      {question?.kind === 'remove' ? (
        <Confirm
          title={t('people.remove')}
          text={t('people.remove-text', { email: question.subuser.user.email })}
          action={t('action.remove')}
          onConfirm={async () =>
            remove.mutateAsync({ subuser_id: question.subuser.id, isWithInvited: isWithInvited.current })
          }
          onClose={close}
        >
          <label className="row">
            <input type="checkbox" onChange={({ target }) => (isWithInvited.current = target.checked)} />
            {t('people.remove-invited')}
          </label>
        </Confirm>
      ) : null}
    </Card>
  );
}
