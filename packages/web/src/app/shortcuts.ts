import { useEffect } from 'react';
import { useLocation } from 'wouter';

/** Key pairs that open a page. */
const jumps: Readonly<Record<string, string>> = {
  s: '/',
  b: '/billing',
  w: '/wall',
  a: '/account',
  t: '/store',
  o: '/staff',
};
export type Overlay = 'palette' | 'shortcuts' | 'calls';

const sequenceMs = 1_200;

/** Keys of every page, inactive while typing. */
export function useShortcuts(open: (overlay: Overlay) => void): void {
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
      else if (event.key === 'c') open('calls');
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
