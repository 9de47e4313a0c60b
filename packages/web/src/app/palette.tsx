import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ListedServer } from '@panel/client';
import { useLocation } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { paletteTexts } from '../i18n/texts/palette/palette-texts.js';
import { staffNavigationTexts } from '../i18n/texts/staff-navigation/staff-navigation-texts.js';
import { withTexts } from '../i18n/with-texts.js';
import { useStaffRights } from '../api/queries.js';
import { type Listed, useData } from '../api/use-data.js';
import { Dialog } from '../ui/dialog.js';
import { useApi } from '../api/context.js';
import { customerPages } from './navigation.js';
import { staffPages } from './staff-navigation.js';

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly act: () => void;
}

const shownEntries = 40;
const foundServers = 20;
const settleMs = 200;

interface PaletteProps {
  readonly onClose: () => void;
  readonly onCalls: () => void;
}

export const Palette = withTexts([paletteTexts, staffNavigationTexts], PaletteDialog);

function PaletteDialog({ onClose, onCalls }: PaletteProps) {
  const { t } = useI18n();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const entries = useEntries(text, onCalls).slice(0, shownEntries);
  const chosen = entries[Math.min(at, entries.length - 1)];
  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.act();
  };
  return (
    <Dialog title={t('palette.open')} onClose={onClose}>
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the palette is opened to type into it
        autoFocus
        role="combobox"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={chosen ? `palette-${chosen.id}` : undefined}
        aria-label={t('palette.hint')}
        placeholder={t('palette.hint')}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
          if (step !== 0) {
            event.preventDefault();
            setAt((at + step + entries.length) % Math.max(1, entries.length));
          } else if (event.key === 'Enter') run(chosen);
        }}
      />
      <div className="palette-list" id="palette-list" role="listbox" aria-label={t('palette.open')}>
        {entries.map((entry) => (
          <button
            key={entry.id}
            id={`palette-${entry.id}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={entry === chosen}
            onClick={() => run(entry)}
          >
            <span>{entry.label}</span>
            <span className="faint">{entry.detail}</span>
          </button>
        ))}
      </div>
    </Dialog>
  );
}

function useEntries(text: string, onCalls: () => void): Entry[] {
  const { t } = useI18n();
  const [, navigate] = useLocation();
  const { may } = useStaffRights();
  const { session } = useApi();
  const servers = useServers(text);
  const pages = [...customerPages, ...staffPages.filter(({ right }) => right === undefined || may(right))];
  const others: Entry[] = [
    ...pages.map(({ to, label }) => ({
      id: `page${to.replaceAll('/', '-')}`,
      label: t(label),
      detail: t('palette.page'),
      act: () => navigate(to),
    })),
    { id: 'wall', label: t('servers.consoles'), detail: t('palette.page'), act: () => navigate('/wall') },
    { id: 'calls', label: t('nav.calls'), detail: t('palette.action'), act: onCalls },
    { id: 'sign-out', label: t('nav.sign-out'), detail: t('palette.action'), act: () => void session.signOut() },
  ];
  return [
    ...servers.map(({ id, name, uuid_short }) => ({
      id: `server-${id}`,
      label: name,
      detail: `${t('palette.server')} ${uuid_short}`,
      act: () => navigate(`/servers/${id}`),
    })),
    ...others.filter(({ label, detail }) => matches(`${label} ${detail}`, text)),
  ];
}

type Found = Pick<ListedServer, 'id' | 'name' | 'uuid_short'>;

/** Debounced. Staff search all users' servers. */
function useServers(text: string): readonly Found[] {
  const { may } = useStaffRights();
  const queries = useQueryClient();
  const search = useSettled(text.trim());
  const isStaff = may('servers.view');
  const found = useData<Listed<Found>>(
    ['servers', 'palette', isStaff, search],
    async (client) => {
      const query = { per_page: foundServers, ...(search === '' ? {} : { search }) };
      return isStaff ? client.get('/admin/servers', { query }) : client.get('/servers', { query });
    },
    { staleTime: 60_000, keepsPrevious: true },
  );
  const known = queries
    .getQueriesData<Listed<Found>>({ queryKey: ['servers'] })
    .flatMap(([, list]) => list?.data ?? []);
  const isSettled = search === text.trim() && !found.isPlaceholderData;
  const named = [...known, ...(found.data?.data ?? [])].filter(({ name, uuid_short }) =>
    matches(`${name} ${uuid_short}`, text),
  );
  const all = isSettled ? [...named, ...(found.data?.data ?? [])] : named;
  return [...new Map(all.map((server) => [server.id, server])).values()].slice(0, foundServers);
}

/** The value, debounced. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function matches(label: string, text: string): boolean {
  const lower = label.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
