import { type ReactNode, useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { ErrorNote } from './states.js';

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** Text to type before the action. */
  readonly typed?: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  /** The caller replaces it; it does not close itself. */
  readonly staysOpen?: boolean;
  readonly children?: ReactNode;
}

export function Confirm({ title, text, action, typed, onConfirm, onClose, staysOpen, children }: ConfirmProps) {
  const { t } = useI18n();
  const [given, setGiven] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await onConfirm();
      if (!staysOpen) onClose();
    } catch (thrown) {
      setError(thrown);
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {children}
      {typed === undefined ? null : (
        <label className="field">
          <span>{t('confirm.type', { text: typed })}</span>
          <input value={given} onChange={(event) => setGiven(event.target.value)} autoComplete="off" />
        </label>
      )}
      {error ? <ErrorNote error={error} /> : null}
      <div className="actions">
        <Button onClick={onClose}>{t('action.cancel')}</Button>
        <Button
          kind="danger"
          isBusy={isBusy}
          why={typed !== undefined && given !== typed && t('confirm.type', { text: typed })}
          onClick={() => void confirm()}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
