import type { ListedServer } from '@panel/client';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { usePreferences } from '../api/queries.js';
import { useI18n } from '../i18n/i18n.js';
import { ServerCard } from './server-card.js';
import { inOrder, withPlace } from './server-order.js';

interface ServerCardsProps {
  readonly servers: readonly ListedServer[];
  readonly selected: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

export function ServerCards({ servers, selected, onToggle }: ServerCardsProps) {
  const { t } = useI18n();
  const { preferences, save } = usePreferences();
  const [dragged, setDragged] = useState<string | null>(null);
  const [places, setPlaces] = useState<readonly string[] | null>(null);
  const [said, setSaid] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const moved = useRef<string | null>(null);
  const shown = inOrder(servers, places ?? preferences.order);
  const ids = shown.map(({ id }) => id);
  useEffect(() => {
    if (moved.current === null) return;
    list.current?.querySelector<HTMLElement>(`[data-grip="${CSS.escape(moved.current)}"]`)?.focus();
    moved.current = null;
  });
  const moveBy = (id: string, step: -1 | 1): void => {
    const to = ids.indexOf(id) + step;
    if (to < 0 || to >= ids.length) return;
    moved.current = id;
    save({ order: withPlace(preferences.order, ids, id, to) });
    setSaid(t('servers.moved', { place: to + 1, count: ids.length }));
  };
  const endDrag = ({ dataTransfer }: DragEvent): void => {
    const isDropped = dataTransfer.dropEffect !== 'none';
    if (places && isDropped) save({ order: places });
    setDragged(null);
    setPlaces(null);
  };
  return (
    <>
      <ul ref={list} className="cards">
        {shown.map((server, index) => (
          <ServerCard
            key={server.id}
            server={server}
            isPinned={preferences.pins.includes(server.id)}
            isSelected={selected.has(server.id)}
            isDragged={dragged === server.id}
            onToggle={() => onToggle(server.id)}
            onMove={servers.length > 1 ? (step) => moveBy(server.id, step) : null}
            onDragStart={() => setDragged(server.id)}
            onDragOver={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              if (dragged !== server.id) setPlaces(withPlace(places ?? preferences.order, ids, dragged, index));
            }}
            onDragEnd={endDrag}
          />
        ))}
      </ul>
      <p className="only-read" role="status">
        {said}
      </p>
    </>
  );
}
