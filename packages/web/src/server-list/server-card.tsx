import type { ListedServer } from '@panel/client';
import { FolderPen, GripVertical, Pin, PinOff, Play, RotateCw, Skull, Square } from 'lucide-react';
import { type DragEvent, lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { usePreferences } from '../api/queries.js';
import { useChange } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { type PowerAction, powerDenial } from '../server/power.js';
import { playerAddress } from '../ui/address.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { Menu } from '../ui/menu.js';
import { Meter, Status } from '../ui/status.js';
import { useToasts } from '../ui/toasts.js';

const GroupDialog = lazy(async () => ({ default: (await import('./group-dialog.js')).GroupDialog }));

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
  /** Null without a neighbour. */
  readonly onMove: ((step: -1 | 1) => void) | null;
  readonly onDragStart: () => void;
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragEnd: (event: DragEvent) => void;
}

export function ServerCard({ server, isPinned, isSelected, isDragged, onToggle, onMove, ...drag }: ServerCardProps) {
  const { t } = useI18n();
  const { id, name, status, allocation } = server;
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
          <Link to={`/servers/${id}`}>
            <bdi>{name}</bdi>
          </Link>
        </h3>
        <div className="row">
          {onMove ? <Grip server={server} onMove={onMove} {...drag} /> : null}
          <input type="checkbox" aria-label={t('servers.select', { name })} checked={isSelected} onChange={onToggle} />
          <ServerMenu server={server} isPinned={isPinned} />
        </div>
      </div>
      <div className="meter-text">
        <span className="faint">{allocation ? playerAddress(allocation) : t('servers.no-address')}</span>
        <Status value={status} />
      </div>
      <Usage server={server} />
    </li>
  );
}

interface GripProps extends Pick<ServerCardProps, 'server' | 'onDragStart' | 'onDragEnd'> {
  readonly onMove: (step: -1 | 1) => void;
}

function Grip({ server: { id, name }, onMove, onDragStart, onDragEnd }: GripProps) {
  const { t } = useI18n();
  return (
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
        onDragStart();
      }}
      onDragEnd={onDragEnd}
    />
  );
}

function ServerMenu({ server, isPinned }: Pick<ServerCardProps, 'server' | 'isPinned'>) {
  const i18n = useI18n();
  const { t } = i18n;
  const { id, name } = server;
  const { preferences, save } = usePreferences();
  const { confirm, dialog } = useConfirm();
  const [isGrouping, setIsGrouping] = useState(false);
  const toasts = useToasts();
  const power = useChange(
    async (client, action: PowerAction) => client.post('/servers/{id}/power', { params: { id }, body: { action } }),
    [['servers']],
  );
  const item = (action: PowerAction, icon: ReactNode) => ({
    label: t(`power.${action}`),
    icon,
    act: () => power.mutate(action, { onError: toasts.showError }),
    why: powerDenial(server, action, i18n),
  });
  const kill = (): void =>
    confirm({
      title: `${t('power.kill')}: ${name}`,
      text: t('power.kill-text'),
      action: t('power.kill'),
      onConfirm: async () => power.mutateAsync('kill'),
    });
  const togglePin = (): void =>
    save({ pins: isPinned ? preferences.pins.filter((pin) => pin !== id) : [...preferences.pins, id] });
  return (
    <>
      <Menu
        label={t('servers.actions', { name })}
        items={[
          item('start', <Play />),
          item('restart', <RotateCw />),
          item('stop', <Square />),
          { ...item('kill', <Skull />), act: kill, isDanger: true },
          {
            label: isPinned ? t('servers.unpin') : t('servers.pin'),
            icon: isPinned ? <PinOff /> : <Pin />,
            act: togglePin,
          },
          { label: t('servers.group'), icon: <FolderPen />, act: () => setIsGrouping(true) },
        ]}
      />
      {dialog}
      {isGrouping ? (
        <Suspense fallback={null}>
          <GroupDialog id={id} onClose={() => setIsGrouping(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

function Usage({ server: { resources, limits } }: Pick<ServerCardProps, 'server'>) {
  const { t, number, bytes } = useI18n();
  if (!resources || resources.state === 'offline') return null;
  return (
    <>
      <Meter label={t('resource.cpu')} value={resources.cpu} limit={limits.cpu} text={`${number(resources.cpu)} %`} />
      <Meter
        label={t('resource.memory')}
        value={resources.memory_bytes}
        limit={limits.memory * 1024 ** 2}
        text={bytes(resources.memory_bytes)}
      />
    </>
  );
}
