import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { type Key, useI18n } from '../i18n/i18n.js';
import { Dialog } from '../parts/dialog.js';

/** Two keys, one after the other, that lead to a page. */
const jumps: Readonly<Record<string, string>> = { s: '/', b: '/billing', a: '/account', t: '/store', o: '/staff' };
const sequenceMs = 1_200;

const descriptions: readonly (readonly [keys: string, label: Key])[] = [
  ['Ctrl K', 'shortcut.palette'],
  ['?', 'shortcut.shortcuts'],
  ['/', 'shortcut.search'],
  ['g s', 'nav.servers'],
  ['g t', 'nav.store'],
  ['g b', 'nav.billing'],
  ['g a', 'nav.account'],
  ['g o', 'nav.overview'],
];

/** Keys that work on every page, unless something is being typed. */
export function useShortcuts(open: (overlay: 'palette' | 'shortcuts') => void): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let jumpStartedAt = 0;
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        open('palette');
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const jump = performance.now() - jumpStartedAt < sequenceMs ? jumps[event.key] : undefined;
      jumpStartedAt = event.key === 'g' ? performance.now() : 0;
      if (jump !== undefined) navigate(jump);
      else if (event.key === '?') open('shortcuts');
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('[data-search]');
        if (search) event.preventDefault();
        search?.focus();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, open]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog, .editor') !== null;
}

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useI18n();
  return (
    <Dialog title={t('shortcut.shortcuts')} onClose={onClose}>
      <dl className="facts">
        {descriptions.map(([keys, label]) => (
          <div key={keys}>
            <dt>{t(label)}</dt>
            <dd>
              <kbd>{keys}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
