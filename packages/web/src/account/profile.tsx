import { locales, useI18n } from '../i18n/i18n.js';
import { useChange } from '../api/use-data.js';
import { useAccount } from '../api/queries.js';
import { Form, type FormValues } from '../ui/form.js';
import { Card } from '../ui/page.js';
import { Loaded } from '../ui/states.js';
import { useToasts } from '../ui/toasts.js';

export function Profile() {
  const { t } = useI18n();
  const toasts = useToasts();
  const account = useAccount();
  const change = useChange(
    async (client, body: Record<string, string>) => client.put('/account', { body }),
    [['account']],
  );
  const save = async (values: FormValues): Promise<void> => {
    await change.mutateAsync(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])));
    toasts.show(t('action.saved'));
  };
  return (
    <Loaded query={account}>
      {(user) => (
        <>
          <Card title={t('account.profile')}>
            <Form
              fields={[
                { name: 'username', label: t('field.username'), value: user.username, isRequired: true },
                { name: 'first_name', label: t('field.first-name'), value: user.first_name },
                { name: 'last_name', label: t('field.last-name'), value: user.last_name },
                {
                  name: 'language',
                  label: t('nav.language'),
                  type: 'select',
                  value: user.language,
                  hint: t('account.language-hint'),
                  options: Object.entries({ [user.language]: user.language, ...locales }).map(([value, label]) => ({
                    value,
                    label,
                  })),
                },
              ]}
              action={t('action.save')}
              onSubmit={save}
            />
          </Card>
          <Card title={t('field.email')}>
            <Form
              fields={[
                {
                  name: 'email',
                  label: t('field.email'),
                  type: 'email',
                  value: user.email,
                  isRequired: true,
                  autoComplete: 'email',
                },
                {
                  name: 'current_password',
                  label: t('account.current-password'),
                  type: 'password',
                  isRequired: true,
                  autoComplete: 'current-password',
                },
              ]}
              action={t('action.save')}
              onSubmit={save}
            />
          </Card>
        </>
      )}
    </Loaded>
  );
}
