import { useMemo } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useServerEvents } from '../activity/server-events.js';
import { eventText } from '../activity/event-text.js';
import type { Mark } from './graph.js';

export function useMarks(): readonly Mark[] {
  const i18n = useI18n();
  const events = useServerEvents();
  return useMemo(
    () =>
      events
        .filter(({ event, at }) => at !== null && !/command/.test(event))
        .map((event) => ({
          at: Date.parse(event.at ?? ''),
          label: eventText(event, i18n),
          tone: /crashed|failed/.test(event.event) ? ('bad' as const) : ('plain' as const),
        })),
    [events, i18n],
  );
}
