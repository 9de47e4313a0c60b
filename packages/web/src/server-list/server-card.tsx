import type { ListedServer } from '@panel/client';
import { FolderPen, GripVertical, Pin, PinOff, Play, RotateCw, Skull, Square } from 'lucide-react';
import { type DragEvent, lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { usePreferences } from '../api/queries.js';
import { useChange } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { type PowerAction, powerDenial } from '../server/power.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { Menu } from '../ui/menu.js';
import { Meter, Status } from '../ui/status.js';
import { useToasts } from '../ui/toasts.js';

const GroupDialog = lazy(async () => ({ default: (await import('./group-dialog.js')).GroupDialog }));

/** Which way an arrow key moves a card. */
function stepOf(key: string, isRightToLeft: boolean): -1 | 0 | 1 {
  if (key === 'ArrowUp' || key === (isRightToLeft ? 'ArrowRight' : 'ArrowLeft')) return -1;
  return key === 'ArrowDown' || key === (isRightToLeft ? 'ArrowLeft' : 'ArrowRight') ? 1 : 0;
}

interface ServerCardProps {
  readonly server: ListedServer;
  readonly isPinned: boolean;
  readonly isSelected: boolean;
  readonly isDragged: boolean;
  readonly onToggle: () => void;
  /** Null where there is nothing to change places with. */
  readonly onMove: ((step: -1 | 1) => void) | null;
  readonly onDragStart: () => void;
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragEnd: (event: DragEvent) => void;
}

export function ServerCard({ server, isPinned, isSelected, isDragged, onToggle, onMove, ...drag }: ServerCardProps) {
  const i18n = useI18n();
  const { t, number, bytes } = i18n;
  const { id, name, status, allocation, resources, limits } = server;
  const { preferences, save } = usePreferences();
  const { confirm, dialog } = useConfirm();
  const [isGrouping, setIsGrouping] = useState(false);
  const toasts = useToasts();
  const power = useChange(
    async (client, action: PowerAction) => client.post('/servers/{id}/power', { params: { id }, body: { action } }),
    [['servers']],
  );
  const act = (action: PowerAction) => power.mutate(action, { onError: toasts.showError });
  const togglePin = (): void => {
    save({ pins: isPinned ? preferences.pins.filter((pin) => pin !== id) : [...preferences.pins, id] });
  };
  const mb = 1024 ** 2;
  return (
    <li
      className="card server-card"
      data-selected={isSelected || undefined}
      data-dragged={isDragged || undefined}
      onDragOver={drag.onDragOver}
      onDrop={(event) => event.preventDefault()}
    >
      <div className="card-head">
        <h3>
          <Link to={`/servers/${id}`}>{name}</Link>
        </h3>
        <div className="row">
          {onMove ? (
            <Button
              kind="quiet"
              className="grip"
              draggable
              label={t('servers.move', { name })}
              icon={<GripVertical />}
              data-grip={id}
              onKeyDown={({ key, currentTarget }) => {
                const step = stepOf(key, getComputedStyle(currentTarget).direction === 'rtl');
                if (step !== 0) onMove(step);
              }}
              onDragStart={({ dataTransfer }) => {
                dataTransfer.setData('text/plain', name);
                dataTransfer.effectAllowed = 'move';
                drag.onDragStart();
              }}
              onDragEnd={drag.onDragEnd}
            />
          ) : null}
          <input type="checkbox" aria-label={t('servers.select', { name })} checked={isSelected} onChange={onToggle} />
          <Menu
            label={t('servers.actions', { name })}
            items={[
              {
                label: t('power.start'),
                icon: <Play />,
                act: () => act('start'),
                why: powerDenial(server, 'start', i18n),
              },
              {
                label: t('power.restart'),
                icon: <RotateCw />,
                act: () => act('restart'),
                why: powerDenial(server, 'restart', i18n),
              },
              {
                label: t('power.stop'),
                icon: <Square />,
                act: () => act('stop'),
                why: powerDenial(server, 'stop', i18n),
              },
              {
                label: t('power.kill'),
                icon: <Skull />,
                act: () =>
                  confirm({
                    title: `${t('power.kill')}: ${name}`,
                    text: t('power.kill-text'),
                    action: t('power.kill'),
                    onConfirm: async () => power.mutateAsync('kill'),
                  }),
                why: powerDenial(server, 'kill', i18n),
                isDanger: true,
              },
              {
                label: isPinned ? t('servers.unpin') : t('servers.pin'),
                icon: isPinned ? <PinOff /> : <Pin />,
                act: togglePin,
              },
              { label: t('servers.group'), icon: <FolderPen />, act: () => setIsGrouping(true) },
            ]}
          />
        </div>
      </div>
      <div className="meter-text">
        <span className="faint">
          {allocation ? `${allocation.alias ?? allocation.ip}:${allocation.port}` : t('servers.no-address')}
        </span>
        <Status value={status} />
      </div>
      {resources && resources.state !== 'offline' ? (
        <>
          <Meter
            label={t('resource.cpu')}
            value={resources.cpu}
            limit={limits.cpu}
            text={`${number(resources.cpu)} %`}
          />
          <Meter
            label={t('resource.memory')}
            value={resources.memory_bytes}
            limit={limits.memory * mb}
            text={bytes(resources.memory_bytes)}
          />
        </>
      ) : null}
      {dialog}
      {isGrouping ? (
        <Suspense fallback={null}>
          <GroupDialog id={id} onClose={() => setIsGrouping(false)} />
        </Suspense>
      ) : null}
    </li>
  );
}
