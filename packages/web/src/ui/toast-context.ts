import { createContext } from 'react';

export interface Toast {
  readonly id: number;
  readonly kind: 'info' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly act: () => void };
}

export interface Toasts {
  readonly show: (text: string, options?: Pick<Toast, 'action'> & { readonly kind?: Toast['kind'] }) => void;
  readonly showError: (error: unknown) => void;
  /**
   * Do something after 8 seconds, unless it is taken back or the person signs out; then `onUndo` is called. `act` runs whatever
   * page is open by then: it carries what it is about, and nothing of the page that asked.
   */
  readonly undoable: (text: string, act: () => Promise<void>, onUndo: () => void) => void;
}

/** Null outside of ToastProvider. */
export const ToastContext = createContext<Omit<Toasts, 'showError'> | null>(null);
