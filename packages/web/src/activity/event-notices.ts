import { useEffect, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useToasts } from '../ui/toasts.js';
import { eventText } from './event-text.js';
import { noticedEvents } from './noticed-events.js';
import { useServer } from '../server/server-context.js';
import { useServerEvents } from './server-events.js';

/** On all server pages. */
export function useEventNotices(): void {
  const i18n = useI18n();
  const toasts = useToasts();
  const { server } = useServer();
  const events = useServerEvents({ isLater: true });
  const [openedAt] = useState(() => Date.now());
  const said = useRef(new Set<string>());
  useEffect(() => {
    for (const event of events) {
      const isNew = event.at !== null && Date.parse(event.at) > openedAt && !said.current.has(event.id);
      const kind = noticedEvents.get(event.event);
      if (!isNew || !kind) continue;
      said.current.add(event.id);
      toasts.show(`${server.name}: ${eventText(event, i18n)}`, { kind });
    }
  }, [events, toasts, i18n, server.name, openedAt]);
}
