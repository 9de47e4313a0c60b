import { X } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { Button } from './button.js';
import { errorText } from './states.js';

interface Toast {
  readonly id: number;
  readonly kind: 'info' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly act: () => void };
}

interface Toasts {
  readonly show: (text: string, options?: Pick<Toast, 'action'> & { readonly kind?: Toast['kind'] }) => void;
  readonly showError: (error: unknown) => void;
  /** Do something after 8 seconds, unless it is taken back. */
  readonly undoable: (text: string, act: () => void, onUndo?: () => void) => void;
}

const shownMs = 6_000;
const undoMs = 8_000;
const ToastContext = createContext<Omit<Toasts, 'showError'> | null>(null);

/** Errors are put into words with the texts of the page that shows them. */
export function useToasts(): Toasts {
  const toasts = useContext(ToastContext);
  const i18n = useI18n();
  if (!toasts) throw new Error('useToasts outside of ToastProvider');
  return useMemo(
    () => ({ ...toasts, showError: (error) => toasts.show(errorText(error, i18n), { kind: 'error' }) }),
    [toasts, i18n],
  );
}

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const i18n = useI18n();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(1);
  const remove = useCallback((id: number) => setToasts((list) => list.filter((toast) => toast.id !== id)), []);
  const add = useCallback(
    (toast: Omit<Toast, 'id'>, ms: number): number => {
      const id = nextId.current++;
      setToasts((list) => [...list.slice(-3), { ...toast, id }]);
      setTimeout(() => remove(id), ms);
      return id;
    },
    [remove],
  );
  const value = useMemo<Omit<Toasts, 'showError'>>(
    () => ({
      show: (text, { kind = 'info', action } = {}) => {
        add({ kind, text, ...(action ? { action } : {}) }, kind === 'error' ? shownMs * 2 : shownMs);
      },
      undoable: (text, act, onUndo) => {
        const timer = setTimeout(act, undoMs);
        const undo = () => {
          clearTimeout(timer);
          onUndo?.();
        };
        add({ kind: 'info', text, action: { label: i18n.t('action.undo'), act: undo } }, undoMs);
      },
    }),
    [add, i18n],
  );
  return (
    <ToastContext value={value}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, kind, text, action }) => (
          <div key={id} className="toast" data-kind={kind}>
            <span>{text}</span>
            {action ? (
              <Button
                onClick={() => {
                  action.act();
                  remove(id);
                }}
              >
                {action.label}
              </Button>
            ) : null}
            <Button kind="quiet" label={i18n.t('action.close')} icon={<X />} onClick={() => remove(id)} />
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
