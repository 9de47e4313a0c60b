import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { Button } from './button.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly size?: 'small' | 'large' | 'drawer';
}

/** The browser traps the focus and closes it on Escape. */
export function Dialog({ title, onClose, children, size = 'small' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const { t } = useI18n();
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      focusContent(dialog);
    }
    return () => dialog?.close();
  }, []);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a keyboard closes it with Escape
    <dialog
      ref={element}
      tabIndex={-1}
      className="dialog"
      data-size={size}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <Button kind="quiet" label={t('action.close')} icon={<X />} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

const focusable = ':is(input, select, textarea, button, a[href]):not(.dialog-head *)';

/** Browsers focus the first button, which closes it. */
function focusContent(dialog: HTMLDialogElement): void {
  for (const target of [...dialog.querySelectorAll<HTMLElement>(focusable), dialog]) {
    target.focus();
    if (document.activeElement === target) return;
  }
}
