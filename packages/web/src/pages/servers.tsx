import { FolderPen, GripVertical, Pin, PinOff, Play, RotateCw, Skull, Square } from 'lucide-react';
import { type DragEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { ListedServer } from '@panel/client';
import { Link, useSearchParams } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { useApi } from '../net/context.js';
import { usePreferences, useStaffRights } from '../net/queries.js';
import { pageOf, serversRead } from '../net/first-reads.js';
import { useChange, useData } from '../net/use-data.js';
import { Button } from '../parts/button.js';
import { useConfirm } from '../parts/confirm-later.js';
import { Menu } from '../parts/menu.js';
import { Page } from '../parts/page.js';
import { Empty, errorText, Loaded, Skeleton } from '../parts/states.js';
import { Meter, Status } from '../parts/status.js';
import { Pager, SearchBox } from '../parts/table.js';
import { useToasts } from '../parts/toasts.js';
import { inOrder, withPlace } from './server-order.js';
import { type PowerAction, powerDenial } from './server/power.js';

const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.js')).FirstSteps }));
const GroupDialog = lazy(async () => ({ default: (await import('./group-dialog.js')).GroupDialog }));
const CommandDialog = lazy(async () => ({ default: (await import('./wall/command-dialog.js')).CommandDialog }));

const pollMs = 15_000;

/** All servers somebody may open, by group, with power for one or many. */
export function ServersPage() {
  const i18n = useI18n();
  const { t } = i18n;
  const [parameters, setParameters] = useSearchParams();
  const search = parameters.get('search') ?? '';
  const page = pageOf(parameters.get('page'));
  const show = (next: { readonly search?: string; readonly page?: string }): void =>
    setParameters(next, { replace: true });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const text = search.trim();
  const { key, read } = serversRead(page, text);
  const servers = useData(key, read, { every: pollMs, keepsPrevious: true });
  const toggle = (id: string): void => {
    setSelected((ids) => new Set(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]));
  };
  return (
    <Page title={t('nav.servers')}>
      <div className="toolbar">
        <SearchBox
          label={t('servers.search')}
          value={search}
          onChange={(value) => show(value === '' ? {} : { search: value })}
        />
        <BulkPower
          servers={(servers.data?.data ?? []).filter(({ id }) => selected.has(id))}
          onDone={(left) => setSelected(new Set(left))}
        />
      </div>
      <Loaded query={servers} rows={4}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoServers isSearch={text !== ''} />
          ) : (
            <>
              <Groups servers={data} selected={selected} onToggle={toggle} />
              <Pager
                page={page}
                pages={meta.total_pages}
                total={meta.total}
                onPage={(next) =>
                  show({ ...(search === '' ? {} : { search }), ...(next === 1 ? {} : { page: String(next) }) })
                }
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function NoServers({ isSearch }: { readonly isSearch: boolean }) {
  const { t } = useI18n();
  const { may } = useStaffRights();
  if (isSearch) return <Empty text={t('servers.none-found')} />;
  if (may('servers.create'))
    return (
      <Suspense fallback={<Skeleton />}>
        <FirstSteps />
      </Suspense>
    );
  return (
    <Empty text={t('servers.none')}>
      <Link to="/store" className="button" data-kind="primary">
        {t('servers.to-store')}
      </Link>
    </Empty>
  );
}

interface GroupsProps {
  readonly servers: readonly ListedServer[];
  readonly selected: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

function Groups({ servers, selected, onToggle }: GroupsProps) {
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
      <Cards servers={groups.get(name) ?? []} selected={selected} onToggle={onToggle} />
    </section>
  ));
}

/** Servers in the order of this account, which is changed by dragging, or with the arrow keys. */
function Cards({ servers, selected, onToggle }: GroupsProps) {
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

/** Pinned servers first, those without a group last. */
function order(group: string): string {
  return group === '' ? '\u0000' : group === ' ' ? '\uffff' : group;
}

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

function ServerCard({ server, isPinned, isSelected, isDragged, onToggle, onMove, ...drag }: ServerCardProps) {
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

interface BulkPowerProps {
  readonly servers: readonly ListedServer[];
  /** Called with the ids of those that stay selected. */
  readonly onDone: (left: readonly string[]) => void;
}

/** Power for all servers that are selected; what failed is said, and stays selected. */
function BulkPower({ servers, onDone }: BulkPowerProps) {
  const i18n = useI18n();
  const { t } = i18n;
  const api = useApi();
  const toasts = useToasts();
  const [isBusy, setIsBusy] = useState(false);
  const [isCommanding, setIsCommanding] = useState(false);
  if (servers.length === 0) return null;
  const act = async (action: PowerAction): Promise<void> => {
    setIsBusy(true);
    const results = await Promise.allSettled(
      servers.map(async ({ id }) =>
        api.call(async (client) => client.post('/servers/{id}/power', { params: { id }, body: { action } })),
      ),
    );
    setIsBusy(false);
    const failed = results.flatMap((result, index) => {
      const server = servers[index];
      if (result.status === 'fulfilled' || !server) return [];
      return [{ id: server.id, text: `${server.name}: ${errorText(result.reason, i18n)}` }];
    });
    onDone(failed.map(({ id }) => id));
    if (failed.length === 0) toasts.show(t('servers.bulk-done', { count: servers.length }));
    else toasts.show(failed.map(({ text }) => text).join(' · '), { kind: 'error' });
  };
  return (
    <div className="row" role="group" aria-label={t('servers.bulk')}>
      <span>{t('servers.selected', { count: servers.length })}</span>
      {(['start', 'restart', 'stop'] as const).map((action) => (
        <Button key={action} isBusy={isBusy} onClick={() => void act(action)}>
          {t(`power.${action}`)}
        </Button>
      ))}
      <Button onClick={() => setIsCommanding(true)}>{t('servers.command')}</Button>
      <Link to={`/wall?servers=${servers.map(({ id }) => id).join(',')}`} className="button" data-kind="plain">
        {t('servers.wall')}
      </Link>
      <Button kind="quiet" onClick={() => onDone([])}>
        {t('servers.select-none')}
      </Button>
      {isCommanding ? (
        <Suspense fallback={null}>
          <CommandDialog targets={servers} onClose={() => setIsCommanding(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}
