import { X } from 'lucide-react';
import { type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useApi } from '../api/context.js';
import { Button } from './button.js';
import { errorText } from './states.js';
import { type Toast, ToastContext, type Toasts } from './toast-context.js';

const shownMs = 6_000;
const undoMs = 8_000;
const maxShown = 4;

/** Errors use the texts of the page. */
export function useToasts(): Toasts {
  const toasts = useContext(ToastContext);
  const i18n = useI18n();
  if (!toasts) throw new Error('useToasts outside of ToastProvider');
  return useMemo(
    () => ({ ...toasts, showError: (error) => toasts.show(errorText(error, i18n), { kind: 'error' }) }),
    [toasts, i18n],
  );
}

/** Drops the oldest above the limit, but none with an action. */
function withNewest(list: readonly Toast[], toast: Toast): readonly Toast[] {
  const left = list.length < maxShown ? undefined : list.find(({ action }) => action === undefined);
  return [...list.filter((one) => one !== left), toast];
}

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const i18n = useI18n();
  const { session } = useApi();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(1);
  const remove = useCallback((id: number) => setToasts((list) => list.filter((toast) => toast.id !== id)), []);
  const add = useCallback(
    (toast: Omit<Toast, 'id'>, ms: number): number => {
      const id = nextId.current++;
      setToasts((list) => withNewest(list, { ...toast, id }));
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
        const timer = setTimeout(() => {
          stop();
          void act();
        }, undoMs);
        const undo = () => {
          stop();
          clearTimeout(timer);
          onUndo();
        };
        const stop = session.onSignOut(() => {
          undo();
          remove(id);
        });
        const id = add({ kind: 'info', text, action: { label: i18n.t('action.undo'), act: undo } }, undoMs);
      },
    }),
    [add, remove, i18n, session],
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
