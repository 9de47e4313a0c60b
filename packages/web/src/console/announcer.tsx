import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { plainText } from './sgr.js';

const announceMs = 4_000;

/** For screen readers: the last line and the count. */
export function Announcer() {
  const { t, number } = useI18n();
  const { session } = useServer();
  const [text, setText] = useState('');
  const seen = useRef(session.ring.next);
  useEffect(() => {
    const timer = setInterval(() => {
      const { ring } = session;
      const count = ring.next - seen.current;
      seen.current = ring.next;
      if (count === 0 || document.hidden) return;
      const last = plainText(ring.rawAt(ring.next - 1));
      setText(count === 1 ? last : `${t('console.new-lines', { count: number(count) })} ${last}`);
    }, announceMs);
    return () => clearInterval(timer);
  }, [session, t, number]);
  const { status } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  return (
    <div className="only-read" aria-live="polite">
      <p>{status}</p>
      <p>{text}</p>
    </div>
  );
}
