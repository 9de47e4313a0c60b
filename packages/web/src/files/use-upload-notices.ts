import { useEffect, useRef } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useToasts } from '../ui/toasts.js';
import type { UploadQueue } from './upload-queue.js';

/** Adds a notice once another page is open. */
export function useUploadNotices(queue: UploadQueue, refresh: () => void): void {
  const { t } = useI18n();
  const toasts = useToasts();
  const latest = useRef({ refresh, t, toasts });
  useEffect(() => {
    latest.current = { refresh, t, toasts };
  });
  useEffect(() => {
    let isOpen = true;
    queue.onEnd(({ name, state, error }) => {
      const { refresh: read, t: text, toasts: notices } = latest.current;
      read();
      if (isOpen) return;
      if (state === 'failed') notices.showError(error);
      else notices.show(text('files.uploaded', { name }));
    });
    return () => {
      isOpen = false;
    };
  }, [queue]);
}
