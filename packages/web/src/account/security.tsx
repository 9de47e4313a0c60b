import { useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { saveText } from '../ui/download.js';
import { useAccount } from '../api/queries.js';
import { useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { CopyText } from '../ui/copy.js';
import { Form } from '../ui/form.js';
import { Card } from '../ui/page.js';
import { Loaded, Note } from '../ui/states.js';
import { useToasts } from '../ui/toasts.js';

export function Security() {
  const { t } = useI18n();
  const toasts = useToasts();
  const account = useAccount();
  const change = useChange(
    async (client, body: { current_password: string; password: string }) => client.put('/account/password', { body }),
    [['account', 'sessions']],
  );
  return (
    <>
      <Card title={t('account.password')}>
        <p className="faint">{t('account.password-hint')}</p>
        <Form
          fields={[
            {
              name: 'current_password',
              label: t('account.current-password'),
              type: 'password',
              isRequired: true,
              autoComplete: 'current-password',
            },
            {
              name: 'password',
              label: t('account.new-password'),
              type: 'password',
              isRequired: true,
              minLength: 10,
              autoComplete: 'new-password',
            },
          ]}
          action={t('account.change-password')}
          onSubmit={async ({ current_password, password }) => {
            await change.mutateAsync({ current_password: String(current_password), password: String(password) });
            toasts.show(t('action.saved'));
          }}
        />
      </Card>
      <Card title={t('field.2fa')}>
        <Loaded query={account} rows={1}>
          {({ two_factor_enabled }) => (two_factor_enabled ? <TwoFactorOff /> : <TwoFactorOn />)}
        </Loaded>
      </Card>
    </>
  );
}

interface Setup {
  readonly secret: string;
  readonly qr_code: string;
}

function TwoFactorOn() {
  const { t } = useI18n();
  const [setup, setSetup] = useState<Setup | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const begin = useChange(
    async (client, password: string) => (await client.post('/account/2fa', { body: { password } })).data,
  );
  const confirm = useChange(
    async (client, code: string) => (await client.post('/account/2fa/confirm', { body: { code } })).data,
  );
  const finish = useChange(async () => undefined, [['account']]);
  if (codes) {
    return (
      <>
        <Note kind="warning">{t('account.recovery-text')}</Note>
        <ul className="codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div className="actions">
          <Button onClick={() => saveText('recovery-codes.txt', codes.join('\n'))}>{t('account.recovery-save')}</Button>
          <Button kind="primary" onClick={() => finish.mutate(undefined)}>
            {t('account.recovery-done')}
          </Button>
        </div>
      </>
    );
  }
  if (setup) {
    return (
      <>
        <p>{t('account.2fa-scan')}</p>
        <img className="qr" src={setup.qr_code} alt={t('account.2fa-qr')} />
        <p>
          {t('account.2fa-secret')} <CopyText text={setup.secret} />
        </p>
        <Form
          key="code"
          fields={[
            {
              name: 'code',
              label: t('sign-in.code'),
              isRequired: true,
              autoComplete: 'one-time-code',
              pattern: '[0-9]{6}',
            },
          ]}
          action={t('account.2fa-on')}
          onSubmit={async ({ code }) => setCodes((await confirm.mutateAsync(String(code))).recovery_codes)}
        />
      </>
    );
  }
  return (
    <>
      <p>{t('account.2fa-text')}</p>
      <Form
        key="password"
        fields={[
          {
            name: 'password',
            label: t('account.current-password'),
            type: 'password',
            isRequired: true,
            autoComplete: 'current-password',
          },
        ]}
        action={t('account.2fa-begin')}
        onSubmit={async ({ password }) => setSetup(await begin.mutateAsync(String(password)))}
      />
    </>
  );
}

function TwoFactorOff() {
  const { t } = useI18n();
  const remove = useChange(
    async (client, body: { password: string; code: string }) => client.delete('/account/2fa', { body }),
    [['account']],
  );
  return (
    <>
      <Note>{t('account.2fa-is-on')}</Note>
      <Form
        fields={[
          {
            name: 'password',
            label: t('account.current-password'),
            type: 'password',
            isRequired: true,
            autoComplete: 'current-password',
          },
          { name: 'code', label: t('sign-in.code'), isRequired: true, autoComplete: 'one-time-code' },
        ]}
        action={t('account.2fa-off')}
        kind="danger"
        onSubmit={async ({ password, code }) => remove.mutateAsync({ password: String(password), code: String(code) })}
      />
    </>
  );
}
