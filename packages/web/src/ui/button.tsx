import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { useContext, useId } from 'react';
import { ToastContext } from './toast-context.js';

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly icon?: ReactNode;
  readonly label?: string;
  readonly isBusy?: boolean;
  /** The button stays in the tab order and shows this reason, also on touch, which has no title. */
  readonly why?: string | null | false;
}

export function Button({ kind = 'plain', icon, label, isBusy, why, children, onClick, ...rest }: ButtonProps) {
  const reasonId = useId();
  const toasts = useContext(ToastContext);
  const isOff = Boolean(why) || isBusy === true;
  return (
    <button
      type="button"
      {...rest}
      className={`button ${rest.className ?? ''}`}
      data-kind={kind}
      data-icon={children === undefined || undefined}
      aria-label={label}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      aria-describedby={why ? reasonId : rest['aria-describedby']}
      title={why || label || rest.title}
      onClick={(event) => {
        if (!isOff) return onClick?.(event);
        event.preventDefault();
        if (why) toasts?.show(why);
      }}
    >
      {icon}
      {children}
      {why ? (
        <span id={reasonId} hidden>
          {why}
        </span>
      ) : null}
    </button>
  );
}
