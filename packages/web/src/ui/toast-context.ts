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
   * Runs `act` after 8 seconds, on any page; an undo or a sign-out calls `onUndo` instead. `act` must not depend on its
   * page.
   */
  readonly undoable: (text: string, act: () => Promise<void>, onUndo: () => void) => void;
}

export const ToastContext = createContext<Omit<Toasts, 'showError'> | null>(null);
