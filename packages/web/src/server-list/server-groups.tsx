import type { ListedServer } from '@panel/client';
import type { ComponentProps } from 'react';
import { usePreferences } from '../api/queries.js';
import { useI18n } from '../i18n/i18n.js';
import { ServerCards } from './server-cards.js';

export function ServerGroups({ servers, selected, onToggle }: ComponentProps<typeof ServerCards>) {
  const { t } = useI18n();
  const { preferences } = usePreferences();
  const pins = new Set(preferences.pins);
  const groupOf = ({ id }: ListedServer): string => (pins.has(id) ? '' : (preferences.groups[id] ?? ' '));
  const groups = new Map<string, ListedServer[]>();
  for (const server of servers) groups.set(groupOf(server), [...(groups.get(groupOf(server)) ?? []), server]);
  const names = [...groups.keys()].sort((a, b) => order(a).localeCompare(order(b)));
  return names.map((name) => (
    <section key={name} className="stack">
      <h2 className={names.length > 1 ? 'group-title' : 'only-read'}>
        {name === '' ? t('servers.pinned') : name === ' ' ? t('servers.others') : name}
      </h2>
      <ServerCards servers={groups.get(name) ?? []} selected={selected} onToggle={onToggle} />
    </section>
  ));
}

/** Pinned servers first, ungrouped last. */
function order(group: string): string {
  return group === '' ? '\u0000' : group === ' ' ? '\uffff' : group;
}
