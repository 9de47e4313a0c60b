import { useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { SignInStep, type Step } from './sign-in-step.js';

/** The current step of a sign-in below its heading. */
export function SignIn() {
  const { t } = useI18n();
  const [step, setStep] = useState<Step>({ kind: 'password' });
  return (
    <>
      <h1>{step.kind === 'forgot' || step.kind === 'sent' ? t('sign-in.forgot-title') : t('sign-in.title')}</h1>
      <SignInStep step={step} onStep={setStep} />
    </>
  );
}
