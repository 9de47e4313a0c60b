import { createPanelClient } from '@panel/client';
import { useApi } from '../api/context.js';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { Form } from '../ui/form.js';
import { Note } from '../ui/states.js';

export type Step =
  | { readonly kind: 'password' }
  | { readonly kind: 'second-factor'; readonly token: string; readonly usesRecovery: boolean }
  | { readonly kind: 'forgot' }
  | { readonly kind: 'sent' };

export function SignInStep({ step, onStep }: { readonly step: Step; readonly onStep: (step: Step) => void }) {
  const { t } = useI18n();
  const { session } = useApi();
  const back = (
    <Button kind="quiet" onClick={() => onStep({ kind: 'password' })}>
      {t('sign-in.back')}
    </Button>
  );
  if (step.kind === 'second-factor') {
    const name = step.usesRecovery ? 'recovery_code' : 'code';
    return (
      <>
        <Form
          key={name}
          fields={[
            {
              name,
              label: step.usesRecovery ? t('sign-in.recovery-code') : t('sign-in.code'),
              autoComplete: 'one-time-code',
              isRequired: true,
            },
          ]}
          action={t('sign-in.verify')}
          onSubmit={async (values) => {
            const text = String(values[name]).trim();
            await session.verify(step.token, step.usesRecovery ? { recovery_code: text } : { code: text });
          }}
        />
        <Button kind="quiet" onClick={() => onStep({ ...step, usesRecovery: !step.usesRecovery })}>
          {step.usesRecovery ? t('sign-in.use-code') : t('sign-in.use-recovery')}
        </Button>
        {back}
      </>
    );
  }
  if (step.kind === 'forgot') {
    return (
      <>
        <Form
          key="forgot"
          fields={[
            { name: 'email', label: t('field.email'), type: 'email', autoComplete: 'username', isRequired: true },
          ]}
          action={t('sign-in.send-link')}
          onSubmit={async ({ email }) => {
            const client = createPanelClient({ baseUrl: location.origin });
            await client.post('/auth/password/forgot', { body: { email: String(email) } });
            onStep({ kind: 'sent' });
          }}
        />
        {back}
      </>
    );
  }
  if (step.kind === 'sent') {
    return (
      <>
        <Note>{t('sign-in.sent')}</Note>
        {back}
      </>
    );
  }
  return (
    <>
      <Form
        key="password"
        fields={[
          {
            name: 'email',
            label: t('field.email'),
            type: 'email',
            autoComplete: 'username',
            isRequired: true,
            isWide: true,
          },
          {
            name: 'password',
            label: t('field.password'),
            type: 'password',
            autoComplete: 'current-password',
            isRequired: true,
            isWide: true,
          },
        ]}
        action={t('sign-in.action')}
        onSubmit={async ({ email, password }) => {
          const result = await session.signIn(String(email), String(password));
          if (result.kind === 'second-factor') onStep({ ...result, usesRecovery: false });
        }}
      />
      <Button kind="quiet" onClick={() => onStep({ kind: 'forgot' })}>
        {t('sign-in.forgot')}
      </Button>
    </>
  );
}
