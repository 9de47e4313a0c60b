import { useEffect, useId, useRef, useState } from 'react';
import { useApi } from '../api/context.js';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { Note } from '../ui/states.js';
import { SignInStep, type Step } from './sign-in-step.js';

/** Over the page whose sign-in has ended: what was typed there stays. */
export function SignInDialog() {
  const { t } = useI18n();
  const { session } = useApi();
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [step, setStep] = useState<Step>({ kind: 'password' });
  useEffect(() => {
    const dialog = element.current;
    // Browsers close a dialog at the second Escape.
    const open = (): void => {
      if (dialog?.isConnected && !dialog.open) dialog.showModal();
    };
    open();
    dialog?.addEventListener('close', open);
    return () => {
      dialog?.removeEventListener('close', open);
      dialog?.close();
    };
  }, []);
  return (
    <dialog
      ref={element}
      className="dialog"
      data-size="small"
      data-covers
      aria-labelledby={titleId}
      onCancel={(event) => event.preventDefault()}
    >
      <div className="dialog-body">
        <h2 id={titleId}>{t('sign-in.ended')}</h2>
        <Note>{t('sign-in.ended-text')}</Note>
        <SignInStep step={step} onStep={setStep} />
        <Button kind="quiet" onClick={() => session.leave()}>
          {t('sign-in.leave')}
        </Button>
      </div>
    </dialog>
  );
}
